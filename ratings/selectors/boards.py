"""Leaderboards: ranks, pages and shares, each in one statement and so of one moment (RT4)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection

from ratings import elo
from ratings.board import ACTIVE_FOR
from ratings.models import COARSE

# A board is a generation and a season; `%(season)s` null means the running season.
_BOARD: Final = """
    board AS (
        SELECT (SELECT generation FROM ratings_ratinghead) AS generation, number AS season,
            provisional_matches AS needed
        FROM ratings_season
        WHERE CASE WHEN %(season)s::int IS NULL THEN status = 'running'
            ELSE number = %(season)s AND status <> 'planned' END
    )
"""
# How many players stand above, at and on the whole board, of a shown rating `{shown}`.
_COUNTS: Final = f"""
    SELECT coalesce(sum(above), 0)::int AS above, coalesce(sum(level), 0)::int AS level,
        coalesce(sum(everybody), 0)::int AS everybody
    FROM (
        SELECT CASE WHEN slot > floor({{shown}} / {COARSE}.0::float8) THEN players END AS above,
            NULL::int AS level, players AS everybody
        FROM ratings_boardcount, board
        WHERE ratings_boardcount.generation = board.generation AND season_id = board.season
            AND ratings_boardcount.level = 1
        UNION ALL
        SELECT CASE WHEN slot > {{shown}} THEN players END,
            CASE WHEN slot = {{shown}} THEN players END, NULL
        FROM ratings_boardcount, board
        WHERE ratings_boardcount.generation = board.generation AND season_id = board.season
            AND ratings_boardcount.level = 0
            AND slot BETWEEN {{shown}}
                AND (floor({{shown}} / {COARSE}.0::float8) * {COARSE})::int + {COARSE - 1}
        UNION ALL
        SELECT CASE WHEN shown > {{shown}} THEN change END,
            CASE WHEN shown = {{shown}} THEN change END, change
        FROM ratings_boardchange, board
        WHERE ratings_boardchange.generation = board.generation AND season_id = board.season
    ) AS counted
"""  # noqa: S608  (constants)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A shown rating's place on a board: rank (1 is best, shared), and the share of the board with
    a lower shown rating, in percent."""

    rank: int
    percentile: float
    players: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line of a board; `rating` and `peak` in thousandths."""

    rank: int
    player_id: UUID
    shown: int
    rating: int
    matches: int
    peak: int


@dataclass(frozen=True, slots=True)
class Key:
    """Where a page of a board begins or ends."""

    shown: int
    player_id: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some lines of a board, in order, and whether there are more on either side."""

    entries: tuple[Entry, ...]
    more_above: bool
    more_below: bool


@dataclass(frozen=True, slots=True)
class Missing:
    """Why somebody is not on the board: what it needs and what they have."""

    code: str
    have: int
    need: int


@dataclass(frozen=True, slots=True)
class Band:
    """How many players of a board show a rating from `low` to `high`."""

    low: int
    high: int
    players: int


_STANDINGS: Final = f"""
    WITH {_BOARD}
    SELECT asked.shown, counts.above, counts.level, counts.everybody
    FROM unnest(%(shown)s::int[]) AS asked (shown)
    CROSS JOIN LATERAL ({_COUNTS.format(shown="asked.shown")}) AS counts
"""  # noqa: S608  (constants)


def standings(shown: Sequence[int], *, season: int | None = None) -> dict[int, Standing]:
    """Where these shown ratings stand on a board, whether or not anybody has them. The cost does
    not grow with the number of players."""
    with connection.cursor() as cursor:
        cursor.execute(_STANDINGS, {"season": season, "shown": sorted(set(shown))})
        return {
            points: Standing(
                rank=above + 1,
                percentile=round(100 * (total - above - level) / total, 1) if total else 0.0,
                players=total,
            )
            for points, above, level, total in cursor
        }


_RANK: Final = f"""
    WITH {_BOARD}, own AS (
        SELECT player_id, rating.shown, on_board, matches, last_at, barred
        FROM ratings_rating AS rating JOIN board
            ON rating.generation = board.generation AND season_id = board.season
        WHERE player_id = ANY(%(players)s)
    )
    SELECT own.player_id, own.on_board, counts.above, counts.level, counts.everybody,
        own.matches, own.last_at, own.barred, board.needed
    FROM board, own CROSS JOIN LATERAL ({_COUNTS.format(shown="own.shown")}) AS counts
"""  # noqa: S608  (constants)


def ranks_of(player_ids: Sequence[UUID], *, season: int | None = None) -> dict[UUID, Standing]:
    """Where these players stand; who is not on the board is missing."""
    return {
        row.player_id: row.standing for row in _own(player_ids, season) if row.standing is not None
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Own:
    player_id: UUID
    standing: Standing | None
    matches: int
    last_at: datetime
    barred: bool
    needed: int


def _own(player_ids: Sequence[UUID], season: int | None) -> list[_Own]:
    with connection.cursor() as cursor:
        cursor.execute(_RANK, {"season": season, "players": list(player_ids)})
        return [
            _Own(
                player_id=player,
                standing=Standing(
                    rank=above + 1,
                    percentile=round(100 * (total - above - level) / total, 1),
                    players=total,
                )
                if on_board
                else None,
                matches=matches,
                last_at=last_at,
                barred=barred,
                needed=needed,
            )
            for (
                player,
                on_board,
                above,
                level,
                total,
                matches,
                last_at,
                barred,
                needed,
            ) in cursor
        ]


def standing_of(
    player_id: UUID, *, now: datetime, season: int | None = None
) -> tuple[Standing | None, tuple[Missing, ...]]:
    """Where a player stands on a board, or what they are missing to be on it (RT4.2)."""
    rows = _own([player_id], season)
    if not rows:
        return None, (Missing("too_few_matches", 0, _needed(season)),)
    row = rows[0]
    if row.standing is not None:
        return row.standing, ()
    missing = []
    if row.matches < row.needed:
        missing.append(Missing("too_few_matches", row.matches, row.needed))
    idle = now - row.last_at
    if idle >= ACTIVE_FOR and season is None:
        missing.append(Missing("inactive", idle.days, ACTIVE_FOR.days))
    if row.barred:
        missing.append(Missing("barred", 1, 0))
    return None, tuple(missing)


def _needed(season: int | None) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"WITH {_BOARD} SELECT needed FROM board", {"season": season})  # noqa: S608
        row = cursor.fetchone()
        return int(row[0]) if row else elo.Pace().provisional_matches


_LINES: Final = """
    SELECT player_id, rating.shown, rating.rating, rating.matches, rating.peak
    FROM ratings_rating AS rating
    WHERE rating.generation = (SELECT generation FROM board)
        AND rating.season_id = (SELECT season FROM board) AND rating.on_board
"""
# Both in one direction, so that an index finds the place within a crowd of equal ratings at once.
_PLACE: Final = "(rating.shown * -1)"
_AFTER: Final = f"AND ({_PLACE}, player_id) > (-%(shown)s::int, %(player)s::uuid)"
_BEFORE: Final = f"AND ({_PLACE}, player_id) < (-%(shown)s::int, %(player)s::uuid)"
_DOWN: Final = f"ORDER BY {_PLACE}, player_id LIMIT %(most)s"
_UP: Final = f"ORDER BY {_PLACE} DESC, player_id DESC LIMIT %(most)s"


def _lines_with_ranks(lines: str) -> str:
    """Lines of a board with the numbers above and at the shown rating of the first."""
    return f"""
        WITH {_BOARD}, lines AS ({lines})
        SELECT lines.*, counts.above, counts.level
        FROM lines CROSS JOIN LATERAL (
            SELECT * FROM ({_COUNTS.format(shown="(SELECT max(shown) FROM lines)")}) AS first
        ) AS counts
        ORDER BY lines.shown DESC, lines.player_id
    """  # noqa: S608  (constants)


_TOP: Final = _lines_with_ranks(f"{_LINES} {_DOWN}")
_PAGE_AFTER: Final = _lines_with_ranks(f"{_LINES} {_AFTER} {_DOWN}")
_PAGE_BEFORE: Final = _lines_with_ranks(f"{_LINES} {_BEFORE} {_UP}")
_OWN_KEY: Final = """
    own AS (
        SELECT rating.shown, player_id FROM ratings_rating AS rating JOIN board
            ON rating.generation = board.generation AND rating.season_id = board.season
        WHERE player_id = %(player)s AND rating.on_board
    )
"""
_OWN_PLACE: Final = "((SELECT shown * -1 FROM own), (SELECT player_id FROM own))"
_AROUND: Final = _lines_with_ranks(
    f"({_LINES} AND ({_PLACE}, player_id) < {_OWN_PLACE} {_UP})"
    f" UNION ALL ({_LINES} AND ({_PLACE}, player_id) >= {_OWN_PLACE}"
    f" ORDER BY {_PLACE}, player_id LIMIT %(most)s + 1)"
).replace("lines AS", f"{_OWN_KEY}, lines AS", 1)


def page(
    *,
    season: int | None = None,
    after: Key | None = None,
    before: Key | None = None,
    most: int = 100,
) -> Page:
    """The top of a board, or the lines after or before a key. Whose rating does not move meanwhile
    is neither repeated nor skipped (RT4.3)."""
    key = after or before
    query = _TOP if key is None else _PAGE_AFTER if after else _PAGE_BEFORE
    values = {
        "season": season,
        "most": most + 1,
        "shown": key.shown if key else None,
        "player": key.player_id if key else None,
    }
    rows = _ranked(query, values)
    over = len(rows) > most
    if before is not None and after is None:
        return Page(entries=rows[1:] if over else rows, more_above=over, more_below=True)
    return Page(entries=rows[:most], more_above=key is not None, more_below=over)


def around(player_id: UUID, *, season: int | None = None, each_side: int = 20) -> Page:
    """A player on a board and those next to them, empty if they are not on it."""
    values = {"season": season, "player": player_id, "most": each_side + 1}
    rows = _ranked(_AROUND, values)
    position = next((n for n, row in enumerate(rows) if row.player_id == player_id), 0)
    first, last = max(0, position - each_side), position + each_side + 1
    return Page(entries=rows[first:last], more_above=first > 0, more_below=len(rows) > last)


def _ranked(query: str, values: Mapping[str, Any]) -> tuple[Entry, ...]:
    """Lines in order, with ranks: the first's by the counts, the others' by counting on."""
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        rows = cursor.fetchall()
    entries: list[Entry] = []
    rank = following = 0
    for number, (player, shown, rating, matches, peak, above, level) in enumerate(rows):
        if number == 0:
            rank, following = above + 1, above + level + 1
        elif shown != entries[-1].shown:
            rank = following
            following += 1
        elif shown != rows[0][1]:
            following += 1
        entries.append(
            Entry(
                rank=rank,
                player_id=player,
                shown=shown,
                rating=rating,
                matches=matches,
                peak=peak,
            )
        )
    return tuple(entries)


_BANDS: Final = f"""
    WITH {_BOARD}
    SELECT slot, sum(players)::int FROM (
        SELECT slot, players FROM ratings_boardcount AS counted, board
        WHERE counted.generation = board.generation AND season_id = board.season AND level = 1
        UNION ALL
        SELECT floor(shown / {COARSE}.0::float8)::int, change
        FROM ratings_boardchange AS told, board
        WHERE told.generation = board.generation AND season_id = board.season
    ) AS slots GROUP BY slot HAVING sum(players) > 0 ORDER BY slot
"""  # noqa: S608  (constants)


def distribution(*, season: int | None = None) -> list[Band]:
    """How many players of a board there are by shown rating, without gaps from the lowest to the
    highest; empty for an empty board."""
    with connection.cursor() as cursor:
        cursor.execute(_BANDS, {"season": season})
        found = dict(cursor.fetchall())
    if not found:
        return []
    return [
        Band(slot * COARSE, slot * COARSE + COARSE - 1, found.get(slot, 0))
        for slot in range(min(found), max(found) + 1)
    ]
