"""Coaching: advice and analysis, and having the strategy computed where it is missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from tables.analysis import Analysis
from tables.models import Urgency
from tables.selectors.coaching import MatchAdvice, advice_on, analysis_of, state_of
from tables.selectors.matches import Sight
from tables.selectors.strategies import StrategyMissing
from tables.services import strategies

Said = TypeVar("Said")


def advise(sight: Sight) -> MatchAdvice | None:
    """Advise a player on their own turn; None while the strategy is computed.

    Raises NotYourSeat, NoAdvice, MatchOver, NotYourTurn.
    """
    return _wanting(sight, advice_on)


def analyse(sight: Sight) -> Analysis | None:
    """Review a player's decisions; None while the strategy is computed.

    Raises NotYourSeat, MatchNotOver.
    """
    return _wanting(sight, analysis_of)


def _wanting(sight: Sight, say: Callable[[Sight], Said]) -> Said | None:
    try:
        return say(sight)
    except StrategyMissing:
        strategies.want(state_of(sight).ruleset, Urgency.PRESET)
        return None
