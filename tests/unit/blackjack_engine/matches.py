"""Random rules and random matches for the property tests of the engine."""

from collections.abc import Iterator
from random import Random

from hypothesis import strategies as st

from tables.blackjack.actions import Action, ActionName, ShoeEmpty
from tables.blackjack.cards import PACK
from tables.blackjack.engine import Step, apply, start, start_scripted, turn
from tables.blackjack.ruleset import OPTIONS, OptionType, Ruleset, RulesetError, ruleset_of
from tables.blackjack.shoe import no_seed
from tables.blackjack.state import MatchState

SMALL = (0, 10, 20, 50)


@st.composite
def rulesets(draw: st.DrawFn, **fixed: object) -> Ruleset:
    """Any rules of R2, with short matches and small stacks more often than not."""
    overrides: dict[str, object] = {}
    for option in OPTIONS:
        if option.type is OptionType.INTEGER:
            step = option.step or 1
            low, high = option.min or 0, option.max or 0
            near = [low + step * times for times in SMALL if low + step * times <= high]
            overrides[option.key] = draw(st.sampled_from([*near, option.default, high]))
        else:
            overrides[option.key] = draw(st.sampled_from(option.values))
    overrides["rounds"] = draw(st.integers(1, 6))
    overrides.update(fixed)
    overrides["max_bet"] = min(overrides["max_bet"], overrides["initial_chips"])
    if overrides["hole_card"] == "european":
        overrides["surrender"] = "none"
    try:
        return ruleset_of(overrides)
    except RulesetError as error:
        raise AssertionError(overrides) from error


shoes = st.one_of(
    st.lists(st.sampled_from(PACK), min_size=40, max_size=250),
    # Few ranks, so that splits, soft hands and blackjacks come in numbers.
    st.lists(st.sampled_from([card for card in PACK if card[0] in "A8TK5"]), min_size=40),
)


def random_action(state: MatchState, random: Random, splits: float = 0.7) -> Action:
    """One of the decisions offered, splits more often than chance would have it."""
    offered = turn(state)
    assert offered is not None
    names = [legal.action for legal in offered.legal]
    name = random.choice(names)
    if ActionName.SPLIT in names and random.random() < splits:
        name = ActionName.SPLIT
    if name is not ActionName.BET:
        return Action(offered.seat, name)
    bet = offered.legal[0]
    amounts = range(bet.min, bet.max + 1, bet.step)
    amount = random.choice([amounts[0], amounts[-1], random.choice(amounts)])
    return Action(offered.seat, name, amount)


def played(ruleset: Ruleset, seats: int, random: Random, limit: int = 400) -> Iterator[Step]:
    """A whole match from random shoes by random decisions, step by step."""
    seeds = lambda: random.randbytes(32)  # noqa: E731
    step = start(ruleset, seats, seeds)
    yield step
    while not step.state.finished and limit:
        step = apply(step.state, random_action(step.state, random), seeds)
        limit -= 1
        yield step


def played_from(ruleset: Ruleset, seats: int, shoe: list[str], random: Random) -> Iterator[Step]:
    """A match from a scripted shoe, up to the decision that finds it empty."""
    step = start_scripted(ruleset, seats, tuple(shoe))
    yield step
    while not step.state.finished:
        try:
            step = apply(step.state, random_action(step.state, random), no_seed)
        except ShoeEmpty:
            return
        yield step
