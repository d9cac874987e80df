"""Having computed what house rules cost or bring."""

from tables.blackjack.ruleset import DEFAULTS
from tables.blackjack.strategy import relevant_key
from tables.models import StoredStrategy
from tables.selectors.edges import single_changes
from tables.services import strategies


def want_effects() -> None:
    """Ask, once, for what `tables.selectors.edges.effects` needs and nobody has asked for yet."""
    needed = {relevant_key(ruleset): ruleset for ruleset in (DEFAULTS, *single_changes().values())}
    asked = set(StoredStrategy.objects.filter(pk__in=needed).values_list("pk", flat=True))
    for key in sorted(needed.keys() - asked):
        strategies.want(needed[key])
