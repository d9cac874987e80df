"""A match in motion: cards come from the shoe, the turn passes on, hands end."""

from collections.abc import Callable
from typing import Any, Final, Self, TypeVar

import msgspec
from msgspec.structs import replace

from tables.blackjack import events
from tables.blackjack.actions import ShoeEmpty
from tables.blackjack.cards import VALUES
from tables.blackjack.events import Event
from tables.blackjack.hand import (
    BLACKJACK,
    SPLIT_ACE,
    WAITING,
    Hand,
    HandStatus,
    count_two,
    is_natural,
)
from tables.blackjack.ruleset import HoleCard, Ruleset
from tables.blackjack.shoe import Shoe, cleared, fresh, refilled, too_few
from tables.blackjack.shuffle import commitment
from tables.blackjack.state import (
    BETTING,
    INSURANCE,
    PLAYING,
    SETTLED,
    MatchState,
    Phase,
    Seat,
    SettledRound,
)
from tables.blackjack.turn import MIN_BET, judge_split

SeedSource = Callable[[], bytes]
"""Gives a fresh 32-byte seed on each call."""

AMERICAN: Final = HoleCard.AMERICAN
T = TypeVar("T")


class Dealing(msgspec.Struct, gc=False, eq=False):
    """A match opened from a state, changed by one decision, and frozen again by `close`.

    Its members are those of MatchState, then what it needs by itself. Seats and hands are replaced,
    never changed. With a `log` every event is told to it; without one none is built: an `if` at
    each place, for a third of the time.
    """

    ruleset: Ruleset
    phase: Phase
    round: int
    seats: tuple[Seat, ...]
    dealer: tuple[str, ...]
    seat: int
    hand: int
    shoe: Shoe
    drawn: int
    drawn_before: int
    last_round: SettledRound | None
    endless: bool
    seeds: SeedSource
    log: list[Event] | None
    seeds_drawn: tuple[bytes, ...] = ()

    @classmethod
    def open(cls, state: MatchState, seeds: SeedSource, log: list[Event] | None) -> Self:
        """Open a match; a Struct filled by position is made in half the time of an `__init__`."""
        return cls(
            state.ruleset,
            state.phase,
            state.round,
            state.seats,
            state.dealer,
            state.seat,
            state.hand,
            state.shoe,
            state.drawn,
            state.drawn_before,
            state.last_round,
            state.endless,
            seeds,
            log,
        )

    def __repr__(self) -> str:
        """Say nothing of cards and seeds."""
        return f"<Dealing of round {self.round}>"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Give a pretty-printer nothing to show."""
        return []

    def close(self) -> MatchState:
        """Freeze what has come of it."""
        return MatchState(
            self.ruleset,
            self.phase,
            self.round,
            self.seats,
            self.dealer,
            self.seat,
            self.hand,
            self.shoe,
            self.drawn,
            self.drawn_before,
            self.last_round,
            self.endless,
        )

    # Seeds and shoes (R3)

    def new_seed(self) -> str:
        """Draw a seed and remember it, so that the same step can be played again for its events."""
        seed = self.seeds()
        self.seeds_drawn += (seed,)
        return seed.hex()

    def put_in(self, shoe: Shoe) -> None:
        """Take a new shoe into use (`rules.md R3.4`)."""
        self.shoe = shoe
        self.drawn = 0
        self.drawn_before = 0
        if self.log is not None:
            present, following = bytes.fromhex(shoe.seed), bytes.fromhex(shoe.next_seed)
            started = events.ShoeStarted(
                shoe.number, commitment(present), commitment(following), shoe.size
            )
            self.log.append(started)

    def draw(self) -> str:
        """Take the next card; a shoe that has none left is refilled (`rules.md R3.3`)."""
        at = 2 * self.drawn
        card = self.shoe.cards[at : at + 2]
        if not card:
            if self.shoe.scripted:
                raise ShoeEmpty
            self.put_in(refilled(self.ruleset, self.shoe, self.drawn_before, self.new_seed()))
            card = self.shoe.cards[:2]
        self.drawn += 1
        return card

    # Rounds (R1.3, R3.2, R10)

    def start_round(self) -> None:
        """Begin the next round, or end the match when there is none (`rules.md R1.3`)."""
        if self.round == self.ruleset.rounds and not self.endless:
            self.finish()
            return
        seats: list[Seat] = []
        playing: list[int] = []
        for number, settled in enumerate(self.seats, start=1):
            seat = self._staked(number, settled)
            seats.append(seat)
            if not seat.out:
                playing.append(number)
        if not playing:
            # The settled table stays in sight.
            self.seats = tuple(replace(seat, out=True) for seat in self.seats)
            self.finish()
            return
        self.seats = tuple(seats)
        self.round += 1
        self.phase = BETTING
        self.dealer = ()
        self.seat = playing[0]
        self.hand = 0
        self._prepare_shoe(len(playing))
        if self.log is not None:
            self.log.append(events.RoundStarted(self.round, tuple(playing)))

    def _staked(self, number: int, seat: Seat) -> Seat:
        """Clear a seat for the next round, with its re-buy if it needs one (`rules.md R10.1`)."""
        chips = seat.chips
        ruleset = self.ruleset
        if self.endless:
            least = ruleset.initial_chips
            return Seat(chips if chips > least else least)
        if chips >= MIN_BET or seat.out:
            return Seat(chips, 0, 0, 0, seat.rebuys, seat.out)
        if seat.rebuys < ruleset.rebuys:
            amount = ruleset.initial_chips
            if self.log is not None:
                self.log.append(events.Rebought(number, amount, chips + amount))
            return Seat(chips + amount, 0, 0, 0, seat.rebuys + 1)
        if self.log is not None:
            self.log.append(events.WentOut(number))
        return Seat(chips, 0, 0, 0, seat.rebuys, True)

    def _prepare_shoe(self, playing: int) -> None:
        """Replace the shoe if it holds too few cards for a round (`rules.md R3.2`)."""
        shoe = self.shoe
        if shoe.scripted:
            return
        if too_few(self.ruleset, len(shoe.cards) // 2 - self.drawn, playing):
            first = shoe.number == 0
            if first:
                shoe = Shoe(0, "", "", self.new_seed())
            elif self.log is not None:
                self.log.append(events.ShoeRevealed(shoe.number, shoe.seed))
            self.put_in(fresh(self.ruleset, shoe, self.new_seed()))
        elif shoe.carried:
            self.shoe = cleared(shoe)
        self.drawn_before = self.drawn

    def finish(self) -> None:
        """End the match; nothing about its shoe is a secret any more (`rules.md R3.4`)."""
        self.phase = SETTLED
        self.seat = 0
        self.hand = 0
        if self.log is not None and not self.shoe.scripted:
            self.log.append(events.ShoeRevealed(self.shoe.number, self.shoe.seed))

    # The deal and the peek (R5, R7)

    def deal(self) -> None:
        """Deal two cards each and the dealer's (`rules.md R5.1`); seats with a bet are in."""
        up = 0
        for seat in self.seats:
            if seat.bet:
                up += 1
        american = self.ruleset.hole_card is AMERICAN
        cards = self.shoe.cards
        # Places in the string of the shoe, which is quicker to cut than to deal card by card.
        at = 2 * self.drawn
        at_up = at + 2 * up
        at_second = at_up + 2
        at_hole = at_second + 2 * up
        if at_hole + 2 * american > len(cards):
            raise ShoeEmpty  # scripted: any other shoe has enough, see R3.2
        up_card = cards[at_up:at_second]
        self.dealer = (up_card, cards[at_hole : at_hole + 2]) if american else (up_card,)
        self.drawn += 2 * up + 1 + american
        seats: list[Seat] = []
        for seat in self.seats:
            if not seat.bet:
                seats.append(seat)
                continue
            first, second = cards[at : at + 2], cards[at_second : at_second + 2]
            at += 2
            at_second += 2
            total, soft = count_two(first, second)
            status = BLACKJACK if total == 21 else WAITING
            hand = Hand((first, second), seat.bet, total, soft, status)
            seats.append(Seat(seat.chips, seat.bet, 0, 0, seat.rebuys, False, (hand,)))
        self.seats = tuple(seats)
        if self.log is not None:
            self._tell_deal(self.log)

    def _tell_deal(self, log: list[Event]) -> None:
        """Tell the deal in dealing order, then the hands that it already ended.

        They can be told together, because no shoe runs out within a deal: R3.2 leaves enough.
        """
        dealt = [(number, seat.hands[0]) for number, seat in enumerate(self.seats, 1) if seat.hands]
        log.extend(events.CardDealt(number, 0, hand.cards[0]) for number, hand in dealt)
        log.append(events.CardDealt(None, None, self.dealer[0]))
        log.extend(events.CardDealt(number, 0, hand.cards[1]) for number, hand in dealt)
        if len(self.dealer) == 2:
            log.append(events.CardDealt(None, None, None))
        for number, hand in dealt:
            if hand.status is BLACKJACK:
                log.append(events.HandEnded(number, 0, hand.status))

    def up_card_total(self) -> int:
        """What the dealer's up card counts by itself."""
        return VALUES[self.dealer[0]]

    def dealer_may_have_blackjack(self) -> bool:
        """Whether the up card is an ace or a ten-point card (`rules.md R7.2`)."""
        return VALUES[self.dealer[0]] >= 10

    def dealer_has_blackjack(self) -> bool:
        """Whether the dealer's two cards are a blackjack (`rules.md R6.2`)."""
        return is_natural(self.dealer)

    def ask_insurance(self, after: int) -> bool:
        """Give the turn to the next seat that can insure (`rules.md R7.1`); false if none can."""
        for number in range(after + 1, len(self.seats) + 1):
            seat = self.seats[number - 1]
            if seat.bet and seat.chips >= seat.bet // 2:
                self.phase = INSURANCE
                self.seat = number
                self.hand = 0
                return True
        return False

    def tell_insurance_lost(self) -> None:
        """Tell whose insurance is lost now that the dealer has no blackjack (`rules.md R7.2`)."""
        if self.log is not None:
            lost = tuple(n for n, seat in enumerate(self.seats, start=1) if seat.insurance)
            if lost:
                self.log.append(events.InsuranceLost(lost))

    # Turns and hands (R8)

    def next_turn(self, seat: int, hand: int) -> bool:
        """Give the turn to the first open hand from there on; false if there is none (R8.1)."""
        seats = self.seats
        while seat <= len(seats):
            hands = seats[seat - 1].hands
            while hand < len(hands):
                following = hands[hand]
                if following.status is WAITING and not (
                    following.from_split and self._ends_unplayed(seat, hand)
                ):
                    self.phase = PLAYING
                    self.seat = seat
                    self.hand = hand
                    return True
                hand += 1
            seat += 1
            hand = 0
        return False

    def _ends_unplayed(self, number: int, index: int) -> bool:
        """End a hand of split aces that cannot be split again when its turn comes (R8.5)."""
        seat = self.seats[number - 1]
        hand = seat.hands[index]
        if not hand.of_split_aces or judge_split(self.ruleset, seat, hand) is None:
            return False
        self.end_hand(number, index, SPLIT_ACE)
        return True

    def put_seat(self, number: int, seat: Seat) -> None:
        """Replace a seat."""
        seats = self.seats
        self.seats = (seat,) if len(seats) == 1 else _with(seats, number - 1, seat)

    def put_hand(self, chips: int, hand: Hand) -> None:
        """Replace the hand on turn and its seat's chips."""
        seat = self.seats[self.seat - 1]
        hands = (hand,) if len(seat.hands) == 1 else _with(seat.hands, self.hand, hand)
        self.put_seat(
            self.seat, Seat(chips, seat.bet, seat.insurance, 0, seat.rebuys, False, hands)
        )

    def end_hand(self, number: int, index: int, status: HandStatus) -> None:
        """End a hand where it stands."""
        seat = self.seats[number - 1]
        old = seat.hands[index]
        hand = Hand(old.cards, old.bet, old.total, old.soft, status, old.from_split)
        hands = (hand,) if len(seat.hands) == 1 else _with(seat.hands, index, hand)
        self.put_seat(
            number, Seat(seat.chips, seat.bet, seat.insurance, 0, seat.rebuys, False, hands)
        )
        if self.log is not None:
            self.log.append(events.HandEnded(number, index, status))

    def tell_card(self, index: int, card: str) -> None:
        """Tell of a card dealt to a hand of the seat on turn."""
        if self.log is not None:
            self.log.append(events.CardDealt(self.seat, index, card))

    def tell_ended(self, index: int, status: HandStatus) -> None:
        """Tell that a hand of the seat on turn has ended, if it has."""
        if self.log is not None and status is not WAITING:
            self.log.append(events.HandEnded(self.seat, index, status))


def _with(values: tuple[T, ...], at: int, value: T) -> tuple[T, ...]:
    """Give the values with one replaced; for a single one, which is the rule, nobody asks."""
    return (*values[:at], value, *values[at + 1 :])
