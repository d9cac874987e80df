"""A player's figures over all the matches that count, in a constant number of queries."""

from __future__ import annotations

from uuid import UUID

from django.db.models import F, QuerySet, Sum
from msgspec import Struct

from accounts.selectors import player_of
from tables.models import MatchKind, MatchStatus, Outcome, SeatStatistics
from tables.selectors.history import Results, results_of


class ByResult(Struct, frozen=True):
    """Matches by how they ended for the player."""

    win: int
    draw: int
    lose: int


class Matches(Struct, frozen=True):
    """Matches by kind and result."""

    ranked: ByResult
    party: ByResult
    solo: ByResult


class Hands(Struct, frozen=True):
    """Hands by outcome."""

    blackjack: int
    win: int
    push: int
    lose: int
    bust: int
    surrender: int


class BestMatch(Struct, frozen=True):
    """The match in which the player won most chips, less what they placed."""

    id: UUID
    chips_won: int


class Statistics(Struct, frozen=True):
    """Everything of api.md's statistics but the rating, which is no figure of tables."""

    matches: Matches
    rounds: int
    hands: Hands
    blackjacks: int
    busts: int
    doubles: int
    splits: int
    surrenders: int
    insurance_taken: int
    insurance_won: int
    chips_placed: int
    chips_won: int
    chips_won_per_100_placed: float | None
    best_match: BestMatch | None


_SUMMED = (
    "rounds",
    "blackjacks",
    "wins",
    "pushes",
    "losses",
    "busts",
    "surrenders",
    "doubles",
    "splits",
    "insurance_taken",
    "insurance_won",
    "chips_placed",
    "chips_returned",
)


def statistics_of(player_id: UUID) -> Statistics:
    """Add up a player's finished matches; void ones do not count. Raises PlayerNotFound.

    `chips_won_per_100_placed` has two places, and is None before the first bet.
    """
    player_of(player_id=player_id)
    counted = SeatStatistics.objects.filter(
        player_id=player_id, seat__match__status=MatchStatus.FINISHED
    )
    sums = {
        name: total or 0
        for name, total in counted.aggregate(**{name: Sum(name) for name in _SUMMED}).items()
    }
    placed = sums["chips_placed"]
    won = sums["chips_returned"] - placed
    return Statistics(
        matches=_matches(results_of(player_id)),
        rounds=sums["rounds"],
        hands=Hands(
            blackjack=sums["blackjacks"],
            win=sums["wins"],
            push=sums["pushes"],
            lose=sums["losses"],
            bust=sums["busts"],
            surrender=sums["surrenders"],
        ),
        blackjacks=sums["blackjacks"],
        busts=sums["busts"],
        doubles=sums["doubles"],
        splits=sums["splits"],
        surrenders=sums["surrenders"],
        insurance_taken=sums["insurance_taken"],
        insurance_won=sums["insurance_won"],
        chips_placed=placed,
        chips_won=won,
        chips_won_per_100_placed=round(100 * won / placed, 2) if placed else None,
        best_match=_best(counted),
    )


def _matches(results: Results) -> Matches:
    def of(kind: MatchKind) -> ByResult:
        by = results[kind]
        return ByResult(win=by[Outcome.WIN], draw=by[Outcome.DRAW], lose=by[Outcome.LOSE])

    return Matches(of(MatchKind.RANKED), of(MatchKind.PARTY), of(MatchKind.SOLO))


def _best(counted: QuerySet[SeatStatistics]) -> BestMatch | None:
    best = (
        counted.annotate(won=F("chips_returned") - F("chips_placed"))
        .order_by("-won", "seat__started_at", "seat_id")
        .values_list("seat__match_id", "won")
        .first()
    )
    return None if best is None else BestMatch(*best)
