"""What the computed strategy thinks of the decision that a table waits for, and its chart."""

from enum import StrEnum
from typing import Final, assert_never

import msgspec

from tables.blackjack.actions import ActionName
from tables.blackjack.ruleset import Ruleset
from tables.blackjack.state import Phase
from tables.blackjack.strategy import (
    UP_CARDS,
    Advice,
    Strategy,
    ValuedAction,
    advice,
    insurance_advice,
    ranked,
)
from tables.blackjack.view import TableView


def advise(view: TableView, strategy: Strategy, ruleset: Ruleset) -> Advice:
    """Value every legal action per unit of the hand's first bet, from what everyone sees (`R12`).

    A bet of any size is worth the edge per unit. Raises LookupError once the match is over.
    """
    turn = view.to_act
    if turn is None:
        raise LookupError("the match is over")
    seat = view.seats[turn.seat - 1]
    match turn.phase:
        case Phase.BETTING:
            return Advice(ActionName.BET, (ValuedAction(ActionName.BET, strategy.edge),))
        case Phase.INSURANCE:
            return insurance_advice(ruleset.decks, seat.hands[0].cards)
        case Phase.PLAYING:
            up = view.dealer.cards[0]
            if turn.hand is None or up is None:
                raise LookupError("no hand is on turn")
            legal = [offer.action for offer in turn.legal]
            return advice(strategy, seat.hands[turn.hand].cards, up, legal)
        case Phase.SETTLED:
            raise LookupError("the match is over")
    assert_never(turn.phase)


class RowKind(StrEnum):
    """The parts of a chart."""

    HARD = "hard"
    SOFT = "soft"
    PAIR = "pair"


class Cell(msgspec.Struct, frozen=True):
    """What to do against an up card: the best action, and where the rules or the chips do not
    allow it, or on more than two cards, the better one of hit and stand."""

    up: str
    best: ActionName
    otherwise: ActionName


class Row(msgspec.Struct, frozen=True):
    """A hand of the chart against every up card."""

    hand: str
    kind: RowKind
    cells: tuple[Cell, ...]


_ALWAYS: Final = (ActionName.HIT, ActionName.STAND)


def chart(strategy: Strategy) -> tuple[Row, ...]:
    """Lay a strategy out as a chart: hard, soft and paired hands in order, up cards as UP_CARDS."""
    return tuple(
        Row(
            name,
            RowKind(name.partition(" ")[0]),
            tuple(Cell(up, row[up].best, ranked(row[up], _ALWAYS)[0].action) for up in UP_CARDS),
        )
        for name, row in strategy.hands.items()
    )
