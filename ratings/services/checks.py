"""Compares the live ratings with a replay, changing nothing (ratings.md RT3.2, RT3.3)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import numpy as np
from django.db import connection, transaction
from numpy.typing import NDArray

from ratings import elo
from ratings.comparing import differing_transfers
from ratings.copying import Matches, read_ratings
from ratings.history import Quality, Replay, Replayed, shown_all
from ratings.models import COARSE, Correction
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a replay found: matches that count, players with a rating, how many of them (and of the
    counts of boards, and of matches with their transfers) differ from the live ones, by how much a
    rating does at most (thousandths), and how well ratings foretold results."""

    matches: int
    players: int
    differing: int
    differing_counts: int
    differing_transfers: int
    largest_difference: int
    quality: Quality

    @property
    def differs(self) -> bool:
        """Whether anything does."""
        return bool(self.differing or self.differing_counts or self.differing_transfers)


_LIVE: Final = """
    COPY (
        SELECT season_id, player_id, rating, matches, peak, last_at, shown, on_board, barred
        FROM ratings_rating WHERE generation = %s
    ) TO STDOUT (FORMAT binary)
"""
_TRANSFERS: Final = """
    COPY (
        SELECT DISTINCT ON (seq) seq, before, transfers FROM ratings_matchtransfers
        WHERE generation <= %s ORDER BY seq, generation DESC
    ) TO STDOUT (FORMAT binary)
"""
_LATE: Final = timedelta(minutes=10)
"""So late may a flag of the board follow the clock (RT4.2)."""


def check(
    *,
    now: datetime,
    k: int | None = None,
    provisional_k: int | None = None,
    tell: Progress = silent,
) -> Report:
    """Compare the live ratings with a replay of one moment, changing nothing; with other K's, say
    what they would have made of the same matches (RT3.3)."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        generation = generation_in_force()
        matches = _without_pending(read_rated(after=0))
        tell(f"{len(matches)} matches read")
        replay = Replay(paces(k, provisional_k))
        done = replay.advance(matches)
        to_present_season(replay)
        tell("replayed")
        transfers = _compare_transfers(done, generation)
        tell("transfers compared")
        differing, largest = _compare(replay, generation, now)
        tell("ratings compared")
        counts = differing_counts(generation)
    return Report(
        matches=int(matches.counted.sum()),
        players=count_players(replay),
        differing=differing,
        differing_counts=counts,
        differing_transfers=transfers,
        largest_difference=largest,
        quality=replay.quality(),
    )


def _compare_transfers(done: Replayed, generation: int) -> int:
    with connection.cursor() as cursor, cursor.copy(_TRANSFERS, [generation]) as copy:
        return differing_transfers(copy, done)


def _compare(replay: Replay, generation: int, now: datetime) -> tuple[int, int]:
    """How many players differ in any season's rating, matches, peak, last match, shown rating or
    flag, and the largest difference of a rating in the latest season of each."""
    with (
        connection.cursor() as cursor,
        cursor.copy(_LIVE, [generation]) as copy,
    ):
        live = read_ratings(copy)
    live["flagged"] = _rightly_flagged(live, now)
    replayed = rating_columns(replay)
    replayed["shown"] = shown_all(replayed["rating"])
    replayed["flagged"] = np.ones(len(replayed["rating"]), np.bool_)
    rows = np.concatenate([_keyed(live), _keyed(replayed)])
    rows.sort(order=["player", "season"])
    twins = (rows[1:]["player"] == rows[:-1]["player"]) & (
        rows[1:]["season"] == rows[:-1]["season"]
    )
    same = twins.copy()
    for name in ("rating", "matches", "peak", "last_at", "shown", "flagged"):
        same &= rows[1:][name] == rows[:-1][name]
    matched = np.zeros(len(rows), np.bool_)
    matched[1:] |= same
    matched[:-1] |= same
    gaps = np.abs(rows[1:]["rating"] - rows[:-1]["rating"])[twins]
    alone = np.ones(len(rows), np.bool_)
    alone[1:] &= ~twins
    alone[:-1] &= ~twins
    lonely = np.abs(rows[alone]["rating"] - elo.START)
    largest = max(int(gaps.max()) if len(gaps) else 0, int(lonely.max()) if len(lonely) else 0)
    return len(np.unique(rows[~matched]["player"])), largest


_KEYED: Final = np.dtype(
    [
        ("season", "i8"),
        ("player", "S16"),
        ("rating", "i8"),
        ("matches", "i8"),
        ("peak", "i8"),
        ("last_at", "i8"),
        ("shown", "i8"),
        ("flagged", "?"),
    ]
)


def _rightly_flagged(live: dict[str, NDArray[Any]], now: datetime) -> NDArray[np.bool_]:
    """Which rows are on the board exactly if they belong there; late ones may be either."""
    barred, listed = live["barred"] != 0, live["on_board"] != 0
    belongs = active_enough(live, now) & ~barred
    belonged = active_enough(live, now, late=_LATE) & ~barred
    rightly: NDArray[np.bool_] = (listed == belongs) | (listed == belonged)
    return rightly


def _keyed(columns: dict[str, NDArray[Any]]) -> NDArray[np.void]:
    rows = np.empty(len(columns["player"]), _KEYED)
    for name in _KEYED.names or ():
        rows[name] = columns[name].view("S16") if name == "player" else columns[name]
    return rows


def differing_counts(generation: int) -> int:
    """How many slots of the boards' counts differ from the flags that they count."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT_DIFFERENCES, {"generation": generation})
        return int(cursor.fetchone()[0])


_COUNT_DIFFERENCES: Final = f"""
    WITH flags AS (
        SELECT season_id, shown, count(*) AS players FROM ratings_rating
        WHERE generation = %(generation)s AND on_board GROUP BY 1, 2
    ), told AS (
        SELECT season_id, shown, sum(change) AS players FROM ratings_boardchange
        WHERE generation = %(generation)s GROUP BY 1, 2
    ), slots AS (
        SELECT season_id, 0 AS level, shown AS slot, players FROM flags
        UNION ALL
        SELECT season_id, 1, floor(shown / {COARSE}.0::float8)::int, players FROM flags
        UNION ALL
        SELECT season_id, 0, shown, -players FROM told
        UNION ALL
        SELECT season_id, 1, floor(shown / {COARSE}.0::float8)::int, -players FROM told
        UNION ALL
        SELECT season_id, level, slot, -players FROM ratings_boardcount
        WHERE generation = %(generation)s
    )
    SELECT count(*) FROM (
        SELECT 1 FROM slots GROUP BY season_id, level, slot HAVING sum(players) <> 0
    ) AS differing
"""  # noqa: S608  (a constant)


def _without_pending(matches: Matches) -> Matches:
    """The matches as the live ratings know them: what was voided or restored since the last
    generation is taken back."""
    pending: dict[int, bool] = {}
    corrections = Correction.objects.filter(generation=None).order_by("id")
    for seq, counted in corrections.values_list("match__seq", "counted"):
        pending.setdefault(seq, not counted)
    for seq, counted in pending.items():
        matches.counted[np.searchsorted(matches.seq, seq)] = counted
    return matches
