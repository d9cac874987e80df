"""A finished match looked at again: what each decision of a seat was expected to cost.

Pure: it is given the stored steps and plays them again; what it says of a decision rests only on
what everybody saw when it was taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from tables.blackjack import engine
from tables.blackjack.actions import Action, ActionName
from tables.blackjack.coach import advise
from tables.blackjack.ruleset import Ruleset
from tables.blackjack.state import MatchState, Phase
from tables.blackjack.strategy import Strategy, ValuedAction, cost
from tables.blackjack.view import table_view
from tables.envelope import By
from tables.table import Decided

_decode_decided: Final = msgspec.json.Decoder(Decided).decode
_CHIPS: Final = 2


class DecisionStep(Struct, frozen=True):
    """A stored step that dealt or decided: its version, payload and the hex seeds that it drew.

    The payload of the first step of a match is null.
    """

    version: int
    payload: str
    seeds: Sequence[str]


class Reviewed(Struct, frozen=True):
    """A decision, what would have been best, and what the choice was expected to cost.

    `version` is the one that the decision made; `hand` counts from 0 and is null for an insurance;
    `cost` is per unit of the hand's first bet, `chips` the same for the bet that lay there.
    """

    version: int
    round: int
    phase: Phase
    hand: int | None
    cards: tuple[str, ...]
    up: str | None
    action: ActionName
    by: By
    best: ActionName
    actions: tuple[ValuedAction, ...]
    cost: float
    chips: float


class Analysis(Struct, frozen=True):
    """All decisions of a seat on its hands, in order, and what the player's own ones cost."""

    seat: int
    decisions: tuple[Reviewed, ...]
    chips: float


def analyse(
    steps: Iterable[DecisionStep], ruleset: Ruleset, seats: int, seat: int, strategy: Strategy
) -> Analysis:
    """Review the decisions of a seat: insurances and hands, not bets (`rules.md R12`)."""
    decisions = tuple(
        _review(version, state, decided, ruleset, strategy)
        for version, state, decided in _decisions(steps, ruleset, seats)
        if decided.seat == seat and decided.action is not ActionName.BET
    )
    own = sum(review.chips for review in decisions if review.by is By.PLAYER)
    return Analysis(seat, decisions, round(own, _CHIPS))


def _decisions(
    steps: Iterable[DecisionStep], ruleset: Ruleset, seats: int
) -> Iterator[tuple[int, MatchState, Decided]]:
    """Play a match again; gives each decision with the version it made and the state before it."""
    state: MatchState | None = None
    for step in steps:
        draw = iter([bytes.fromhex(seed) for seed in step.seeds]).__next__
        if state is None:
            state = engine.start(ruleset, seats, draw).state
            continue
        decided = _decode_decided(step.payload)
        yield step.version, state, decided
        state = engine.apply(
            state, Action(decided.seat, decided.action, decided.amount), draw
        ).state


def _review(
    version: int, state: MatchState, decided: Decided, ruleset: Ruleset, strategy: Strategy
) -> Reviewed:
    view = table_view(state)
    turn = view.to_act
    given = advise(view, strategy, ruleset)
    seat = view.seats[decided.seat - 1]
    number = turn.hand if turn is not None else None
    hand = seat.hands[number or 0]
    lost = cost(given, decided.action)
    return Reviewed(
        version=version,
        round=view.round,
        phase=view.phase,
        hand=number,
        cards=hand.cards,
        up=view.dealer.cards[0],
        action=decided.action,
        by=decided.by,
        best=given.best,
        actions=given.actions,
        cost=lost,
        chips=round(lost * hand.bet, _CHIPS),
    )
