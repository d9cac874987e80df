"""The rules engine: start a match, apply a decision to it, and learn what happened."""

from collections.abc import Callable
from typing import Final

from tables.blackjack import events
from tables.blackjack.actions import (
    Action,
    ActionName,
    BadAmount,
    IllegalAction,
    MatchOver,
    NotEnoughChips,
    NotYourTurn,
    Refusal,
    ShoeEmpty,
)
from tables.blackjack.dealing import Dealing, SeedSource
from tables.blackjack.events import Event
from tables.blackjack.hand import (
    BUST,
    DOUBLED,
    SPLIT_ACE,
    STOOD,
    SURRENDERED,
    WAITING,
    Hand,
    HandStatus,
    add,
)
from tables.blackjack.results import MatchOutcome, SeatResult, results
from tables.blackjack.ruleset import HoleCard, Ruleset
from tables.blackjack.settlement import open_hole_card, play_dealer, settle
from tables.blackjack.shoe import NO_SHOE, Sealed, Shoe, no_seed, scripted
from tables.blackjack.state import BETTING, PLAYING, SETTLED, MatchState, Seat
from tables.blackjack.turn import (
    BET,
    BET_STEP,
    BIT,
    DECLINE,
    INSURE,
    JUDGES,
    MIN_BET,
    NOT_ENOUGH_CHIPS,
    Turn,
    legal_bits,
    turn,
)

__all__ = [
    "BIT",
    "BadAmount",
    "IllegalAction",
    "MatchOutcome",
    "MatchOver",
    "MatchState",
    "NotEnoughChips",
    "NotYourTurn",
    "Refusal",
    "SeatResult",
    "SeedSource",
    "ShoeEmpty",
    "Step",
    "Turn",
    "apply",
    "endless",
    "legal_bits",
    "results",
    "start",
    "start_scripted",
    "turn",
]

MAX_SEATS: Final = 6

AMERICAN: Final = HoleCard.AMERICAN


class Step(Sealed, frozen=True, gc=False):
    """What came of a decision (null: the start) in the state `before`, with the `seeds` it drew."""

    state: MatchState
    seeds: tuple[bytes, ...]
    before: MatchState
    action: Action | None

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened, in order.

        They are built on each reading, by taking the same decision again with the same seeds: so
        whoever plays by the million pays nothing for them, at the price of a second run for whoever
        reads them (some microseconds).
        """
        log: list[Event] = []
        _run(Dealing.open(self.before, iter(self.seeds).__next__, log), self.action)
        return tuple(log)

    def __repr__(self) -> str:
        """Name the decision and where it led, without a seed."""
        return f"<Step {self.action} to {self.state}>"


def start(ruleset: Ruleset, seats: int, seeds: SeedSource) -> Step:
    """Begin a match for 1 to 6 seats (`rules.md R1`); draws two seeds, see R3.4."""
    return _started(ruleset, seats, NO_SHOE, seeds)


def start_scripted(ruleset: Ruleset, seats: int, shoe: tuple[str, ...]) -> Step:
    """Begin a match that deals exactly these cards; then ShoeEmpty is raised (`engine-cli.md`)."""
    return _started(ruleset, seats, scripted(shoe), no_seed)


def endless(ruleset: Ruleset, seats: int, seeds: SeedSource) -> Step:
    """Begin a match without an end, for simulations; all else is as in any match.

    Its rounds do not end at `rounds`, and whoever begins a round with fewer than `initial_chips`
    is topped up to them, without re-buy or event.
    """
    return _started(ruleset, seats, NO_SHOE, seeds, endless=True)


def apply(state: MatchState, action: Action, seeds: SeedSource) -> Step:
    """Take one decision; `seeds` is asked only when a shoe is replaced.

    Raises a Refusal, checked in this order: MatchOver, NotYourTurn, IllegalAction, BadAmount,
    NotEnoughChips, ShoeEmpty (only from a scripted shoe). The state given is never changed.
    """
    _check(state, action)
    dealing = Dealing.open(state, seeds, None)
    _DECISIONS[action.action](dealing, action)
    return Step(dealing.close(), dealing.seeds_drawn, state, action)


def _started(
    ruleset: Ruleset, seats: int, shoe: Shoe, seeds: SeedSource, *, endless: bool = False
) -> Step:
    if not 1 <= seats <= MAX_SEATS:
        raise ValueError(f"a match has 1 to {MAX_SEATS} seats, not {seats}")
    blank = MatchState(
        ruleset,
        BETTING,
        round=0,
        seats=(Seat(ruleset.initial_chips),) * seats,
        dealer=(),
        seat=0,
        hand=0,
        shoe=shoe,
        drawn=0,
        drawn_before=0,
        endless=endless,
    )
    dealing = Dealing.open(blank, seeds, None)
    _run(dealing, None)
    return Step(dealing.close(), dealing.seeds_drawn, blank, None)


def _check(state: MatchState, action: Action) -> None:
    """Raise why the decision is refused, by the table that `turn` offers from."""
    phase = state.phase
    if phase is SETTLED:
        raise MatchOver
    number = state.seat
    if action.seat != number:
        raise NotYourTurn(action.seat, number)
    name = action.action
    seat = state.seats[number - 1]
    if phase is PLAYING:
        judge = JUDGES.get(name)
        if judge is None:
            raise IllegalAction(name)
        hand = seat.hands[state.hand]
        code = judge(state.ruleset, seat, hand)
        if code is None:
            return
        if code is NOT_ENOUGH_CHIPS:
            raise NotEnoughChips(hand.bet - seat.chips)
        raise IllegalAction(name, code)
    if phase is BETTING:
        if name is not BET:
            raise IllegalAction(name)
        _check_amount(state.ruleset, seat, action.amount)
    elif name is not INSURE and name is not DECLINE:
        raise IllegalAction(name)


def _check_amount(ruleset: Ruleset, seat: Seat, amount: int | None) -> None:
    """`rules.md R4.1`."""
    if type(amount) is not int or not MIN_BET <= amount <= ruleset.max_bet or amount % BET_STEP:
        raise BadAmount(ruleset.max_bet)
    if amount > seat.chips:
        raise NotEnoughChips(amount - seat.chips)


def _run(dealing: Dealing, action: Action | None) -> None:
    """Take a checked decision; none begins the match."""
    if action is None:
        dealing.start_round()
        return
    _DECISIONS[action.action](dealing, action)


def _bet(dealing: Dealing, action: Action) -> None:
    """`rules.md R4`."""
    amount = action.amount or 0
    number = dealing.seat
    seat = dealing.seats[number - 1]
    chips = seat.chips - amount
    dealing.put_seat(number, Seat(chips, amount, 0, 0, seat.rebuys))
    if dealing.log is not None:
        dealing.log.append(events.BetPlaced(number, amount, chips))
    while number < len(dealing.seats):
        number += 1
        if not dealing.seats[number - 1].out:
            dealing.seat = number
            return
    dealing.deal()
    asked = (
        dealing.ruleset.insurance and dealing.dealer[0][0] == "A" and dealing.ask_insurance(after=0)
    )
    if not asked:
        _peek(dealing)


def _insure(dealing: Dealing, action: Action) -> None:
    """`rules.md R7.1`."""
    number = dealing.seat
    seat = dealing.seats[number - 1]
    stake = seat.bet // 2
    chips = seat.chips - stake
    dealing.put_seat(number, Seat(chips, seat.bet, stake, 0, seat.rebuys, False, seat.hands))
    if dealing.log is not None:
        dealing.log.append(events.Insured(number, stake, chips))
    _after_insurance(dealing)


def _decline(dealing: Dealing, action: Action) -> None:
    if dealing.log is not None:
        dealing.log.append(events.InsuranceDeclined(dealing.seat))
    _after_insurance(dealing)


def _after_insurance(dealing: Dealing) -> None:
    if not dealing.ask_insurance(after=dealing.seat):
        _peek(dealing)


def _peek(dealing: Dealing) -> None:
    """Let the dealer look under an ace or a ten-point card, then begin the turns (R7.2, R7.3)."""
    if dealing.ruleset.hole_card is AMERICAN and dealing.dealer_may_have_blackjack():
        if dealing.log is not None:
            dealing.log.append(events.DealerPeeked())
        if dealing.dealer_has_blackjack():
            open_hole_card(dealing)
            settle(dealing, 21, True)
            return
        dealing.tell_insurance_lost()
    _go_on(dealing, 1, 0)


def _go_on(dealing: Dealing, seat: int, hand: int) -> None:
    """Give the turn to the next open hand from there on, or to the dealer (`rules.md R8.1`, R9)."""
    if not dealing.next_turn(seat, hand):
        play_dealer(dealing)


def _stand(dealing: Dealing, action: Action) -> None:
    """`rules.md R8.2`."""
    _end(dealing, events.Stood, STOOD)


def _surrender(dealing: Dealing, action: Action) -> None:
    """`rules.md R8.6`."""
    _end(dealing, events.Surrendered, SURRENDERED)


def _end(dealing: Dealing, told: Callable[[int, int, int, int], Event], status: HandStatus) -> None:
    """End the hand on turn as it is."""
    number, index = dealing.seat, dealing.hand
    if dealing.log is not None:
        seat = dealing.seats[number - 1]
        dealing.log.append(told(number, index, seat.hands[index].bet, seat.chips))
    dealing.end_hand(number, index, status)
    _go_on(dealing, number, index + 1)


def _hit(dealing: Dealing, action: Action) -> None:
    """`rules.md R8.2`; a 21 ends by itself (R8.1)."""
    number, index = dealing.seat, dealing.hand
    seat = dealing.seats[number - 1]
    hand = seat.hands[index]
    if dealing.log is not None:
        dealing.log.append(events.Hit(number, index, hand.bet, seat.chips))
    card = dealing.draw()
    total, soft = add(hand.total, hand.soft, card)
    status = _status_at(total)
    dealing.put_hand(
        seat.chips,
        Hand((*hand.cards, card), hand.bet, total, soft, status, hand.from_split),
    )
    dealing.tell_card(index, card)
    if status is not WAITING:
        dealing.tell_ended(index, status)
        _go_on(dealing, number, index + 1)


def _double(dealing: Dealing, action: Action) -> None:
    """`rules.md R8.3`."""
    number, index = dealing.seat, dealing.hand
    seat = dealing.seats[number - 1]
    hand = seat.hands[index]
    bet, chips = 2 * hand.bet, seat.chips - hand.bet
    if dealing.log is not None:
        dealing.log.append(events.Doubled(number, index, bet, chips))
    card = dealing.draw()
    total, soft = add(hand.total, hand.soft, card)
    status = BUST if total > 21 else DOUBLED
    dealing.put_hand(chips, Hand((*hand.cards, card), bet, total, soft, status, hand.from_split))
    dealing.tell_card(index, card)
    dealing.tell_ended(index, status)
    _go_on(dealing, number, index + 1)


def _split(dealing: Dealing, action: Action) -> None:
    """`rules.md R8.4`, R8.5."""
    number, index = dealing.seat, dealing.hand
    seat = dealing.seats[number - 1]
    hand = seat.hands[index]
    chips = seat.chips - hand.bet
    if dealing.log is not None:
        dealing.log.append(events.Split(number, index, hand.bet, chips))
    again = dealing.ruleset.resplit_aces
    left = _split_hand(hand.cards[0], hand.bet, dealing.draw(), again)
    dealing.tell_card(index, left.cards[1])
    right = _split_hand(hand.cards[1], hand.bet, dealing.draw(), again)
    dealing.tell_card(index + 1, right.cards[1])
    hands = (*seat.hands[:index], left, right, *seat.hands[index + 1 :])
    dealing.put_seat(number, Seat(chips, seat.bet, seat.insurance, 0, seat.rebuys, False, hands))
    dealing.tell_ended(index, left.status)
    dealing.tell_ended(index + 1, right.status)
    _go_on(dealing, number, index)


def _split_hand(first: str, bet: int, second: str, resplit_aces: bool) -> Hand:
    """Give a hand that comes from a split, with the card it gets at once."""
    total, soft = add(*add(0, False, first), second)
    if first[0] != "A":
        status = _status_at(total)
    elif resplit_aces and second[0] == "A":
        status = WAITING
    else:
        status = SPLIT_ACE
    return Hand((first, second), bet, total, soft, status, True)


def _status_at(total: int) -> HandStatus:
    """What a hand is at this total when nobody stands (`rules.md R6.3`, R8.1)."""
    if total < 21:
        return WAITING
    return STOOD if total == 21 else BUST


# A table where `match` would read: it is looked up once, where the eight cases of a `match` each
# read a member off the enum, at a tenth of a played round. A test proves that none is missing.
_DECISIONS: Final[dict[ActionName, Callable[[Dealing, Action], None]]] = {
    ActionName.BET: _bet,
    ActionName.INSURE: _insure,
    ActionName.DECLINE: _decline,
    ActionName.HIT: _hit,
    ActionName.STAND: _stand,
    ActionName.DOUBLE: _double,
    ActionName.SPLIT: _split,
    ActionName.SURRENDER: _surrender,
}
