"""What a replay of all rated matches reads, and the rating rows that follow from it."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from ratings.board import ACTIVE_FOR
from ratings.copying import Ints, Matches, player_bytes, read_matches
from ratings.elo import Pace
from ratings.history import Replay, Standings
from ratings.models import RatingHead, Season, SeasonStatus

_EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)

Progress = Callable[[str], None]
"""Is told, now and then, how far a long run has come."""


def silent(_: str) -> None:
    """Tell nobody."""


_RATED: Final = """
    COPY (
        SELECT seq, season_id, finished_at, counted, players, places, parties
        FROM ratings_ratedmatch WHERE seq > %s
    ) TO STDOUT (FORMAT binary)
"""


def generation_in_force() -> int:
    head = RatingHead.objects.filter(id=1).first()
    return RatingHead().generation if head is None else head.generation


def paces(k: int | None = None, provisional_k: int | None = None) -> dict[int, Pace]:
    """The numbers of the seasons that began, or others in place of their K's."""
    seasons = Season.objects.exclude(status=SeasonStatus.PLANNED).order_by("number")
    return {
        season.number: Pace(
            season.k if k is None else k,
            season.provisional_k if provisional_k is None else provisional_k,
            season.provisional_matches,
        )
        for season in seasons
    }


def read_rated(*, after: int) -> Matches:
    """All rated matches of one moment after an entry of the rating sequence."""
    with (
        connection.cursor() as cursor,
        cursor.copy(_RATED, [after]) as copy,
    ):
        return read_matches(copy)


def to_present_season(replay: Replay) -> None:
    while replay.season < max(replay.paces, default=1):
        replay.change_season()


def count_players(replay: Replay) -> int:
    """How many players have a rating of their own."""
    found = [rows.players for rows in _seasons(replay).values()]
    return len(np.unique(np.concatenate(found)))


def _seasons(replay: Replay) -> dict[int, Standings]:
    return replay.closed | {replay.season: replay.standings()}


def rating_columns(
    replay: Replay, *, from_season: int = 0, players: Ints | None = None
) -> dict[str, NDArray[Any]]:
    """The rating rows that follow from a replay, as columns; of all players or some."""
    parts: list[tuple[NDArray[Any], ...]] = []
    for number, rows in _seasons(replay).items():
        if number < from_season:
            continue
        wanted = (
            np.ones(len(rows.players), np.bool_)
            if players is None
            else np.isin(rows.players, players)
        )
        chosen = rows.players[wanted]
        parts.append(
            (
                np.full(len(chosen), number, np.int64),
                player_bytes(replay.high[chosen], replay.low[chosen]),
                rows.rating[wanted],
                rows.matches[wanted],
                rows.peak[wanted],
                rows.last[wanted],
            )
        )
    names = ("season", "player", "rating", "matches", "peak", "last_at")
    return dict(zip(names, map(np.concatenate, zip(*parts, strict=True)), strict=True))


def active_enough(
    columns: dict[str, NDArray[Any]], now: datetime, *, late: timedelta = timedelta(0)
) -> NDArray[np.bool_]:
    """Which of these rating rows are of who played enough, and lately: by now, or in a finished
    season by its end (RT4.2); or as it was so much earlier."""
    stands = np.zeros(len(columns["season"]), np.bool_)
    for season in Season.objects.exclude(status=SeasonStatus.PLANNED):
        finished = season.status == SeasonStatus.FINISHED and season.ends_at is not None
        moment = season.ends_at if finished and season.ends_at is not None else now
        active = (moment - late - ACTIVE_FOR - _EPOCH) // timedelta(microseconds=1)
        stands |= (
            (columns["season"] == season.number)
            & (columns["matches"] >= season.provisional_matches)
            & (columns["last_at"] > active)
        )
    return stands
