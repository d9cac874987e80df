"""Flags for staff: accounts that look as if one person played them against each other.

Nobody is punished by machine: a household shares a network, friends share a browser. Browsers and
results are counted anew at each look, so that a look may come twice, or late.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import combinations
from math import sqrt
from typing import Final
from uuid import UUID

from django.db import connection

from accounts.ids import new_id
from ratings.models import FlagKind, FlagState

LOOK_BACK: Final = timedelta(days=30)
"""So long the matches of a pair are counted."""
FEWEST: Final = 10
"""So many decided matches of a pair at least, before their results say anything."""
LUCK: Final = 3.0
"""A lead of so many standard deviations is no luck: fair pairs come to it once in a thousand."""

_RAISE: Final = """
    INSERT INTO ratings_flag AS present
        (id, kind, players, match, details, state, note, created_at, updated_at)
    VALUES (%(id)s, %(kind)s, %(players)s, %(match)s, %(details)s::jsonb, %(state)s, '',
        %(now)s, %(now)s)
    ON CONFLICT (kind, players) DO UPDATE
    SET match = excluded.match, updated_at = excluded.updated_at, details = {details}
    WHERE {changed}
"""
_REPLACE: Final = _RAISE.format(
    details="excluded.details", changed="present.details <> excluded.details"
)
_COUNT_UP: Final = _RAISE.format(
    details="jsonb_build_object('matches', (present.details->>'matches')::int + 1)",
    changed="present.match <> excluded.match",
)


def flag_networks(*, groups: Iterable[Sequence[UUID]], match_id: UUID, now: datetime) -> None:
    """Flag opponents who came into a ranked match from one network: each group is such players.

    How many matches they came into so is counted; a second call for the same match counts nothing.
    """
    for group in groups:
        for pair in combinations(sorted(group), 2):
            _raise(_COUNT_UP, FlagKind.SAME_NETWORK, pair, match_id, {"matches": 1}, now)


def look_at_matches(*, finished_after: datetime, now: datetime) -> int:
    """Flag opponents of the rated matches that finished lately who share a browser, or of whom one
    keeps winning as no luck explains. Gives how many pairs were looked at."""
    with connection.cursor() as cursor:
        cursor.execute(_PAIRS, {"after": finished_after, "since": now - LOOK_BACK})
        rows = cursor.fetchall()
    for one, other, match_id, shared, matches, won, lost in rows:
        pair = (one, other)
        if shared:
            _raise(_REPLACE, FlagKind.SAME_BROWSER, pair, match_id, {"matches": matches}, now)
        if is_one_sided(won, lost):
            found = {"matches": matches, "won": [won, lost]}
            _raise(_REPLACE, FlagKind.ONE_SIDED, pair, match_id, found, now)
    return len(rows)


def is_one_sided(won: int, lost: int) -> bool:
    """Whether one of a pair leads the other by more than luck, over enough matches."""
    decided = won + lost
    return decided >= FEWEST and abs(won - lost) >= LUCK * sqrt(decided)


def _raise(
    statement: str,
    kind: FlagKind,
    pair: tuple[UUID, UUID],
    match_id: UUID,
    details: Mapping[str, object],
    now: datetime,
) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            statement,
            {
                "id": new_id(),
                "kind": kind.value,
                "players": list(pair),
                "match": match_id,
                "details": json.dumps(details),
                "state": FlagState.OPEN.value,
                "now": now,
            },
        )


# Opponents of late matches (members of one party are none), each with the latest match, whether a
# browser was ever signed in to both, and how their matches that count ended.
_PAIRS: Final = """
    WITH late AS (
        SELECT DISTINCT ON (one, other) one, other, match_id FROM (
            SELECT least(rated.players[i], rated.players[j]) AS one,
                greatest(rated.players[i], rated.players[j]) AS other,
                rated.match_id, rated.seq
            FROM ratings_ratedmatch AS rated,
                generate_subscripts(rated.players, 1) AS i,
                generate_subscripts(rated.players, 1) AS j
            WHERE rated.finished_at > %(after)s AND i < j
                AND (rated.parties[i] = 0 OR rated.parties[i] <> rated.parties[j])
        ) AS pairs
        ORDER BY one, other, seq DESC
    )
    SELECT late.one, late.other, late.match_id,
        EXISTS (
            SELECT 1 FROM accounts_device AS mine JOIN accounts_device AS theirs
                ON theirs.browser = mine.browser AND theirs.player_id = late.other
            WHERE mine.player_id = late.one
        ),
        met.matches, met.won, met.lost
    FROM late, LATERAL (
        SELECT count(*) AS matches,
            count(*) FILTER (WHERE places[mine] < places[theirs]) AS won,
            count(*) FILTER (WHERE places[mine] > places[theirs]) AS lost
        FROM ratings_ratedmatch,
            array_position(players, late.one) AS mine,
            array_position(players, late.other) AS theirs
        WHERE players @> ARRAY[late.one, late.other] AND counted AND finished_at > %(since)s
            AND (parties[mine] = 0 OR parties[mine] <> parties[theirs])
    ) AS met
"""
