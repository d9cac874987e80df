"""Writes a new generation of ratings beside the present one and switches to it (RT3.1, RT3.2)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import numpy as np
from django.db import connection, transaction
from numpy.typing import NDArray

from ratings.copying import STORED_COLUMNS, rating_rows, transfers_rows
from ratings.history import Quality, Replay, Replayed, shown_all
from ratings.locks import Lock, own_ratings, try_lock
from ratings.models import Correction, RatingHead, Season
from ratings.services.boards import count_boards, refresh_board
from ratings.services.replays import (
    Progress,
    active_enough,
    count_players,
    generation_in_force,
    paces,
    rating_columns,
    read_rated,
    silent,
    to_present_season,
)
from ratings.services.seasons import next_seq, running_season

_FEW: Final = 200  # so many matches are caught up with under the exclusive lock


class RecomputeRunning(Exception):
    """Another recomputation has not ended."""

    code = "recompute_running"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recomputed:
    """A generation that came into force: matches that count in it, players with a rating, and how
    well ratings foretold results."""

    generation: int
    matches: int
    players: int
    quality: Quality


def recompute(*, now: datetime, tell: Progress = silent) -> Recomputed:
    """Write a new generation from all matches that count, and switch to it. Matches that finish
    meanwhile are in it; readers see the old numbers or the new ones. Raises `RecomputeRunning`."""
    return _rebuild(now=now, from_seq=0, tell=tell)


def apply_corrections(*, now: datetime) -> Recomputed | None:
    """Write a new generation if matches were voided or restored since the last one; None if not, or
    if another recomputation runs (the next call will do it)."""
    first = (
        Correction.objects.filter(generation=None)
        .order_by("match__seq")
        .values_list("match__seq", flat=True)
        .first()
    )
    if first is None:
        return None
    try:
        return _rebuild(now=now, from_seq=first, tell=silent)
    except RecomputeRunning:
        return None


@dataclass
class _Generation:
    """A generation that is being written."""

    number: int
    old: int
    from_seq: int
    replay: Replay
    horizon: int
    """All entries of the rating sequence up to here were committed before the first reading."""
    seen: set[int] = field(default_factory=set)
    """Entries above the horizon that are in."""
    matches: int = 0


def _rebuild(*, now: datetime, from_seq: int, tell: Progress) -> Recomputed:
    with transaction.atomic():
        own_ratings()
        running_season(now=now)
        horizon = next_seq()
    with transaction.atomic():
        if not try_lock(Lock.RECOMPUTE):
            raise RecomputeRunning
        with connection.cursor() as cursor:
            # Foreign keys are checked row by row, not at the end under the exclusive lock.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        old = generation_in_force()
        # Read before the matches: what is voided after this waits for the next generation.
        corrections = list(Correction.objects.filter(generation=None).values_list("id", flat=True))
        pending = (
            Correction.objects.filter(pk__in=corrections)
            .order_by("match__seq")
            .values_list("match__seq", flat=True)
            .first()
        )
        fresh = _Generation(
            number=_nextgeneration_in_force(),
            old=old,
            from_seq=from_seq if pending is None else min(from_seq, pending),
            replay=Replay(paces()),
            horizon=horizon,
        )
        _write_all(fresh, now, tell)
        while True:
            caught_up = _catch_up(fresh, now)
            tell(f"{caught_up} matches caught up with")
            if caught_up <= _FEW:
                break
        own_ratings()
        _catch_up(fresh, now)
        _switch(fresh, corrections)
    tell(f"generation {fresh.number} is in force")
    refresh_board(now=now)
    return Recomputed(
        generation=fresh.number,
        matches=fresh.matches,
        players=count_players(fresh.replay),
        quality=fresh.replay.quality(),
    )


def _nextgeneration_in_force() -> int:
    """A number that no row of any table has."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 + greatest((SELECT generation FROM ratings_ratinghead),"
            " (SELECT max(generation) FROM ratings_rating))"
        )
        return int(cursor.fetchone()[0])


def _write_all(fresh: _Generation, now: datetime, tell: Progress) -> None:
    """The new generation from one moment's matches."""
    matches = read_rated(after=0)
    tell(f"{len(matches)} matches read")
    fresh.seen.update(matches.seq[matches.seq > fresh.horizon].tolist())
    fresh.matches += int(matches.counted.sum())
    done = fresh.replay.advance(matches)
    to_present_season(fresh.replay)
    tell("replayed")
    _copy_transfers(done, fresh)
    tell("transfers written")
    _copy_ratings("ratings_rating", rating_columns(fresh.replay), fresh, now)
    with connection.cursor() as cursor:
        cursor.execute(_FRESH_TABLE)
    count_boards(fresh.number)
    tell("ratings written")


def _catch_up(fresh: _Generation, now: datetime) -> int:
    """Add the matches that finished since; how many there were. Which of them are seen does not
    matter: one that is seen comes with all earlier ones of its players."""
    matches = read_rated(after=fresh.horizon)
    unseen = [index for index, seq in enumerate(matches.seq.tolist()) if seq not in fresh.seen]
    matches = matches.take(np.array(unseen, np.int64))
    written = fresh.replay.season
    fresh.seen.update(matches.seq.tolist())
    fresh.matches += int(matches.counted.sum())
    fresh.replay.paces = paces()
    done = fresh.replay.advance(matches)
    to_present_season(fresh.replay)
    _copy_transfers(done, fresh)
    columns = rating_columns(fresh.replay, from_season=written, players=np.unique(done.who))
    _copy_ratings("fresh_rating", columns, fresh, now)
    with connection.cursor() as cursor:
        cursor.execute(_COUNT_FRESH)
        cursor.execute(_MERGE_FRESH)
        cursor.execute("TRUNCATE fresh_rating")
    return len(matches)


def _switch(fresh: _Generation, corrections: Sequence[int]) -> None:
    Correction.objects.filter(pk__in=corrections).update(generation=fresh.number)
    for number, surplus in fresh.replay.surplus.items():
        Season.objects.filter(number=number).update(surplus=surplus)
    RatingHead.objects.update(generation=fresh.number)


_FRESH_TABLE: Final = "CREATE TEMPORARY TABLE fresh_rating (LIKE ratings_rating) ON COMMIT DROP"
_COUNT_FRESH: Final = """
    INSERT INTO ratings_boardchange (generation, season_id, shown, change)
    SELECT generation, season_id, was.shown, -1
    FROM fresh_rating JOIN ratings_rating AS was USING (generation, season_id, player_id)
    WHERE was.on_board
    UNION ALL
    SELECT generation, season_id, shown, 1 FROM fresh_rating WHERE on_board
"""
_MERGE_FRESH: Final = f"""
    INSERT INTO ratings_rating ({", ".join(STORED_COLUMNS)})
    SELECT {", ".join(STORED_COLUMNS)} FROM fresh_rating
    ON CONFLICT (generation, player_id, season_id) DO UPDATE SET
        {", ".join(f"{name} = excluded.{name}" for name in STORED_COLUMNS[3:])}
"""  # noqa: S608  (constants)


def _copy_transfers(done: Replayed, fresh: _Generation) -> None:
    with (
        connection.cursor() as cursor,
        cursor.copy(
            "COPY ratings_matchtransfers (seq, generation, before, transfers)"
            " FROM STDIN (FORMAT binary)"
        ) as copy,
    ):
        for data in transfers_rows(
            done.matches,
            before=done.before,
            moved=done.moved,
            pairs=done.pairs,
            generation=fresh.number,
            from_seq=fresh.from_seq,
        ):
            copy.write(data)


def _copy_ratings(
    table: str, columns: dict[str, NDArray[Any]], fresh: _Generation, now: datetime
) -> None:
    columns["shown"] = shown_all(columns["rating"])
    columns["barred"] = _barred(columns, fresh, now)
    columns["on_board"] = active_enough(columns, now) & ~columns["barred"]
    names = ", ".join(STORED_COLUMNS)
    with (
        connection.cursor() as cursor,
        cursor.copy(f"COPY {table} ({names}) FROM STDIN (FORMAT binary)") as copy,
    ):
        for data in rating_rows(columns, generation=fresh.number):
            copy.write(data)


def _barred(
    columns: dict[str, NDArray[Any]], fresh: _Generation, now: datetime
) -> NDArray[np.bool_]:
    """Who is banned or deleted; in a finished season, who was when it ended."""
    players = columns["player"].view("S16")
    barred = np.zeros(len(players), np.bool_)
    with connection.cursor() as cursor:
        cursor.execute(_BARRED, {"old": fresh.old, "now": now})
        found: dict[int, list[bytes]] = {}
        for season, player in cursor:
            found.setdefault(season, []).append(player.bytes)
    for season, ids in found.items():
        rows = np.flatnonzero(columns["season"] == season)
        barred[rows] = np.isin(players[rows], np.array(ids, "S16"))
    return barred


_BARRED: Final = """
    SELECT season.number, player.id FROM ratings_season AS season, accounts_player AS player
    WHERE season.status = 'running' AND (player.deleted_at IS NOT NULL
        OR (player.banned_at IS NOT NULL
            AND (player.banned_until IS NULL OR player.banned_until > %(now)s)))
    UNION ALL
    SELECT season_id, player_id FROM ratings_rating JOIN ratings_season AS season
        ON season.number = season_id AND season.status = 'finished'
    WHERE generation = %(old)s AND barred
"""
