"""A board as full as a busy year makes it, by SQL: what the staff's pages are measured with."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection

from tables.blackjack.events import MatchKind
from tables.models import Match
from tests.play import a_match, guests, play_to_the_end

_COPIED: Final = 1_000
"""So many of the latest matches have rounds and steps, those of the one that was really played."""

# Ranked matches are the rated ones of `generate_history`. One player has thousands of old ones.
_FILL: Final = """
    INSERT INTO tables_match (id, kind, status, version, seq, news, rules, state, seating,
        watchable, watchers, quality, started_at, finished_at)
    SELECT rated.match_id, 'ranked', 'finished', real.version, real.seq, real.news, real.rules,
        real.state, real.seating, false, 0, 0.5, rated.finished_at - interval '5 minutes',
        rated.finished_at
    FROM ratings_ratedmatch AS rated, tables_match AS real
    WHERE real.id = %(real)s AND rated.match_id <> real.id;

    INSERT INTO tables_seat (match_id, number, player_id, live, started_at, finished_at, kind,
        place, outcome, chips, own_decisions, cpu_decisions)
    SELECT match_id, number, player, false, finished_at - interval '5 minutes', finished_at,
        'ranked', places[number], 'draw', 1000, 10, 0
    FROM ratings_ratedmatch, unnest(players) WITH ORDINALITY AS seat (player, number)
    WHERE match_id <> %(real)s;

    WITH solo AS (
        INSERT INTO tables_match (id, kind, status, version, seq, news, rules, state, seating,
            watchable, watchers, started_at, finished_at)
        SELECT uuidv7(- interval '1 year' - n * interval '1 minute'), 'solo', 'void',
            version, seq, news, rules, state, seating, false, 0,
            now() - interval '1 year' - n * interval '1 minute',
            now() - interval '1 year' - n * interval '1 minute'
        FROM tables_match, generate_series(1, %(solo)s) AS n WHERE id = %(real)s
        RETURNING id, started_at
    )
    INSERT INTO tables_seat (match_id, number, player_id, live, started_at, finished_at, kind,
        place, outcome, chips, own_decisions, cpu_decisions)
    SELECT id, 1, %(busy)s, false, started_at, started_at, 'solo', 1, 'draw', 1000, 10, 0 FROM solo;

    INSERT INTO tables_match (id, kind, status, version, seq, news, rules, state, seating,
        watchable, watchers, started_at, wake_at)
    SELECT uuidv7(), 'party', 'playing', 1, 1, 1, rules, state, seating, true, 0, now(), now()
    FROM tables_match, generate_series(1, %(some)s) AS n WHERE id = %(real)s;

    INSERT INTO tables_matchstep (match_id, first_seq, last_seq, version, kind, seat, action_id,
        payload, seeds, events, at)
    SELECT latest.id, first_seq, last_seq, version, kind, seat, NULL, payload, seeds, events, at
    FROM tables_matchstep AS step,
        (SELECT id FROM tables_match WHERE kind = 'ranked' AND id <> %(real)s
            ORDER BY id DESC LIMIT %(copied)s) AS latest
    WHERE step.match_id = %(real)s;

    INSERT INTO accounts_device (id, player_id, browser, label, created_at, last_used_at)
    SELECT uuidv7(), id, gen_random_uuid(), 'Firefox, Linux', created_at, now()
    FROM accounts_player, generate_series(1, 2);

    INSERT INTO accounts_notice (id, player_id, kind, level, values, text, created_at)
    SELECT uuidv7(), id, 'match_voided', 'info', '{}', '', now()
    FROM accounts_player, generate_series(1, 5);

    INSERT INTO accounts_block (id, blocker_id, blocked_id, created_at)
    SELECT uuidv7(), id, lead(id) OVER by_id, now() FROM accounts_player
    WHERE id <> (SELECT max(id::text)::uuid FROM accounts_player)
    WINDOW by_id AS (ORDER BY id) LIMIT %(people)s - 1;

    INSERT INTO tables_penalty (player_id, offence, at, until)
    SELECT id, 'declined', now(), now() + interval '1 hour' FROM accounts_player;

    INSERT INTO tables_report (id, reporter_id, player_id, match_id, reason, text, state, note,
        created_at)
    SELECT uuidv7(), players[1], players[2], match_id, 'stalling', 'Slow.',
        CASE WHEN seq %% 1000 = 0 THEN 'confirmed' ELSE 'dismissed' END, '', finished_at
    FROM ratings_ratedmatch LIMIT %(people)s;

    INSERT INTO ratings_flag (id, kind, players, match, details, state, note, created_at,
        updated_at)
    SELECT DISTINCT ON (least(players[1], players[2]), greatest(players[1], players[2]))
        uuidv7(), 'one_sided', ARRAY[least(players[1], players[2]), greatest(players[1],
        players[2])], match_id, '{}', 'dismissed', '', finished_at, finished_at
    FROM (SELECT * FROM ratings_ratedmatch LIMIT %(people)s);

    INSERT INTO staff_staffaction (id, request, actor_id, actor_name, kind, player, match, target,
        reason, before, after, at)
    SELECT uuidv7(), gen_random_uuid(), %(actor)s, 'somebody', 'note', id, NULL, 'player', 'seen',
        '{}', '{}', now()
    FROM accounts_player;

    INSERT INTO staff_ratingrun (id, kind, state, progress, result, asked_at)
    SELECT uuidv7(), 'check', 'done', '', '{}', now() FROM generate_series(1, %(some)s);

    INSERT INTO accounts_announcement (id, level, text_ja, text_en, starts_at, ends_at, created_at)
    SELECT uuidv7(), 'info', 'あ', 'a', now(), now(), now() FROM generate_series(1, %(some)s);

    INSERT INTO tables_party (id, code, host_id, rules, changed, watchable, version, created_at)
    SELECT uuidv7(), upper(left(md5(id::text), 6)), id, '{}', '[]', false, 1, now()
    FROM accounts_player LIMIT %(some)s
    ON CONFLICT DO NOTHING;

    INSERT INTO tables_partymember (party_id, player_id, joined_at, ready, connected)
    SELECT id, host_id, now(), false, true FROM tables_party;

    INSERT INTO tables_ticket (id, since, front)
    SELECT uuidv7(), now(), false FROM generate_series(1, %(some)s);

    INSERT INTO tables_ticketmember (ticket_id, player_id, browsers, accepted)
    SELECT ticket.id, player.id, '{}', false
    FROM (SELECT id, row_number() OVER () AS n FROM tables_ticket) AS ticket
    JOIN (SELECT id, row_number() OVER () AS n FROM accounts_player) AS player USING (n);

    INSERT INTO tables_webprocess (id, started_at, heartbeat_at)
    SELECT gen_random_uuid(), now(), now() FROM generate_series(1, 4);

    INSERT INTO tables_connection (id, process_id, player_id, opened_at)
    SELECT gen_random_uuid(), (SELECT id FROM tables_webprocess LIMIT 1), id, now()
    FROM accounts_player LIMIT 5 * %(some)s;
"""


def fill(*, players: int, matches: int, rounds: int, actor: User) -> tuple[Match, UUID]:
    """Make so many players and matches, and what goes with them.

    Gives a long match that was really played, and the player with most matches.
    """
    real = play_to_the_end(
        a_match(
            guests(6),
            kind=MatchKind.RANKED,
            rounds=rounds,
            turn_seconds=30,
            initial_chips=10_000,
        )
    )
    [busy] = guests(1)
    call_command("generate_history", f"--players={players}", f"--matches={matches}")
    given = {
        "real": real.pk,
        "busy": busy,
        "actor": actor.pk,
        "people": players,
        "solo": matches // 50,
        "some": max(players // 100, 40),
        "copied": min(_COPIED, matches),
    }
    with connection.cursor() as cursor:
        for statement in _FILL.split(";\n"):
            cursor.execute(statement, given)
        cursor.execute("ANALYZE")
    return real, busy
