"""Reduce the events of a match to its view, knowing nothing but api.md: what a client would do."""

from copy import deepcopy

ENVELOPE = {"type", "seq", "version", "at", "by"}
FACES = {"A": 11, "T": 10, "J": 10, "Q": 10, "K": 10}


def count(cards: list) -> tuple[int, bool]:
    """Total and softness of some cards."""
    total = sum(FACES.get(card[0]) or int(card[0]) for card in cards)
    aces = sum(card[0] == "A" for card in cards)
    while total > 21 and aces:
        total -= 10
        aces -= 1
    return total, aces > 0


def reduce(view: dict | None, event: dict) -> dict:
    """Change the view by one event and give it; the first is `match_started` on no view at all.

    It is the view of api.md less id, you, watchable, connected, away_since, takeover_at, watchers
    and server_time.
    """
    view = {} if view is None else view
    envelope = ENVELOPE - ({"version"} if event["type"] == "turn_started" else set())
    members = {key: value for key, value in event.items() if key not in envelope}
    REDUCERS[event["type"]](view, **members)
    view["seq"] = event["seq"]
    # A turn that is told again carries the version at which it was first offered.
    view["version"] = max(view.get("version", 0), event["version"])
    return view


def seat_of(view: dict, seat: int) -> dict:
    return view["seats"][seat - 1]


def new_hand(cards: list, bet: int) -> dict:
    total, soft = count(cards)
    return {
        "cards": cards,
        "bet": bet,
        "total": total,
        "soft": soft,
        "status": "waiting",
        "outcome": None,
        "returned": None,
    }


def match_started(view: dict, kind: str, seats: list, rules: dict) -> None:
    view.update(
        status="playing",
        kind=kind,
        rules=rules,
        round=0,
        phase="betting",
        dealer={"cards": [], "total": None, "soft": None},
        seats=[
            {
                **seat,
                "chips": rules["initial_chips"],
                "bet": 0,
                "insurance": 0,
                "rebuys": 0,
                "out": False,
                "hands": [],
            }
            for seat in seats
        ],
        to_act=None,
        shoe=None,
        last_round=None,
        result=None,
    )


def shoe_started(view: dict, shoe: int, commitment: str, next_commitment: str, size: int) -> None:
    view["shoe"] = {
        "shoe": shoe,
        "commitment": commitment,
        "next_commitment": next_commitment,
        "remaining": size,
    }


def round_started(view: dict, round: int, seats: list) -> None:
    view["round"] = round
    view["phase"] = "betting"
    view["dealer"] = {"cards": [], "total": None, "soft": None}
    for seat in view["seats"]:
        seat.update(bet=0, insurance=0, hands=[])


def rebought(view: dict, seat: int, amount: int, chips: int) -> None:
    seat_of(view, seat)["chips"] = chips
    seat_of(view, seat)["rebuys"] += 1


def went_out(view: dict, seat: int) -> None:
    seat_of(view, seat)["out"] = True


def bet_placed(view: dict, seat: int, amount: int, chips: int) -> None:
    seat_of(view, seat).update(bet=amount, chips=chips)


def card_dealt(view: dict, seat: int | None, hand: int | None, card: str | None) -> None:
    view["shoe"]["remaining"] -= 1
    if seat is None:
        show_dealer(view, [*view["dealer"]["cards"], card])
        return
    hands = seat_of(view, seat)["hands"]
    if hand == len(hands):
        hands.append(new_hand([card], seat_of(view, seat)["bet"]))
        return
    cards = [*hands[hand]["cards"], card]
    total, soft = count(cards)
    hands[hand].update(cards=cards, total=total, soft=soft)


def show_dealer(view: dict, cards: list) -> None:
    total, soft = count([card for card in cards if card is not None])
    view["dealer"] = {"cards": cards, "total": total, "soft": soft}


def insured(view: dict, seat: int, stake: int, chips: int) -> None:
    seat_of(view, seat).update(insurance=stake, chips=chips)


def nothing(view: dict, **members: object) -> None:
    """Told for the people who watch; it changes nothing on the table."""


def decided(view: dict, seat: int, hand: int, bet: int, chips: int) -> None:
    seat_of(view, seat)["chips"] = chips
    seat_of(view, seat)["hands"][hand]["bet"] = bet


def split(view: dict, seat: int, hand: int, bet: int, chips: int) -> None:
    seat_of(view, seat)["chips"] = chips
    hands = seat_of(view, seat)["hands"]
    left, right = hands[hand]["cards"]
    hands[hand : hand + 1] = [new_hand([left], bet), new_hand([right], bet)]


def hand_ended(view: dict, seat: int, hand: int, status: str) -> None:
    seat_of(view, seat)["hands"][hand]["status"] = status


def hole_card_opened(view: dict, card: str) -> None:
    show_dealer(view, [view["dealer"]["cards"][0], card])


def round_settled(view: dict, round: int, dealer: dict, seats: list) -> None:
    view["phase"] = "settled"
    view["to_act"] = None
    wait(view)
    settled = []
    for told in seats:
        seat = seat_of(view, told["seat"])
        seat["chips"] = told["chips"]
        for hand, result in zip(seat["hands"], told["hands"], strict=True):
            hand.update(result)
        settled.append(
            {
                "seat": told["seat"],
                "bet": seat["bet"],
                "insurance": seat["insurance"],
                "insurance_returned": told["insurance_returned"],
                "chips": told["chips"],
                "hands": [
                    {key: hand[key] for key in ("cards", "bet", "total", "outcome", "returned")}
                    for hand in deepcopy(seat["hands"])
                ],
            }
        )
    view["last_round"] = {"round": round, "dealer": dealer, "seats": settled}


def wait(view: dict) -> None:
    """No hand is on turn."""
    for seat in view["seats"]:
        for hand in seat["hands"]:
            if hand["status"] == "playing":
                hand["status"] = "waiting"


def turn_started(view: dict, **turn: object) -> None:
    wait(view)
    view["phase"] = turn["phase"]
    view["to_act"] = turn
    if turn["hand"] is not None:
        seat_of(view, turn["seat"])["hands"][turn["hand"]]["status"] = "playing"


def control_changed(view: dict, seat: int, controller: str, reason: str | None) -> None:
    seat_of(view, seat)["controller"] = controller


def match_finished(view: dict, result: list) -> None:
    view.update(status="finished", result=result, to_act=None)


def match_voided(view: dict, reason: str) -> None:
    view.update(status="void", to_act=None)


def match_restored(view: dict) -> None:
    view["status"] = "playing" if view["result"] is None else "finished"


REDUCERS = {
    "match_started": match_started,
    "shoe_started": shoe_started,
    "round_started": round_started,
    "rebought": rebought,
    "went_out": went_out,
    "bet_placed": bet_placed,
    "card_dealt": card_dealt,
    "insured": insured,
    "insurance_declined": nothing,
    "dealer_peeked": nothing,
    "insurance_lost": nothing,
    "hit": decided,
    "stood": decided,
    "doubled": decided,
    "split": split,
    "surrendered": decided,
    "hand_ended": hand_ended,
    "hole_card_opened": hole_card_opened,
    "round_settled": round_settled,
    "turn_started": turn_started,
    "control_changed": control_changed,
    "shoe_revealed": nothing,
    "match_finished": match_finished,
    "match_voided": match_voided,
    "match_restored": match_restored,
}
