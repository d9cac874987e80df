"""The result of a match: who has the most chips."""

from enum import StrEnum

import msgspec

from tables.blackjack.state import MatchState, Seat


class MatchOutcome(StrEnum):
    """What a match was for one seat (`rules.md R1.4`, R1.5)."""

    WIN = "win"
    DRAW = "draw"
    LOSE = "lose"


class SeatResult(msgspec.Struct, frozen=True):
    """A seat's place (1 is best, equals share it), outcome and chips at the end."""

    seat: int
    place: int
    outcome: MatchOutcome
    chips: int


def results(state: MatchState) -> tuple[SeatResult, ...]:
    """Rank the seats of a finished match (`rules.md R1.4`, alone R1.5); before that, give nothing.

    What counts is the chips less those that came by re-buys.
    """
    if not state.finished:
        return ()
    initial = state.ruleset.initial_chips
    counted = [seat.chips - seat.rebuys * initial for seat in state.seats]
    if len(counted) == 1:
        return (SeatResult(1, 1, _against(initial, counted[0]), state.seats[0].chips),)
    return tuple(_ranked(number, seat, counted) for number, seat in enumerate(state.seats, start=1))


def _against(initial: int, chips: int) -> MatchOutcome:
    if chips > initial:
        return MatchOutcome.WIN
    return MatchOutcome.DRAW if chips == initial else MatchOutcome.LOSE


def _ranked(number: int, seat: Seat, counted: list[int]) -> SeatResult:
    own = counted[number - 1]
    place = 1 + sum(other > own for other in counted)
    if place > 1:
        outcome = MatchOutcome.LOSE
    elif counted.count(own) > 1:
        outcome = MatchOutcome.DRAW
    else:
        outcome = MatchOutcome.WIN
    return SeatResult(number, place, outcome, seat.chips)
