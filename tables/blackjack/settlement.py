"""The dealer's play and the settlement of a round."""

from typing import Final

from tables.blackjack import events
from tables.blackjack.dealing import Dealing
from tables.blackjack.hand import LIVE, Hand, HandStatus, Outcome, add, count
from tables.blackjack.ruleset import BlackjackPays, HoleCard, Soft17
from tables.blackjack.state import Seat, SettledRound

_BLACKJACK: Final = HandStatus.BLACKJACK
_BUST: Final = HandStatus.BUST
_SURRENDERED: Final = HandStatus.SURRENDERED


def play_dealer(dealing: Dealing) -> None:
    """Let the dealer play once every hand has ended, and settle (`rules.md R9.1`, R9.2)."""
    hands = [hand for seat in dealing.seats for hand in seat.hands]
    live = any(hand.status in LIVE for hand in hands)
    if dealing.ruleset.hole_card is HoleCard.AMERICAN:
        open_hole_card(dealing)
    elif live or _second_card_decides(dealing, hands):
        _take_card(dealing)
        if dealing.dealer_has_blackjack():
            settle(dealing, 21, True)
            return
        dealing.tell_insurance_lost()
    total, soft = count(dealing.dealer)
    if live:
        hits_soft17 = dealing.ruleset.soft17 is Soft17.HIT
        while total < 17 or (hits_soft17 and soft and total == 17):
            total, soft = add(total, soft, _take_card(dealing))
    settle(dealing, total, False)


def open_hole_card(dealing: Dealing) -> None:
    """Turn the hole card up."""
    if dealing.log is not None:
        dealing.log.append(events.HoleCardOpened(dealing.dealer[1]))


def _second_card_decides(dealing: Dealing, hands: list[Hand]) -> bool:
    """Whether a dealer without hole card needs one though no hand is live (`rules.md R9.2`)."""
    if any(seat.insurance for seat in dealing.seats):
        return True
    return dealing.dealer_may_have_blackjack() and any(hand.status is _BLACKJACK for hand in hands)


def _take_card(dealing: Dealing) -> str:
    card = dealing.draw()
    dealing.dealer = (*dealing.dealer, card)
    if dealing.log is not None:
        dealing.log.append(events.CardDealt(None, None, card))
    return card


def settle(dealing: Dealing, total: int, blackjack: bool) -> None:
    """Settle every stake against the dealer's hand (`rules.md R9`) and begin the next round."""
    for at, seat in enumerate(dealing.seats):
        if seat.hands:
            dealing.seats[at] = _settled_seat(dealing, seat, total, blackjack)
    seats = tuple(dealing.seats)
    settled = SettledRound(dealing.round, dealing.dealer, total, blackjack, seats)
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
    if status is _BUST:
        return Outcome.BUST, 0
    if status is _SURRENDERED:
        return Outcome.SURRENDER, bet // 2
    if status is _BLACKJACK:
        if blackjack:
            return Outcome.PUSH, bet
        pays = dealing.ruleset.blackjack_pays
        won = bet * 3 // 2 if pays is BlackjackPays.THREE_TO_TWO else bet * 6 // 5
        return Outcome.BLACKJACK, bet + won
    if blackjack:
        return Outcome.LOSE, 0
    if total > 21 or hand.total > total:
        return Outcome.WIN, 2 * bet
    if hand.total == total:
        return Outcome.PUSH, bet
    return Outcome.LOSE, 0


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
