"""The dealer's play and the settlement of a round."""

from typing import Final

from tables.blackjack import events
from tables.blackjack.dealing import Dealing
from tables.blackjack.hand import (
    BLACKJACK,
    BUST,
    LIVE,
    SURRENDERED,
    Hand,
    Outcome,
    add,
    count_two,
)
from tables.blackjack.ruleset import BlackjackPays, HoleCard, Soft17
from tables.blackjack.state import Seat, SettledRound

AMERICAN: Final = HoleCard.AMERICAN
HITS_SOFT_17: Final = Soft17.HIT
THREE_TO_TWO: Final = BlackjackPays.THREE_TO_TWO
BONUS, WIN, PUSH, LOSE, LOST_BUST, GIVEN_UP = Outcome


def play_dealer(dealing: Dealing) -> None:
    """Let the dealer play once every hand has ended, and settle (`rules.md R9.1`, R9.2)."""
    live = False
    for seat in dealing.seats:
        for hand in seat.hands:
            if hand.status in LIVE:
                live = True
    if dealing.ruleset.hole_card is AMERICAN:
        open_hole_card(dealing)
    elif live or _second_card_decides(dealing):
        _take_card(dealing)
        if dealing.dealer_has_blackjack():
            settle(dealing, 21, True)
            return
        dealing.tell_insurance_lost()
    else:
        settle(dealing, dealing.up_card_total(), False)
        return
    up, second = dealing.dealer
    total, soft = count_two(up, second)
    if live:
        hits_soft_17 = dealing.ruleset.soft17 is HITS_SOFT_17
        while total < 17 or (total == 17 and soft and hits_soft_17):
            total, soft = add(total, soft, _take_card(dealing))
    settle(dealing, total, False)


def open_hole_card(dealing: Dealing) -> None:
    """Turn the hole card up."""
    if dealing.log is not None:
        dealing.log.append(events.HoleCardOpened(dealing.dealer[1]))


def _second_card_decides(dealing: Dealing) -> bool:
    """Whether a dealer without hole card needs one though no hand is live (`rules.md R9.2`)."""
    if any(seat.insurance for seat in dealing.seats):
        return True
    return dealing.dealer_may_have_blackjack() and any(
        hand.status is BLACKJACK for seat in dealing.seats for hand in seat.hands
    )


def _take_card(dealing: Dealing) -> str:
    card = dealing.draw()
    dealing.dealer += (card,)
    if dealing.log is not None:
        dealing.log.append(events.CardDealt(None, None, card))
    return card


def settle(dealing: Dealing, total: int, blackjack: bool) -> None:
    """Settle every stake against the dealer's hand (`rules.md R9`) and begin the next round."""
    seats: list[Seat] = []
    for seat in dealing.seats:
        seats.append(_settled_seat(dealing, seat, total, blackjack) if seat.hands else seat)
    dealing.seats = tuple(seats)
    settled = SettledRound(dealing.round, dealing.dealer, total, blackjack, dealing.seats)
    dealing.last_round = settled
    if dealing.log is not None:
        dealing.log.append(_told(settled))
        dealing.log.extend(
            events.ShoeRevealed(spent.number, spent.seed) for spent in dealing.shoe.spent
        )
    dealing.start_round()


def _settled_seat(dealing: Dealing, seat: Seat, total: int, blackjack: bool) -> Seat:
    chips = seat.chips
    settled = []
    for hand in seat.hands:
        outcome, returned = _result(dealing, hand, total, blackjack)
        chips += returned
        settled.append(
            Hand(
                hand.cards,
                hand.bet,
                hand.total,
                hand.soft,
                hand.status,
                hand.from_split,
                outcome,
                returned,
            )
        )
    insured = 3 * seat.insurance if blackjack else 0
    return Seat(
        chips + insured, seat.bet, seat.insurance, insured, seat.rebuys, False, tuple(settled)
    )


def _result(dealing: Dealing, hand: Hand, total: int, blackjack: bool) -> tuple[Outcome, int]:
    """What comes of a hand, and what it gives back (`rules.md R6.3`, R7.2, R8.6, R9.2 to R9.4)."""
    status = hand.status
    bet = hand.bet
    if status is BUST:
        return LOST_BUST, 0
    if status is SURRENDERED:
        return GIVEN_UP, bet // 2
    if status is BLACKJACK:
        if blackjack:
            return PUSH, bet
        pays = dealing.ruleset.blackjack_pays
        won = bet * 3 // 2 if pays is THREE_TO_TWO else bet * 6 // 5
        return BONUS, bet + won
    if blackjack:
        return LOSE, 0
    if total > 21 or hand.total > total:
        return WIN, 2 * bet
    if hand.total == total:
        return PUSH, bet
    return LOSE, 0


def _told(settled: SettledRound) -> events.RoundSettled:
    return events.RoundSettled(
        settled.round,
        events.SettledDealer(settled.dealer, settled.total, settled.blackjack),
        tuple(
            events.SeatSettlement(
                number,
                seat.chips,
                seat.insurance_returned,
                tuple(
                    events.HandSettlement(hand.outcome, hand.returned)
                    for hand in seat.hands
                    if hand.outcome is not None and hand.returned is not None
                ),
            )
            for number, seat in enumerate(settled.seats, start=1)
            if seat.hands
        ),
    )
