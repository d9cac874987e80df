"""The CPU: what it decides from what everyone sees (`rules.md R12.1`)."""

from typing import Final

from tables.blackjack.actions import Action, ActionName
from tables.blackjack.hand import Hand
from tables.blackjack.state import Phase
from tables.blackjack.strategy import UP_CARDS, Choice, Strategy, hand_name, ranked, up_card
from tables.blackjack.turn import JUDGES
from tables.blackjack.view import TableView


class NothingToDecide(ValueError):
    """The match is over: there is no turn to decide."""

    code = "nothing_to_decide"

    def __init__(self) -> None:
        super().__init__("the match is over: there is no turn to decide")


def decide(view: TableView, strategy: Strategy) -> Action:
    """Take the decision that the table waits for: the lowest bet, no insurance, the best play.

    Whatever it takes is legal by the view's own list: the best legal action of the strategy, and
    should the strategy know none of them, the first one listed. Raises NothingToDecide.
    """
    turn = view.to_act
    if turn is None:
        raise NothingToDecide
    if turn.phase is Phase.BETTING:
        return Action(turn.seat, ActionName.BET, turn.legal[0].min)
    legal = [offer.action for offer in turn.legal]
    if ActionName.DECLINE in legal:
        return Action(turn.seat, ActionName.DECLINE)
    up = view.dealer.cards[0]
    if turn.hand is not None and up is not None:
        cards = view.seats[turn.seat - 1].hands[turn.hand].cards
        row = strategy.hands.get(hand_name(cards), {})
        choice = row.get(up_card(up))
        known = ranked(choice, legal) if choice is not None else []
        if known:
            return Action(turn.seat, known[0].action)
    return Action(turn.seat, legal[0])


class Playbook:
    """A strategy laid out for whoever decides by the million: same choices, looked up at once.

    It costs the reader keys of totals where `decide` has names of hands.
    """

    def __init__(self, strategy: Strategy) -> None:
        self._by_total: dict[tuple[str, int, bool], tuple[ActionName, ...]] = {}
        self._by_pair: dict[tuple[str, int, bool], tuple[ActionName, ...]] = {}
        for name, row in strategy.hands.items():
            kind, points = name.split()
            for up, choice in row.items():
                order = _order(choice)
                for card in _FACES.get(up, up):
                    if kind == "pair":
                        key = (12, True) if points == "A" else (2 * _points(points), False)
                        self._by_pair[card, *key] = order
                    else:
                        self._by_total[card, int(points), kind == "soft"] = order

    def preference(self, up: str, hand: Hand) -> tuple[ActionName, ...]:
        """Give the actions on a hand against an up card, best first, legal or not."""
        cards = hand.cards
        key = up[0], hand.total, hand.soft
        if len(cards) == 2 and (cards[0][0] == cards[1][0] or (hand.total == 20 and not hand.soft)):
            return self._by_pair[key]
        return self._by_total[key]


_FACES: Final = {"T": "TJQK"}


def _points(rank: str) -> int:
    return UP_CARDS.index(rank) + 1


def _order(choice: Choice) -> tuple[ActionName, ...]:
    return tuple(valued.action for valued in ranked(choice, tuple(JUDGES)))
