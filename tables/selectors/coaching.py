"""What the strategy says to a player: on the present decision, and on a match that is over."""

from __future__ import annotations

from typing import ClassVar
from uuid import UUID

from msgspec import Struct

from tables.analysis import Analysis, DecisionStep, analyse
from tables.blackjack import codec
from tables.blackjack.actions import ActionName, MatchOver, NotYourTurn
from tables.blackjack.coach import advise
from tables.blackjack.state import MatchState, Phase
from tables.blackjack.strategy import ValuedAction
from tables.blackjack.view import table_view
from tables.models import MatchKind, MatchStatus, MatchStep, Seat, StepKind
from tables.selectors.matches import MatchNotOver, Sight
from tables.selectors.strategies import ready
from tables.table import NotYourSeat


class NoAdvice(Exception):
    """There is no advice in ranked matches."""

    code: ClassVar[str] = "no_advice"


class MatchAdvice(Struct, frozen=True):
    """What to do now: each legal action's value per unit of the hand's first bet, the best first.

    `amount` is that of a bet, in chips: the lowest, as the CPU bets (rules.md R12.1), since what
    a bet is worth per unit is the same for all. `version` is the one that the advice is for.
    """

    match: UUID
    version: int
    seat: int
    phase: Phase
    hand: int | None
    best: ActionName
    amount: int | None
    actions: tuple[ValuedAction, ...]


def state_of(sight: Sight) -> MatchState:
    """The engine's state of a match, which holds secrets."""
    return codec.decode(sight.match.state)


def advice_on(sight: Sight) -> MatchAdvice:
    """Advise a player on their own turn in a casual match (api.md, `advice/`).

    Raises NotYourSeat, NoAdvice, MatchOver, NotYourTurn, StrategyMissing.
    """
    if sight.seat is None:
        raise NotYourSeat
    if sight.match.kind == MatchKind.RANKED:
        raise NoAdvice
    state = state_of(sight)
    view = table_view(state)
    turn = view.to_act
    if turn is None or sight.match.status != MatchStatus.PLAYING:
        raise MatchOver
    if turn.seat != sight.seat:
        raise NotYourTurn(sight.seat, turn.seat)
    given = advise(view, ready(state.ruleset), state.ruleset)
    return MatchAdvice(
        match=sight.shown_id,
        version=sight.match.version,
        seat=turn.seat,
        phase=turn.phase,
        hand=turn.hand,
        best=given.best,
        amount=turn.legal[0].min,
        actions=given.actions,
    )


def analysis_of(sight: Sight) -> Analysis:
    """Review a player's decisions in a match that is over (api.md, `analysis/`).

    Worked out anew from the stored steps each time. Raises NotYourSeat, MatchNotOver,
    StrategyMissing.
    """
    if sight.seat is None:
        raise NotYourSeat
    if sight.match.status == MatchStatus.PLAYING:
        raise MatchNotOver
    ruleset = state_of(sight).ruleset
    strategy = ready(ruleset)
    steps = MatchStep.objects.filter(
        match=sight.match, kind__in=(StepKind.STARTED, StepKind.DECISION)
    ).order_by("first_seq")
    return analyse(
        (
            DecisionStep(version, payload, seeds or ())
            for version, payload, seeds in steps.values_list("version", "payload", "seeds")
        ),
        ruleset,
        Seat.objects.filter(match=sight.match).count(),
        sight.seat,
        strategy,
    )
