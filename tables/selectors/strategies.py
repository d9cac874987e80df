"""Reading computed strategies; a miss is never remembered, and nothing here waits."""

from __future__ import annotations

import functools
from datetime import timedelta
from typing import ClassVar, Final

import msgspec
from django.db.models import Q

from tables.blackjack.presets import PRESET_RULES
from tables.blackjack.ruleset import RANKED, Ruleset, ruleset_of
from tables.blackjack.strategy import KEY_PREFIX, Strategy, relevant_key
from tables.models import StoredStrategy, Urgency
from tables.selectors.clock import database_now

PATIENCE: Final = {
    Urgency.MATCH: timedelta(seconds=3),
    Urgency.PRESET: timedelta(minutes=1),
    Urgency.CURIOSITY: timedelta(minutes=1),
}
"""How long a strategy may be missing before a web process does the workers' work."""

_decode: Final = msgspec.json.Decoder(Strategy).decode


class StrategyMissing(Exception):
    """The strategy of these rules is not computed yet."""

    code: ClassVar[str] = "strategy_missing"


@functools.lru_cache(maxsize=256)  # which keeps no exceptions
def stored(key: str) -> Strategy:
    """The strategy of a key (`relevant_key`). Raises StrategyMissing."""
    text = (
        StoredStrategy.objects.filter(pk=key, strategy__isnull=False)
        .values_list("strategy", flat=True)
        .first()
    )
    if text is None:
        raise StrategyMissing
    return _decode(text)


def ready(ruleset: Ruleset) -> Strategy:
    """The strategy of a rule set. Raises StrategyMissing where it is not computed yet."""
    return stored(relevant_key(ruleset))


def presets() -> list[Ruleset]:
    """The rules that are ready before anybody asks: ranked ones and every named set."""
    return [RANKED, *(ruleset_of(rules) for rules in PRESET_RULES.values())]


def presets_are_ready() -> bool:
    """Whether the strategies of all of them are computed."""
    keys = {relevant_key(ruleset) for ruleset in presets()}
    return StoredStrategy.objects.filter(pk__in=keys, strategy__isnull=False).count() == len(keys)


def is_asked(ruleset: Ruleset) -> bool:
    """Whether somebody has asked for the strategy of a rule set, computed or not."""
    return StoredStrategy.objects.filter(pk=relevant_key(ruleset)).exists()


def next_wanted(left_out: set[str]) -> str | None:
    """The key of the strategy that is missing most urgently, but for some; None: none is."""
    return (
        StoredStrategy.objects.filter(strategy__isnull=True, pk__startswith=KEY_PREFIX)
        .exclude(pk__in=left_out)
        .order_by("urgency", "requested_at", "pk")
        .values_list("pk", flat=True)
        .first()
    )


def is_overdue() -> bool:
    """Whether a strategy has been missing for so long that no worker seems to be there."""
    now = database_now()
    late = Q()
    for urgency, patience in PATIENCE.items():
        late |= Q(urgency=urgency, requested_at__lt=now - patience)
    missing = StoredStrategy.objects.filter(strategy__isnull=True, pk__startswith=KEY_PREFIX)
    return missing.filter(late).exists()
