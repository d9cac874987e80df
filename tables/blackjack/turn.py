"""Whose turn it is and what is allowed: the one table behind offers, refusals and acceptance."""

from collections.abc import Callable
from typing import Final

import msgspec

from tables.blackjack.actions import ActionName, RefusedCode
from tables.blackjack.cards import VALUES
from tables.blackjack.hand import Hand
from tables.blackjack.ruleset import Ruleset, SplitBy, Surrender
from tables.blackjack.state import BETTING, INSURANCE, PLAYING, SETTLED, MatchState, Phase, Seat

MIN_BET: Final = 10
BET_STEP: Final = 10


# Quick names; see hand.py.
BET, INSURE, DECLINE, HIT, STAND, DOUBLE, SPLIT, SURRENDER = ActionName
(
    NOT_FIRST_TWO,
    NOT_ALIKE,
    MAX_HANDS,
    AFTER_SPLIT,
    SPLIT_ACES,
    NOT_ENOUGH_CHIPS,
    NOT_IN_THESE_RULES,
) = RefusedCode
BY_VALUE: Final = SplitBy.VALUE
NO_SURRENDER: Final = Surrender.NONE


class LegalAction(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """An action that would be accepted; of a bet with its bounds in chips."""

    action: ActionName
    min: int | None = None
    max: int | None = None
    step: int | None = None


class RefusedAction(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """An action on a hand that is refused now, why, and by how many chips if only those lack."""

    action: ActionName
    code: RefusedCode
    short: int | None = None


class Turn(msgspec.Struct, frozen=True, gc=False):
    """The decision that the table waits for; `hand` counts from 0, null outside `playing`."""

    seat: int
    phase: Phase
    hand: int | None
    legal: tuple[LegalAction, ...]
    refused: tuple[RefusedAction, ...]


def _judge_hit(ruleset: Ruleset, seat: Seat, hand: Hand) -> RefusedCode | None:
    """`rules.md R8.2`, R8.5."""
    return SPLIT_ACES if hand.from_split and hand.of_split_aces else None


def _judge_stand(ruleset: Ruleset, seat: Seat, hand: Hand) -> RefusedCode | None:
    """`rules.md R8.2`."""
    return None


def _judge_double(ruleset: Ruleset, seat: Seat, hand: Hand) -> RefusedCode | None:
    """`rules.md R8.3`."""
    if len(hand.cards) != 2:
        return NOT_FIRST_TWO
    if hand.from_split:
        if hand.of_split_aces:
            return SPLIT_ACES
        if not ruleset.double_after_split:
            return AFTER_SPLIT
    return NOT_ENOUGH_CHIPS if seat.chips < hand.bet else None


def judge_split(ruleset: Ruleset, seat: Seat, hand: Hand) -> RefusedCode | None:
    """Say why the hand may not be split (`rules.md R8.4`, R8.5), or null if it may."""
    cards = hand.cards
    if len(cards) != 2:
        return NOT_FIRST_TWO
    first, second = cards
    if first[0] != second[0] and not (
        ruleset.split_by is BY_VALUE and VALUES[first] == VALUES[second]
    ):
        return NOT_ALIKE
    if hand.from_split and hand.of_split_aces and not ruleset.resplit_aces:
        return SPLIT_ACES
    if len(seat.hands) >= ruleset.max_hands:
        return MAX_HANDS
    return NOT_ENOUGH_CHIPS if seat.chips < hand.bet else None


def _judge_surrender(ruleset: Ruleset, seat: Seat, hand: Hand) -> RefusedCode | None:
    """`rules.md R8.6`."""
    if ruleset.surrender is NO_SURRENDER:
        return NOT_IN_THESE_RULES
    if len(hand.cards) != 2:
        return NOT_FIRST_TWO
    return AFTER_SPLIT if hand.from_split else None


JUDGES: Final[dict[ActionName, Callable[[Ruleset, Seat, Hand], RefusedCode | None]]] = {
    HIT: _judge_hit,
    STAND: _judge_stand,
    DOUBLE: _judge_double,
    SPLIT: judge_split,
    SURRENDER: _judge_surrender,
}
"""For every decision on a hand the function that says why it is refused, or null."""

BIT: Final[dict[ActionName, int]] = {name: 1 << place for place, name in enumerate(ActionName)}
"""The bit of each action in `legal_bits`."""

_BET_BITS: Final = BIT[BET]
_INSURANCE_BITS: Final = BIT[INSURE] | BIT[DECLINE]
_JUDGED_BITS: Final = tuple((BIT[name], judge) for name, judge in JUDGES.items())


def highest_bet(ruleset: Ruleset, seat: Seat) -> int:
    """The greatest bet that the seat may make (`rules.md R4.1`), in chips."""
    most = min(ruleset.max_bet, seat.chips)
    return most - most % BET_STEP


def legal_bits(state: MatchState) -> int:
    """What `turn` lists as legal, as the sum of the actions' bits; 0 once the match is over.

    For programs that play by the million; it costs the reader a bit mask instead of names.
    """
    phase = state.phase
    if phase is PLAYING:
        seat = state.seats[state.seat - 1]
        hand = seat.hands[state.hand]
        ruleset = state.ruleset
        bits = 0
        for bit, judge in _JUDGED_BITS:
            if judge(ruleset, seat, hand) is None:
                bits |= bit
        return bits
    if phase is BETTING:
        return _BET_BITS
    return _INSURANCE_BITS if phase is INSURANCE else 0


def turn(state: MatchState) -> Turn | None:
    """Tell whose decision is next and what would be accepted or refused; null when it is over.

    `legal` is in the order of ActionName and is exactly what `engine.apply` accepts. An action for
    which only chips are lacking is under `refused` with `not_enough_chips`.
    """
    phase = state.phase
    if phase is SETTLED:
        return None
    seat = state.seats[state.seat - 1]
    if phase is BETTING:
        most = highest_bet(state.ruleset, seat)
        bet = LegalAction(BET, MIN_BET, most, BET_STEP)
        return Turn(state.seat, phase, None, (bet,), ())
    if phase is INSURANCE:
        answers = (LegalAction(INSURE), LegalAction(DECLINE))
        return Turn(state.seat, phase, None, answers, ())
    hand = seat.hands[state.hand]
    legal: list[LegalAction] = []
    refused: list[RefusedAction] = []
    for name, judge in JUDGES.items():
        code = judge(state.ruleset, seat, hand)
        if code is None:
            legal.append(LegalAction(name))
        elif code is NOT_ENOUGH_CHIPS:
            refused.append(RefusedAction(name, code, hand.bet - seat.chips))
        else:
            refused.append(RefusedAction(name, code))
    return Turn(state.seat, phase, state.hand, tuple(legal), tuple(refused))
