"""The strategy that loses least by totals, computed for a rule set, with what it expects.

How it is worked out: `tables/blackjack/solver`.
"""

from collections.abc import Collection, Sequence
from typing import Final

import msgspec
import numpy as np

from tables.blackjack.actions import ActionName
from tables.blackjack.cards import value
from tables.blackjack.hand import count
from tables.blackjack.ruleset import (
    BlackjackPays,
    HoleCard,
    Ruleset,
    Soft17,
    SplitBy,
    Surrender,
    as_mapping,
    from_words,
    ruleset_of,
)
from tables.blackjack.solver.dealer import dealer_chances
from tables.blackjack.solver.hands import ACE, RANKS, TEN, Floats, all_hands
from tables.blackjack.solver.play import Analysis, Total, Worth, analyse, prospects
from tables.blackjack.solver.splits import split_values

SOLVER_VERSION: Final = 1
"""Rises with every change of what `solve` gives, so that nobody uses what was stored before."""

UP_CARDS: Final = "A23456789T"
"""The up cards and the pairs, in the order of every table; T is any ten-point card."""

RELEVANT: Final = (
    "decks",
    "soft17",
    "blackjack_pays",
    "double_after_split",
    "surrender",
    "hole_card",
    "split_by",
    "max_hands",
    "resplit_aces",
)
"""The options that change the strategy or what it expects."""

KEY_PREFIX: Final = f"solver={SOLVER_VERSION}&"
"""How the keys of what this solver gives begin."""

_PLACES: Final = 6  # decimals kept: what is below is noise of the arithmetic, not of the game
_HARD: Final = range(4, 21)
_SOFT: Final = range(12, 21)


class Choice(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What each action on two cards is expected to bring per unit of the first bet."""

    stand: float
    hit: float
    double: float
    split: float | None = None
    surrender: float | None = None
    best: ActionName

    def value(self, action: ActionName) -> float | None:
        """Give what an action is expected to bring, None where the rules have no such action."""
        match action:
            case ActionName.STAND:
                return self.stand
            case ActionName.HIT:
                return self.hit
            case ActionName.DOUBLE:
                return self.double
            case ActionName.SPLIT:
                return self.split
            case ActionName.SURRENDER:
                return self.surrender
            case _:
                return None


class Strategy(msgspec.Struct, frozen=True, kw_only=True):
    """A computed strategy: `hands[hand][up card]` as in `engine-cli.md`, ready to be stored.

    `key` names the options that it depends on; `edge` is the expected result of a round per unit
    of the first bet, from a fresh shoe, before the deal.
    """

    key: str
    edge: float
    hands: dict[str, dict[str, Choice]]


class ValuedAction(msgspec.Struct, frozen=True):
    """An action and what it is expected to bring per unit of the hand's first bet."""

    action: ActionName
    value: float


class Advice(msgspec.Struct, frozen=True):
    """The best of some actions, and what each of them is expected to bring."""

    best: ActionName
    actions: tuple[ValuedAction, ...]


def relevant_key(ruleset: Ruleset) -> str:
    """Give what all rule sets with the same strategy share: `solver=1&decks=6&soft17=stand&…`.

    Chips, bets, rounds, re-buys, clocks and the insurance that is never taken change nothing.
    """
    options = as_mapping(ruleset)
    return KEY_PREFIX + "&".join(f"{key}={_word(options[key])}" for key in RELEVANT)


def ruleset_of_key(key: str) -> Ruleset:
    """Give a rule set with the strategy of a key. Raises RulesetError for what is no such key."""
    words = (part.partition("=") for part in key.removeprefix(KEY_PREFIX).split("&"))
    return ruleset_of(from_words({name: word for name, _, word in words}))


def solve(ruleset: Ruleset) -> Strategy:
    """Compute the strategy of a rule set (`rules.md R12.1`): about a second on one core.

    Exact for a full shoe less the cards in sight; where the dealer peeks, given no blackjack.
    """
    chances = dealer_chances(ruleset.decks, ruleset.soft17 is Soft17.HIT)
    ahead = prospects(chances, ruleset, all_hands())
    analysis = analyse(ahead, ruleset)
    splits = [split_values(chances, ruleset, analysis, rank) for rank in range(RANKS)]
    hands = _table(ruleset, analysis, splits)
    return Strategy(
        key=relevant_key(ruleset),
        edge=round(_edge(ruleset, analysis, splits, hands), _PLACES),
        hands=hands,
    )


def effect(changed: Strategy, base: Strategy) -> float:
    """Give how many percentage points of edge the player has more by one strategy's rules."""
    return round(100 * (changed.edge - base.edge), _PLACES - 2)


def hand_name(cards: Sequence[str]) -> str:
    """Name the row of a hand: `pair 8` for two cards of one value, else `soft 18` or `hard 16`.

    Two ten-point cards that may not be split have the row of those that may: without the split it
    says the same as `hard 20`. Hands of less than 4 or more than 20 points are in no table.
    """
    if len(cards) == 2 and value(cards[0]) == value(cards[1]):
        return f"pair {up_card(cards[0])}"
    total, soft = count(tuple(cards))
    return f"{'soft' if soft else 'hard'} {total}"


def up_card(card: str) -> str:
    """Name the column of a dealer's up card: its rank, T for every ten-point card."""
    return "T" if card[0] in "TJQK" else card[0]


def ranked(choice: Choice, legal: Collection[ActionName]) -> list[ValuedAction]:
    """Give the legal actions of a hand's turn, the best one first."""
    known = [
        ValuedAction(action, worth)
        for action in _PREFERENCE
        if action in legal and (worth := choice.value(action)) is not None
    ]
    return sorted(known, key=lambda valued: -valued.value)


def advice(
    strategy: Strategy,
    cards: Sequence[str],
    up: str,
    legal: Collection[ActionName],
) -> Advice:
    """Say what the strategy thinks of each legal action on a hand, best first (`R12.1`).

    Raises LookupError where there is nothing to decide: no such hand, or no action known.
    """
    actions = ranked(strategy.hands[hand_name(cards)][up_card(up)], legal)
    return Advice(actions[0].action, tuple(actions))


def cost(given: Advice, chosen: ActionName) -> float:
    """Give how much a choice was expected to lose against the best, per unit of the first bet.

    Raises LookupError if the choice is none of the advised actions.
    """
    values = {valued.action: valued.value for valued in given.actions}
    return round(values[given.best] - values[chosen], _PLACES)


def insurance_advice(decks: int, cards: Sequence[str]) -> Advice:
    """Value an insurance of half the bet, from a full shoe less the player's cards and the ace.

    Less than a third of such a shoe are ten-point cards, whatever two cards are gone.
    """
    tens = 16 * decks - sum(up_card(card) == "T" for card in cards)
    chance = tens / (52 * decks - 1 - len(cards))
    insured = ValuedAction(ActionName.INSURE, round((3 * chance - 1) / 2, _PLACES))
    declined = ValuedAction(ActionName.DECLINE, 0.0)
    return Advice(ActionName.DECLINE, (declined, insured))


_PREFERENCE: Final = (
    ActionName.STAND,
    ActionName.HIT,
    ActionName.DOUBLE,
    ActionName.SPLIT,
    ActionName.SURRENDER,
)
"""Which of several equally good actions comes first."""


def _word(option: object) -> str:
    return str(option).lower()


def _table(
    ruleset: Ruleset, analysis: Analysis, splits: list[Floats]
) -> dict[str, dict[str, Choice]]:
    rows: dict[str, tuple[Worth, Floats | None]] = {}
    for total in _HARD:
        rows[f"hard {total}"] = analysis.totals[False, total], None
    for total in _SOFT:
        rows[f"soft {total}"] = analysis.totals[True, total], None
    for rank, name in enumerate(UP_CARDS):
        rows[f"pair {name}"] = analysis.hands[rank, rank], splits[rank]
    surrender = -0.5 if ruleset.surrender is Surrender.LATE else None
    return {
        name: {up: _choice(worth, split, surrender, column) for column, up in enumerate(UP_CARDS)}
        for name, (worth, split) in rows.items()
    }


def _choice(worth: Worth, split: Floats | None, surrender: float | None, up: int) -> Choice:
    def seen(values: Floats) -> float:
        # The peek: the dealer has no blackjack.
        return round(float(values[up] / worth.unbeaten[up]), _PLACES) + 0.0

    choice = Choice(
        stand=seen(worth.stand),
        hit=seen(worth.hit),
        double=seen(worth.double),
        split=None if split is None else seen(split),
        surrender=surrender,
        best=ActionName.STAND,
    )
    return msgspec.structs.replace(choice, best=ranked(choice, _PREFERENCE)[0].action)


def _edge(
    ruleset: Ruleset,
    analysis: Analysis,
    splits: list[Floats],
    hands: dict[str, dict[str, Choice]],
) -> float:
    """Weigh every deal with what the strategy's first action is worth on just these cards."""
    edge = 0.0
    for ranks, worth in analysis.hands.items():
        first, second = ranks
        if ranks == (ACE, TEN):
            result = _blackjack_result(ruleset)
        else:
            total = analysis.total_of[ranks]
            result = _first_action(worth, splits[first], hands[_total_name(total)])
            if first == second:
                pair = _first_action(worth, splits[first], hands[f"pair {UP_CARDS[first]}"])
                alike = _alike_chance(ruleset, first)
                result = alike * pair + (1 - alike) * result
            if ruleset.hole_card is HoleCard.AMERICAN:
                result = result - (1 - worth.unbeaten)
        edge += float((analysis.chance[ranks] * result).sum())
    return edge


def _first_action(worth: Worth, split: Floats, row: dict[str, Choice]) -> Floats:
    """Give the value [up card] of these very cards where the strategy has its best action."""
    by_action = {
        ActionName.STAND: worth.stand,
        ActionName.HIT: worth.hit,
        ActionName.DOUBLE: worth.double,
        ActionName.SPLIT: split,
        ActionName.SURRENDER: -worth.unbeaten / 2,
    }
    return np.array([by_action[row[up].best][column] for column, up in enumerate(UP_CARDS)])


def _blackjack_result(ruleset: Ruleset) -> Floats:
    """Give the value [up card] of a blackjack: paid unless the dealer ties it (`R9.4`)."""
    paid = 1.5 if ruleset.blackjack_pays is BlackjackPays.THREE_TO_TWO else 1.2
    left = 52.0 * ruleset.decks - 3
    tied = np.zeros(RANKS)
    tied[ACE] = (16 * ruleset.decks - 1) / left
    tied[TEN] = (4 * ruleset.decks - 1) / left
    result: Floats = paid * (1 - tied)
    return result


def _alike_chance(ruleset: Ruleset, rank: int) -> float:
    """Give the chance that two cards of one value may be split (`rules.md R8.4`)."""
    if rank != TEN or ruleset.split_by is SplitBy.VALUE:
        return 1.0
    return (4 * ruleset.decks - 1) / (16 * ruleset.decks - 1)


def _total_name(total: Total) -> str:
    soft, points = total
    return f"{'soft' if soft else 'hard'} {points}"
