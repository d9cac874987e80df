"""What anyone may see of a match: the only place that builds it, member by member."""

import msgspec

from tables.blackjack.events import SettledDealer
from tables.blackjack.hand import Hand, HandStatus, Outcome, count
from tables.blackjack.shuffle import commitment
from tables.blackjack.state import MatchState, Phase, Seat, SettledRound
from tables.blackjack.turn import Turn, turn


class DealerView(msgspec.Struct, frozen=True):
    """The dealer's cards, a hidden one null, and what the open ones count; null before the deal."""

    cards: tuple[str | None, ...]
    total: int | None
    soft: bool | None


class HandView(msgspec.Struct, frozen=True):
    """A hand on the table."""

    cards: tuple[str, ...]
    bet: int
    total: int
    soft: bool
    status: HandStatus
    outcome: Outcome | None
    returned: int | None


class SeatView(msgspec.Struct, frozen=True):
    """A seat on the table; all amounts in chips."""

    seat: int
    chips: int
    bet: int
    insurance: int
    rebuys: int
    out: bool
    hands: tuple[HandView, ...]


class ShoeView(msgspec.Struct, frozen=True):
    """Which shoe is in use, to which orders the table is committed, and how many cards are left."""

    shoe: int
    commitment: str
    next_commitment: str
    remaining: int


class SettledHand(msgspec.Struct, frozen=True):
    """A hand of a settled round; `bet` is its whole stake (`engine-cli.md`)."""

    cards: tuple[str, ...]
    bet: int
    total: int
    outcome: Outcome | None
    returned: int | None


class SettledSeat(msgspec.Struct, frozen=True):
    """A seat of a settled round; `chips` are those after the settlement, before a re-buy."""

    seat: int
    bet: int
    insurance: int
    insurance_returned: int
    chips: int
    hands: tuple[SettledHand, ...]


class RoundRecord(msgspec.Struct, frozen=True):
    """A settled round, as `rounds` of `engine-cli.md`."""

    dealer: SettledDealer
    seats: tuple[SettledSeat, ...]


class LastRound(msgspec.Struct, frozen=True):
    """The round that was settled last, with its number."""

    round: int
    dealer: SettledDealer
    seats: tuple[SettledSeat, ...]


class TableView(msgspec.Struct, frozen=True):
    """The engine's part of a match as seen by anybody (`api.md`)."""

    phase: Phase
    round: int
    dealer: DealerView
    seats: tuple[SeatView, ...]
    to_act: Turn | None
    shoe: ShoeView
    last_round: LastRound | None


def table_view(state: MatchState) -> TableView:
    """Show the table (`rules.md R5.2`): no hole card before its time, no order, no seed."""
    return TableView(
        state.phase,
        state.round,
        _dealer_view(state),
        tuple(_seat_view(state, number, seat) for number, seat in enumerate(state.seats, start=1)),
        turn(state),
        _shoe_view(state),
        _last_round(state.last_round),
    )


def round_record(settled: SettledRound) -> RoundRecord:
    """Show a settled round (`engine-cli.md`); seats that were out are left out."""
    return RoundRecord(
        SettledDealer(settled.dealer, settled.total, settled.blackjack),
        tuple(
            _settled_seat(number, seat)
            for number, seat in enumerate(settled.seats, start=1)
            if seat.hands
        ),
    )


def _dealer_view(state: MatchState) -> DealerView:
    if not state.dealer:
        return DealerView((), None, None)
    if state.hole_card_hidden:
        up = state.dealer[:1]
        return DealerView((*up, None), *count(up))
    return DealerView(state.dealer, *count(state.dealer))


def _seat_view(state: MatchState, number: int, seat: Seat) -> SeatView:
    on_turn = state.hand if state.phase is Phase.PLAYING and number == state.seat else None
    return SeatView(
        number,
        seat.chips,
        seat.bet,
        seat.insurance,
        seat.rebuys,
        seat.out,
        tuple(_hand_view(hand, at == on_turn) for at, hand in enumerate(seat.hands)),
    )


def _hand_view(hand: Hand, on_turn: bool) -> HandView:
    return HandView(
        hand.cards,
        hand.bet,
        hand.total,
        hand.soft,
        HandStatus.PLAYING if on_turn else hand.status,
        hand.outcome,
        hand.returned,
    )


def _shoe_view(state: MatchState) -> ShoeView:
    shoe = state.shoe
    return ShoeView(
        shoe.number,
        commitment(bytes.fromhex(shoe.seed)),
        commitment(bytes.fromhex(shoe.next_seed)),
        shoe.size - state.drawn,
    )


def _last_round(settled: SettledRound | None) -> LastRound | None:
    if settled is None:
        return None
    record = round_record(settled)
    return LastRound(settled.round, record.dealer, record.seats)


def _settled_seat(number: int, seat: Seat) -> SettledSeat:
    return SettledSeat(
        number,
        seat.bet,
        seat.insurance,
        seat.insurance_returned,
        seat.chips,
        tuple(
            SettledHand(hand.cards, hand.bet, hand.total, hand.outcome, hand.returned)
            for hand in seat.hands
        ),
    )
