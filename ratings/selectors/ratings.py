"""What there is to read about players' ratings and rated matches."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection

from ratings import elo


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingNow:
    """A player's rating in the running season, in thousandths. `last_at` is their last rated match
    of the season, None without any; `peak` the highest since the season began."""

    rating: int
    matches: int
    provisional: bool
    peak: int
    on_board: bool
    last_at: datetime | None

    @property
    def exact(self) -> str:
        """In points with three places."""
        return elo.exact(self.rating)

    @property
    def shown(self) -> int:
        """In whole points."""
        return elo.shown(self.rating)


_NOW: Final = """
    SELECT DISTINCT ON (rating.player_id) rating.player_id, season.number - rating.season_id,
        rating.rating, rating.matches, rating.peak, rating.on_board, rating.last_at,
        season.provisional_matches
    FROM ratings_season AS season JOIN ratings_rating AS rating
        ON rating.generation = (SELECT generation FROM ratings_ratinghead)
        AND rating.season_id <= season.number
    WHERE season.status = 'running' AND rating.player_id = ANY(%s)
    ORDER BY rating.player_id, rating.season_id DESC
"""
_NEWCOMER: Final = RatingNow(
    rating=elo.START, matches=0, provisional=True, peak=elo.START, on_board=False, last_at=None
)


def ratings_of(player_ids: Sequence[UUID]) -> dict[UUID, RatingNow]:
    """The present ratings of these players; who has never played has 1500 (RT2.1)."""
    found = dict.fromkeys(player_ids, _NEWCOMER)
    with connection.cursor() as cursor:
        cursor.execute(_NOW, [list(player_ids)])
        for player, ago, rating, matches, peak, on_board, last_at, settled in cursor:
            if ago:
                moved = elo.carried(rating, ago)
                found[player] = RatingNow(
                    rating=moved,
                    matches=0,
                    provisional=settled > 0,
                    peak=moved,
                    on_board=False,
                    last_at=None,
                )
            else:
                found[player] = RatingNow(
                    rating=rating,
                    matches=matches,
                    provisional=matches < settled,
                    peak=peak,
                    on_board=on_board,
                    last_at=last_at,
                )
    return found


def rating_of(player_id: UUID) -> RatingNow:
    """One player's present rating."""
    return ratings_of([player_id])[player_id]


def peak_of(player_id: UUID) -> int:
    """The highest rating that a player ever had in any season, in thousandths."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT max(peak) FROM ratings_rating WHERE player_id = %s"
            " AND generation = (SELECT generation FROM ratings_ratinghead)",
            [player_id],
        )
        (peak,) = cursor.fetchone()
        return elo.START if peak is None else int(peak)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRatings:
    """What a rated match did by the numbers in force, by seat, in thousandths."""

    match_id: UUID
    seq: int
    season: int
    finished_at: datetime
    players: tuple[UUID, ...]
    places: tuple[int, ...]
    parties: tuple[int, ...]
    before: tuple[int, ...]
    transfers: tuple[int, ...]

    @property
    def after(self) -> tuple[int, ...]:
        """Ratings after the match."""
        return tuple(
            rating + change for rating, change in zip(self.before, self.changes, strict=True)
        )

    @property
    def changes(self) -> tuple[int, ...]:
        """How much each player's rating changed."""
        return elo.changes(len(self.players), self.transfers)

    @property
    def pairs(self) -> tuple["Pair", ...]:
        """Why: the pairs in order of seats."""
        count = len(self.players)
        indexes = [(i, j) for i in range(count) for j in range(i + 1, count)]
        return tuple(
            Pair(
                players=(self.players[i], self.players[j]),
                ratings=(self.before[i], self.before[j]),
                score=elo.score(self.places[i], self.places[j]),
                expectation=elo.expectation(self.before[i], self.before[j]),
                points=points,
                same_party=self.parties[i] != 0 and self.parties[i] == self.parties[j],
            )
            for (i, j), points in zip(indexes, self.transfers, strict=True)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One pair of a rated match, seen from the first (the lower seat): ratings before the match
    and points won in thousandths. Members of one party are no opponents (RT2.5)."""

    players: tuple[UUID, UUID]
    ratings: tuple[int, int]
    score: float
    expectation: float
    points: int
    same_party: bool


_BY_MATCH: Final = """
    SELECT DISTINCT ON (rated.seq) rated.match_id, rated.seq, rated.season_id,
        rated.finished_at, rated.players, rated.places, rated.parties, moved.before,
        moved.transfers
    FROM ratings_ratedmatch AS rated JOIN ratings_matchtransfers AS moved
        ON moved.seq = rated.seq
        AND moved.generation <= (SELECT generation FROM ratings_ratinghead)
    WHERE rated.match_id = ANY(%s)
    ORDER BY rated.seq DESC, moved.generation DESC
"""
_BY_PLAYER: Final = """
    SELECT DISTINCT ON (rated.seq) rated.match_id, rated.seq, rated.season_id,
        rated.finished_at, rated.players, rated.places, rated.parties, moved.before,
        moved.transfers
    FROM (
        SELECT * FROM ratings_ratedmatch
        WHERE players @> ARRAY[%s::uuid] AND seq < %s
        ORDER BY seq DESC LIMIT %s
    ) AS rated JOIN ratings_matchtransfers AS moved
        ON moved.seq = rated.seq
        AND moved.generation <= (SELECT generation FROM ratings_ratinghead)
    ORDER BY rated.seq DESC, moved.generation DESC
"""
_BY_PLAYER_UPWARDS: Final = _BY_PLAYER.replace("seq < %s", "seq > %s").replace(
    "ORDER BY seq DESC LIMIT", "ORDER BY seq LIMIT"
)
_END: Final = 2**63 - 1


def match_ratings(match_ids: Sequence[UUID]) -> dict[UUID, MatchRatings]:
    """What these matches did to ratings, by the numbers in force; those that are not rated, or
    do not count, are missing."""
    rows = _read(_BY_MATCH, [list(match_ids)])
    return {row.match_id: row for row in rows if row.before}


def matches_of(
    player_id: UUID, *, before_seq: int | None = None, most: int = 100
) -> list[MatchRatings]:
    """A player's rated matches that count, newest first, those before an entry of the rating
    sequence if one is given."""
    found: list[MatchRatings] = []
    edge = _END if before_seq is None else before_seq
    while len(found) < most:
        rows = _read(_BY_PLAYER, [player_id, edge, most])
        found += [row for row in rows if row.before]
        if len(rows) < most:
            break
        edge = rows[-1].seq
    return found[:most]


def matches_since(player_id: UUID, *, after_seq: int, most: int) -> list[MatchRatings]:
    """A player's rated matches that count, newest first: the first few after an entry of the
    rating sequence."""
    found: list[MatchRatings] = []
    while len(found) < most:
        rows = _read(_BY_PLAYER_UPWARDS, [player_id, after_seq, most])[::-1]
        found += [row for row in rows if row.before]
        if len(rows) < most:
            break
        after_seq = rows[-1].seq
    return found[:most][::-1]


def _read(query: str, values: Sequence[Any]) -> list[MatchRatings]:
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return [
            MatchRatings(
                match_id=match_id,
                seq=seq,
                season=season,
                finished_at=finished_at,
                players=tuple(players),
                places=tuple(places),
                parties=tuple(parties),
                before=tuple(before),
                transfers=tuple(transfers),
            )
            for (
                match_id,
                seq,
                season,
                finished_at,
                players,
                places,
                parties,
                before,
                transfers,
            ) in cursor
        ]
