"""Keeps the leaderboards' flags and counts (ratings.md RT4.2, RT4.3)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import OperationalError, connection, transaction

from ratings.board import ACTIVE_FOR
from ratings.locks import Lock, busy, share_ratings, try_lock
from ratings.models import COARSE

_AT_ONCE: Final = 2_000

# One statement: who should be listed but is not, or the other way round; the rows locked in id
# order and set, and the counts appended.
_REFRESH: Final = """
    WITH season AS (
        SELECT number, provisional_matches FROM ratings_season WHERE status = 'running'
    ), judged AS (
        SELECT rating.player_id, rating.shown, rating.on_board, rating.barred,
            person.deleted_at IS NOT NULL OR (person.banned_at IS NOT NULL
                AND (person.banned_until IS NULL OR person.banned_until > %(now)s)) AS bars,
            rating.matches >= season.provisional_matches
                AND rating.last_at > %(active)s AS active
        FROM ratings_rating AS rating
        JOIN season ON rating.season_id = season.number
        JOIN accounts_player AS person ON person.id = rating.player_id
        WHERE rating.generation = (SELECT generation FROM ratings_ratinghead)
            AND (%(everybody)s OR rating.player_id = ANY(%(players)s))
    ), due AS (
        SELECT rating.player_id, rating.shown, rating.on_board,
            judged.active AND NOT judged.bars AS stands, judged.bars
        FROM ratings_rating AS rating
        JOIN judged USING (player_id)
        JOIN season ON rating.season_id = season.number
        WHERE rating.generation = (SELECT generation FROM ratings_ratinghead)
            AND (judged.on_board <> (judged.active AND NOT judged.bars)
                OR judged.barred <> judged.bars)
        ORDER BY rating.player_id LIMIT %(most)s
        FOR NO KEY UPDATE OF rating
    ), moved AS (
        UPDATE ratings_rating AS rating SET on_board = due.stands, barred = due.bars
        FROM due, season
        WHERE rating.generation = (SELECT generation FROM ratings_ratinghead)
            AND rating.season_id = season.number AND rating.player_id = due.player_id
        RETURNING rating.player_id
    ), told AS (
        INSERT INTO ratings_boardchange (generation, season_id, shown, change)
        SELECT (SELECT generation FROM ratings_ratinghead), season.number, due.shown,
            CASE WHEN due.stands THEN 1 ELSE -1 END
        FROM due, season WHERE due.stands <> due.on_board
    )
    SELECT count(*) FROM moved
"""


def refresh_board(*, now: datetime, players: Sequence[UUID] | None = None) -> int:
    """Put the flag of everybody in the running season, or of some, as RT4.2 wants it now; how many
    it changed. Ban and deletion call it for their player, a job for everybody.

    Raises `RatingsBusy`.
    """
    total = 0
    while True:
        with transaction.atomic(), connection.cursor() as cursor:
            share_ratings()
            try:
                cursor.execute(
                    _REFRESH,
                    {
                        "now": now,
                        "active": now - ACTIVE_FOR,
                        "everybody": players is None,
                        "players": list(players or ()),
                        "most": _AT_ONCE,
                    },
                )
            except OperationalError as error:
                raise busy(error) from error
            changed = int(cursor.fetchone()[0])
        total += changed
        if changed < _AT_ONCE:
            return total


_ROLL_UP: Final = f"""
    WITH gone AS (
        DELETE FROM ratings_boardchange WHERE id IN (
            SELECT id FROM ratings_boardchange ORDER BY id LIMIT %s
        ) RETURNING generation, season_id, shown, change
    ), level AS (
        SELECT generation, season_id, 0 AS level, shown AS slot, sum(change) AS change
        FROM gone GROUP BY 1, 2, 4
        UNION ALL
        SELECT generation, season_id, 1, floor(shown / {COARSE}.0::float8)::int, sum(change)
        FROM gone GROUP BY 1, 2, 4
    ), merged AS (
        INSERT INTO ratings_boardcount AS present (generation, season_id, level, slot, players)
        SELECT generation, season_id, level, slot, change FROM level
        ON CONFLICT (generation, season_id, level, slot)
        DO UPDATE SET players = present.players + excluded.players
    )
    SELECT count(*) FROM gone
"""  # noqa: S608  (a constant)
_ROLLED_AT_ONCE: Final = 20_000


def roll_up_boards() -> int:
    """Add the appended changes to the counts; how many there were. Nothing is done while another
    call does it."""
    total = 0
    while True:
        with transaction.atomic(), connection.cursor() as cursor:
            if not try_lock(Lock.ROLL_UP):
                return total
            cursor.execute(_ROLL_UP, [_ROLLED_AT_ONCE])
            rolled = int(cursor.fetchone()[0])
        total += rolled
        if rolled < _ROLLED_AT_ONCE:
            return total


_COUNT_ALL: Final = f"""
    INSERT INTO ratings_boardcount (generation, season_id, level, slot, players)
    SELECT generation, season_id, level.number,
        CASE level.number WHEN 0 THEN shown ELSE floor(shown / {COARSE}.0::float8)::int END AS slot,
        count(*)
    FROM ratings_rating CROSS JOIN (VALUES (0), (1)) AS level (number)
    WHERE generation = %s AND on_board
    GROUP BY 1, 2, 3, 4
"""  # noqa: S608  (a constant)


def count_boards(generation: int) -> None:
    """Count the boards of a generation that has no counts yet."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT_ALL, [generation])
