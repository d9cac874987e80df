"""What house rules cost or bring, as far as it has been computed."""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from tables.blackjack.ruleset import DEFAULTS, OPTIONS, Ruleset, RulesetError, ruleset_of
from tables.blackjack.strategy import relevant_key
from tables.models import StoredStrategy

Value = str | int | bool | None

_PLACES: Final = 4


class _Edge(msgspec.Struct, frozen=True):
    """The one member of a stored strategy that is of interest here."""

    edge: float


_edge_in: Final = msgspec.json.Decoder(_Edge).decode
_known: Final[dict[str, float]] = {}
"""Computed ones never change."""


def edges_of(rulesets: Iterable[Ruleset]) -> dict[str, float]:
    """The edges that are known, per unit of the first bet, by the key of what they depend on."""
    keys = {relevant_key(ruleset) for ruleset in rulesets}
    if unknown := keys - _known.keys():
        found = StoredStrategy.objects.filter(pk__in=unknown, strategy__isnull=False)
        for key, text in found.values_list("pk", "strategy"):
            _known[key] = _edge_in(text or "").edge
    return {key: _known[key] for key in keys if key in _known}


def edge_of(ruleset: Ruleset) -> float | None:
    """The edge of a rule set, per unit of the first bet; None until it has been computed."""
    return edges_of([ruleset]).get(relevant_key(ruleset))


def effect_of(ruleset: Ruleset, base: Ruleset) -> float | None:
    """Percentage points of edge that one rule set has over another; None until both are known."""
    edges = edges_of([ruleset, base])
    edge, basis = edges.get(relevant_key(ruleset)), edges.get(relevant_key(base))
    return None if edge is None or basis is None else round(100 * (edge - basis), _PLACES)


def single_changes() -> dict[tuple[str, Value], Ruleset]:
    """The default rules with one option changed, by key and value: those that the edge sees.

    Without what conflicts with the other defaults, and without what the strategy does not know.
    """
    changed: dict[tuple[str, Value], Ruleset] = {}
    for option in OPTIONS:
        numbers: Iterable[Value] = ()
        if option.min is not None and option.max is not None and option.max <= 8:
            numbers = range(option.min, option.max + 1)
        variants: dict[tuple[str, Value], Ruleset] = {}
        for value in option.values or numbers:
            try:
                variants[option.key, value] = ruleset_of({option.key: value})
            except RulesetError:
                continue
        if len({relevant_key(ruleset) for ruleset in variants.values()}) > 1:
            changed |= variants
    return changed


def effects() -> Mapping[str, Mapping[Value, float | None]]:
    """Percentage points of edge that each value has over the default, None until computed."""
    variants = single_changes()
    edges = edges_of(variants.values())
    base = edges.get(relevant_key(DEFAULTS))
    points: dict[str, dict[Value, float | None]] = {}
    for (key, value), ruleset in variants.items():
        edge = edges.get(relevant_key(ruleset))
        known = edge is not None and base is not None
        points.setdefault(key, {})[value] = (
            round(100 * (edge - base), _PLACES) if known else None  # type: ignore[operator]
        )
    return points
