"""A second, slow reading of the rules, written as one plays: for comparison with the engine.

It shares nothing with the engine. A round is told from top to bottom as one generator, which asks
for each decision where it falls due; whatever it decides is counted anew from the cards.
"""

from collections.abc import Generator

DEFAULTS = {
    "decks": 6,
    "soft17": "stand",
    "blackjack_pays": "3:2",
    "double_after_split": True,
    "surrender": "none",
    "insurance": True,
    "hole_card": "american",
    "split_by": "rank",
    "max_hands": 4,
    "resplit_aces": False,
    "initial_chips": 1000,
    "max_bet": 200,
    "rounds": 10,
    "rebuys": 0,
    "turn_seconds": None,
}
ORDER = ["bet", "insure", "decline", "hit", "stand", "double", "split", "surrender"]


class Empty(Exception):
    """A card was needed that the shoe does not hold."""


def best_total(cards: list[str]) -> tuple[int, bool]:
    """The greatest total up to 21 over every way to count the aces, else the smallest."""
    totals = {(0, False)}
    for card in cards:
        values = {"A": (1, 11)}.get(card[0], (10,) if card[0] in "TJQK" else (int(card[0], 36),))
        totals = {(total + v, soft or v == 11) for total, soft in totals for v in values}
    good = [entry for entry in totals if entry[0] <= 21]
    return max(good) if good else min(totals)


def natural(cards: list[str]) -> bool:
    return sorted(c[0] if c[0] == "A" else "T" if c[0] in "TJQK" else "-" for c in cards) == [
        "A",
        "T",
    ]


class Match:
    def __init__(self, rules: dict, seats: int, shoe: list[str]) -> None:
        self.rules = {**DEFAULTS, **rules}
        self.shoe = list(shoe)
        self.chips = [self.rules["initial_chips"]] * seats
        self.rebuys = [0] * seats
        self.out = [False] * seats
        self.rounds: list[dict] = []

    def card(self) -> str:
        if not self.shoe:
            raise Empty
        return self.shoe.pop(0)

    def ask(self, seat: int, phase: str, hand: int | None, legal: dict) -> Generator:
        """Wait for one decision; `legal` says of each how many chips it needs."""
        return (
            yield {
                "seat": seat + 1,
                "phase": phase,
                "hand": hand,
                "legal": [n for n in ORDER if n in legal and legal[n] <= self.chips[seat]],
                "poor": [n for n in ORDER if n in legal and legal[n] > self.chips[seat]],
            }
        )

    def play(self) -> Generator:
        for number in range(self.rules["rounds"]):
            if number:
                for seat, chips in enumerate(self.chips):
                    if chips < 10 and not self.out[seat]:
                        if self.rebuys[seat] < self.rules["rebuys"]:
                            self.rebuys[seat] += 1
                            self.chips[seat] += self.rules["initial_chips"]
                        else:
                            self.out[seat] = True
            seats = [seat for seat in range(len(self.chips)) if not self.out[seat]]
            if not seats:
                return
            yield from self.round(seats)

    def round(self, seats: list[int]) -> Generator:
        bets: dict[int, int] = {}
        for seat in seats:
            decision = yield from self.ask(seat, "betting", None, {"bet": 0})
            bets[seat] = decision["amount"]
            self.chips[seat] -= bets[seat]
        first = {seat: self.card() for seat in seats}
        dealer = [self.card()]
        hands = {
            seat: [{"cards": [first[seat], self.card()], "bet": bets[seat], "split": False}]
            for seat in seats
        }
        american = self.rules["hole_card"] == "american"
        if american:
            dealer.append(self.card())
        insurance = dict.fromkeys(seats, 0)
        if dealer[0][0] == "A" and self.rules["insurance"]:
            for seat in seats:
                half = bets[seat] // 2
                if self.chips[seat] >= half:
                    decision = yield from self.ask(
                        seat, "insurance", None, {"insure": 0, "decline": 0}
                    )
                    if decision["action"] == "insure":
                        insurance[seat] = half
                        self.chips[seat] -= half
        if not (american and natural(dealer)):
            for seat in seats:
                yield from self.seat(seat, hands[seat])
            self.dealer(dealer, hands, insurance)
        self.settle(seats, bets, dealer, hands, insurance)

    def seat(self, seat: int, hands: list[dict]) -> Generator:
        at = 0
        while at < len(hands):
            yield from self.hand(seat, hands, at)
            at += 1

    def hand(self, seat: int, hands: list[dict], at: int) -> Generator:
        rules = self.rules
        while True:
            hand = hands[at]
            cards, bet = hand["cards"], hand["bet"]
            if best_total(cards)[0] >= 21:
                return
            aces = hand["split"] and cards[0][0] == "A"
            two = len(cards) == 2
            tens = all(card[0] in "TJQK" for card in cards)
            alike = two and (cards[0][0] == cards[1][0] or (rules["split_by"] == "value" and tens))
            legal = {"stand": 0}
            if not aces:
                legal["hit"] = 0
            if two and not aces and (rules["double_after_split"] or not hand["split"]):
                legal["double"] = bet
            if alike and len(hands) < rules["max_hands"] and (not aces or rules["resplit_aces"]):
                legal["split"] = bet
            if rules["surrender"] == "late" and two and not hand["split"]:
                legal["surrender"] = 0
            if aces and legal.get("split", 10**9) > self.chips[seat]:
                return
            decision = yield from self.ask(seat, "playing", at, legal)
            match decision["action"]:
                case "stand":
                    return
                case "hit":
                    cards.append(self.card())
                case "double":
                    self.chips[seat] -= bet
                    hand["bet"] = 2 * bet
                    cards.append(self.card())
                    return
                case "surrender":
                    hand["surrendered"] = True
                    return
                case "split":
                    self.chips[seat] -= bet
                    left = {"cards": [cards[0], self.card()], "bet": bet, "split": True}
                    right = {"cards": [cards[1], self.card()], "bet": bet, "split": True}
                    hands[at : at + 1] = [left, right]

    def blackjack(self, hand: dict) -> bool:
        return natural(hand["cards"]) and not hand["split"]

    def dealer(self, dealer: list[str], hands: dict, insurance: dict) -> None:
        every = [hand for own in hands.values() for hand in own]
        live = any(
            best_total(hand["cards"])[0] <= 21
            and not hand.get("surrendered")
            and not self.blackjack(hand)
            for hand in every
        )
        if len(dealer) == 1:
            tie = dealer[0][0] in "ATJQK" and any(self.blackjack(hand) for hand in every)
            if live or tie or any(insurance.values()):
                dealer.append(self.card())
        while live and len(dealer) >= 2:
            total, soft = best_total(dealer)
            if total > 17 or (total == 17 and not (soft and self.rules["soft17"] == "hit")):
                return
            dealer.append(self.card())

    def settle(
        self, seats: list[int], bets: dict, dealer: list[str], hands: dict, insurance: dict
    ) -> None:
        told = []
        house = natural(dealer)
        total = best_total(dealer)[0]
        for seat in seats:
            settled = []
            for hand in hands[seat]:
                own, bet = best_total(hand["cards"])[0], hand["bet"]
                if hand.get("surrendered"):
                    outcome, returned = "surrender", bet // 2
                elif own > 21:
                    outcome, returned = "bust", 0
                elif house:
                    push = self.blackjack(hand)
                    outcome, returned = ("push", bet) if push else ("lose", 0)
                elif self.blackjack(hand):
                    over, under = map(int, self.rules["blackjack_pays"].split(":"))
                    outcome, returned = "blackjack", bet + bet // under * over
                elif total > 21 or own > total:
                    outcome, returned = "win", bet + bet
                else:
                    outcome, returned = ("push", bet) if own == total else ("lose", 0)
                self.chips[seat] += returned
                settled.append(
                    {
                        "cards": hand["cards"],
                        "bet": bet,
                        "total": own,
                        "outcome": outcome,
                        "returned": returned,
                    }
                )
            won = 3 * insurance[seat] if house else 0
            self.chips[seat] += won
            told.append(
                {
                    "seat": seat + 1,
                    "bet": bets[seat],
                    "insurance": insurance[seat],
                    "insurance_returned": won,
                    "chips": self.chips[seat],
                    "hands": settled,
                }
            )
        shown = {"cards": dealer, "total": total, "blackjack": house}
        self.rounds.append({"dealer": shown, "seats": told})

    def places(self) -> list:
        initial = self.rules["initial_chips"]
        worth = [c - r * initial for c, r in zip(self.chips, self.rebuys, strict=True)]
        if len(worth) == 1:
            return ["win" if worth[0] > initial else "draw" if worth[0] == initial else "lose"]
        return [1 + len([other for other in worth if other > own]) for own in worth]


def why_refused(match: Match, to_act: dict | None, decision: dict) -> str | None:
    """The code by which a decision is refused, checked in the order of engine-cli.md."""
    if to_act is None:
        return "match_over"
    if decision["seat"] != to_act["seat"]:
        return "not_your_turn"
    name = decision["action"]
    if name not in to_act["legal"] + to_act["poor"]:
        return "illegal_action"
    if name == "bet":
        amount = decision["amount"]
        if amount % 10 or amount < 10 or amount > match.rules["max_bet"]:
            return "bad_amount"
        if amount > match.chips[decision["seat"] - 1]:
            return "not_enough_chips"
    return "not_enough_chips" if name in to_act["poor"] else None


def replay(document: dict) -> dict:
    """What `replay` prints for a document, with an error's index and code only."""
    decisions = document["decisions"]
    match = Match(document.get("rules", {}), document["seats"], document["shoe"])
    game = match.play()
    to_act = next(game)
    error = None
    for index, decision in enumerate(decisions):
        code = why_refused(match, to_act, decision)
        if code is None:
            try:
                to_act = game.send(decision)
            except StopIteration:
                to_act = None
            except Empty:
                before = replay({**document, "decisions": decisions[:index]})
                return {**before, "error": {"index": index, "code": "shoe_empty"}}
        else:
            error = {"index": index, "code": code}
            break
    finished = to_act is None
    if to_act is not None:
        to_act = {key: to_act[key] for key in ("seat", "phase", "hand", "legal")}
    return {
        "rounds": match.rounds,
        "to_act": to_act,
        "finished": finished,
        "chips": match.chips,
        "rebuys": match.rebuys,
        "places": match.places() if finished else None,
        "error": error,
    }
