"""Rates a match that ends, inside the transaction that finishes it (ratings.md RT2.6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import OperationalError, connection

from ratings import elo
from ratings.board import stands_on_board
from ratings.elo import Pace, Standing
from ratings.locks import busy, share_ratings
from ratings.models import BoardChange, MatchTransfers, RatedMatch, RatingHead, Season
from ratings.services.seasons import next_seq, running_season


class NotRateable(Exception):
    """A rated match has at least two players, each once (RT1.1)."""

    code = "not_rateable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """A player of a match that ends: place by the match's result (1 is best), the party they came
    with, and whether they took any decision of their own."""

    player_id: UUID
    seat: int
    place: int
    party_id: UUID | None
    decided: bool


@dataclass(frozen=True, slots=True)
class RatedResult:
    """What rating a match did, in thousandths: ratings before and after in order of seats, and the
    transfers of its pairs (`elo.transfers`)."""

    seq: int
    before: tuple[int, ...]
    after: tuple[int, ...]
    transfers: tuple[int, ...]


@dataclass(slots=True)
class _Row:
    """A player's locked rating row."""

    rating: int
    matches: int
    peak: int
    last_at: datetime
    shown: int
    on_board: bool
    barred: bool


def rate_match(
    *, match_id: UUID, finished_at: datetime, entrants: Sequence[Entrant], now: datetime
) -> RatedResult:
    """Rate a finished ranked match, once. Call it in the transaction that finishes the match, with
    `share_ratings` taken before the match's row (RT2.6). Raises `NotRateable`, and `RatingsBusy`
    when locks were not to be had in time: the transaction is void then."""
    entrants = sorted(entrants, key=lambda entrant: entrant.seat)
    players = [entrant.player_id for entrant in entrants]
    if len(players) < 2 or len(set(players)) < len(players):
        raise NotRateable
    share_ratings()
    season = running_season(now=now)
    generation = RatingHead.objects.get_or_create(id=1)[0].generation
    try:
        rows = _lock_rows(generation, season, players, finished_at)
    except OperationalError as error:
        raise busy(error) from error
    seq = next_seq()
    places = elo.rated_places(
        [entrant.place for entrant in entrants], [entrant.decided for entrant in entrants]
    )
    parties = _parties(entrants)
    before = tuple(rows[player].rating for player in players)
    moved = elo.transfers(
        [
            Standing(rows[player].rating, rows[player].matches, place, party)
            for player, place, party in zip(players, places, parties, strict=True)
        ],
        pace_of(season),
    )
    changes = elo.changes(len(players), moved)
    RatedMatch.objects.bulk_create(
        [
            RatedMatch(
                match_id=match_id,
                seq=seq,
                season_id=season.number,
                finished_at=finished_at,
                players=players,
                places=list(places),
                parties=list(parties),
            )
        ]
    )
    MatchTransfers.objects.bulk_create(
        [MatchTransfers(seq=seq, generation=generation, before=list(before), transfers=list(moved))]
    )
    barred = _barred(players, now)
    board: list[BoardChange] = []
    for player, change in zip(players, changes, strict=True):
        row = rows[player]
        was = (row.on_board, row.shown)
        row.rating += change
        row.matches += 1
        row.peak = max(row.peak, row.rating)
        row.last_at = finished_at
        row.shown = elo.shown(row.rating)
        row.barred = player in barred
        row.on_board = stands_on_board(
            matches=row.matches,
            needed=season.provisional_matches,
            last_at=finished_at,
            barred=row.barred,
            now=now,
        )
        board += moved_on_board(generation, season.number, was, (row.on_board, row.shown))
    _store(generation, season, rows)
    BoardChange.objects.bulk_create(board)
    after = tuple(rating + change for rating, change in zip(before, changes, strict=True))
    return RatedResult(seq, before, after, moved)


def pace_of(season: Season) -> Pace:
    """The season's numbers for the arithmetic."""
    return Pace(season.k, season.provisional_k, season.provisional_matches)


def moved_on_board(
    generation: int, season: int, was: tuple[bool, int], now: tuple[bool, int]
) -> list[BoardChange]:
    """What to append to the board's counts for a player who was and now is (listed, shown)."""
    if was == now or not (was[0] or now[0]):
        return []
    return [
        BoardChange(generation=generation, season_id=season, shown=shown, change=change)
        for (listed, shown), change in ((was, -1), (now, 1))
        if listed
    ]


def _parties(entrants: Sequence[Entrant]) -> tuple[int, ...]:
    """Parties numbered within the match, 0 for who came alone."""
    numbers: dict[UUID, int] = {}
    return tuple(
        0 if entrant.party_id is None else numbers.setdefault(entrant.party_id, len(numbers) + 1)
        for entrant in entrants
    )


_HAVE = """
    SELECT DISTINCT ON (player_id) player_id, season_id, rating FROM ratings_rating
    WHERE generation = %s AND player_id = ANY(%s)
    ORDER BY player_id, season_id DESC
"""
_LOCK = """
    SELECT player_id, rating, matches, peak, last_at, shown, on_board, barred
    FROM ratings_rating
    WHERE generation = %s AND season_id = %s AND player_id = ANY(%s)
    ORDER BY player_id FOR NO KEY UPDATE
"""
# Locks the rows that others made meanwhile, like those it makes, in order of players.
_MAKE = """
    INSERT INTO ratings_rating AS present
        (generation, season_id, player_id, rating, matches, peak, last_at, shown,
         on_board, barred)
    SELECT %s, %s, fresh.player, fresh.rating, 0, fresh.rating, %s, fresh.shown, false, false
    FROM unnest(%s::uuid[], %s::int[], %s::int[]) AS fresh (player, rating, shown)
    ORDER BY fresh.player
    ON CONFLICT (generation, player_id, season_id) DO UPDATE SET matches = present.matches
"""
_STORE = """
    UPDATE ratings_rating AS present
    SET rating = new.rating, matches = new.matches, peak = new.peak, last_at = new.last_at,
        shown = new.shown, on_board = new.on_board, barred = new.barred
    FROM unnest(%s::uuid[], %s::int[], %s::int[], %s::int[], %s::timestamptz[], %s::int[],
                %s::bool[], %s::bool[])
        AS new (player, rating, matches, peak, last_at, shown, on_board, barred)
    WHERE present.generation = %s AND present.season_id = %s AND present.player_id = new.player
"""


def _lock_rows(
    generation: int, season: Season, players: list[UUID], finished_at: datetime
) -> dict[UUID, _Row]:
    """The players' rows of the season, locked in id order, made where they are missing."""
    with connection.cursor() as cursor:
        cursor.execute(_HAVE, [generation, players])
        have = {player: (number, rating) for player, number, rating in cursor}
        if any(have.get(player, (0, 0))[0] != season.number for player in players):
            ordered = sorted(players)
            ratings = []
            for player in ordered:
                number, rating = have.get(player, (season.number, elo.START))
                ratings.append(elo.carried(rating, season.number - number))
            shown = [elo.shown(rating) for rating in ratings]
            cursor.execute(_MAKE, [generation, season.number, finished_at, ordered, ratings, shown])
        cursor.execute(_LOCK, [generation, season.number, players])
        return {player: _Row(*values) for player, *values in cursor}


def _store(generation: int, season: Season, rows: dict[UUID, _Row]) -> None:
    values = list(rows.values())
    with connection.cursor() as cursor:
        cursor.execute(
            _STORE,
            [
                list(rows),
                [row.rating for row in values],
                [row.matches for row in values],
                [row.peak for row in values],
                [row.last_at for row in values],
                [row.shown for row in values],
                [row.on_board for row in values],
                [row.barred for row in values],
                generation,
                season.number,
            ],
        )


def _barred(players: Sequence[UUID], now: datetime) -> set[UUID]:
    """Which of these players are banned or deleted."""
    with connection.cursor() as cursor:
        cursor.execute(_BARRED, [list(players), now])
        return {player for (player,) in cursor}


_BARRED = """
    SELECT id FROM accounts_player
    WHERE id = ANY(%s) AND (deleted_at IS NOT NULL
        OR (banned_at IS NOT NULL AND (banned_until IS NULL OR banned_until > %s)))
"""
