"""The solver against a slow reading of the rules that deals every card one after the other."""

from collections.abc import Callable
from functools import cache

import pytest

from tables.blackjack.actions import ActionName
from tables.blackjack.ruleset import Ruleset, ruleset_of
from tables.blackjack.strategy import UP_CARDS, Strategy, solve

Shoe = tuple[int, ...]
Cards = tuple[int, ...]  # values from 1; an ace is 1
BLACKJACK = 6


def full_shoe(decks: int, *gone: int) -> Shoe:
    left = [4 * decks] * 9 + [16 * decks]
    for card in gone:
        left[card - 1] -= 1
    return tuple(left)


def draws(shoe: Shoe) -> list[tuple[int, float, Shoe]]:
    size = sum(shoe)
    return [
        (card, left / size, (*shoe[: card - 1], left - 1, *shoe[card:]))
        for card, left in enumerate(shoe, start=1)
        if left
    ]


def total(cards: Cards) -> int:
    points = sum(cards)
    return points + 10 if 1 in cards and points <= 11 else points


def is_soft(cards: Cards) -> bool:
    return 1 in cards and sum(cards) <= 11


@cache
def dealer_totals(cards: Cards, shoe: Shoe, hits_soft_17: bool) -> tuple[float, ...]:
    """The chances of the dealer's 17 to 21, of a bust and of a blackjack."""
    points = total(cards)
    if points > 17 or (points == 17 and not (hits_soft_17 and is_soft(cards))):
        final = BLACKJACK if cards == (1, 10) else min(points, 22) - 17
        return tuple(float(at == final) for at in range(7))
    chances = [0.0] * 7
    for card, chance, left in draws(shoe):
        shares = dealer_totals(tuple(sorted((*cards, card))), left, hits_soft_17)
        for at, share in enumerate(shares):
            chances[at] += chance * share
    return tuple(chances)


def against(points: int, chances: tuple[float, ...]) -> float:
    """What one unit on a total brings against the dealer's chances (R9.2, R9.3)."""
    if points > 21:
        return -1.0
    below = sum(chances[: points - 17]) if points > 17 else 0.0
    above = sum(chances[max(points - 16, 0) : 5])
    return chances[5] + below - above - chances[BLACKJACK]


def row_of(cards: Cards) -> str:
    if len(cards) == 2 and cards[0] == cards[1]:
        return f"pair {UP_CARDS[cards[0] - 1]}"
    return f"{'soft' if is_soft(cards) else 'hard'} {total(cards)}"


def best_of(strategy: Strategy, cards: Cards, up: int, legal: list[ActionName]) -> ActionName:
    choice = strategy.hands[row_of(cards)][UP_CARDS[up - 1]]
    values = {action: choice.value(action) for action in legal}
    return max(legal, key=lambda action: values[action] or 0.0)


def split_by_dealing(ruleset: Ruleset, strategy: Strategy, card: int, up: int) -> float:
    """Split a pair card by card (R8.4), where nothing is peeked at."""
    hits_soft_17 = ruleset.soft17 == "hit"

    def legal_on(cards: Cards, hands: int) -> list[ActionName]:
        aces = card == 1
        legal = [ActionName.STAND]
        if not aces:
            legal.append(ActionName.HIT)
            if len(cards) == 2 and ruleset.double_after_split:
                legal.append(ActionName.DOUBLE)
        if (
            cards == (card, card)
            and hands < ruleset.max_hands
            and (not aces or ruleset.resplit_aces)
        ):
            legal.append(ActionName.SPLIT)
        return legal

    @cache
    def result(ended: tuple[tuple[int, int], ...], waiting: tuple[Cards, ...], shoe: Shoe) -> float:
        """`ended` are totals and stakes; the first waiting hand is on turn, `(card,)` lacks one."""
        if not waiting:
            chances = dealer_totals((up,), shoe, hits_soft_17)
            return sum(stake * against(points, chances) for points, stake in ended)
        lacking = [at for at, cards in enumerate(waiting) if len(cards) == 1]
        if lacking:
            return dealt(
                shoe,
                lambda new, left: result(
                    ended,
                    (
                        *waiting[: lacking[0]],
                        (*waiting[lacking[0]], new),
                        *waiting[lacking[0] + 1 :],
                    ),
                    left,
                ),
            )
        cards, others = waiting[0], waiting[1:]

        def end(cards: Cards, stake: int, left: Shoe) -> float:
            return result(tuple(sorted((*ended, (total(cards), stake)))), others, left)

        if total(cards) >= 21:
            return end(cards, 1, shoe)
        match best_of(strategy, cards, up, legal_on(cards, len(ended) + len(waiting))):
            case ActionName.STAND:
                return end(cards, 1, shoe)
            case ActionName.DOUBLE:
                return dealt(shoe, lambda new, left: end((*cards, new), 2, left))
            case ActionName.SPLIT:
                return result(ended, ((card,), (card,), *others), shoe)
            case _:
                return dealt(shoe, lambda new, left: result(ended, ((*cards, new), *others), left))

    def dealt(shoe: Shoe, then: Callable[[int, Shoe], float]) -> float:
        return sum(chance * then(new, left) for new, chance, left in draws(shoe))

    return result((), ((card,), (card,)), full_shoe(ruleset.decks, card, card, up))


@pytest.mark.parametrize(
    ("rules", "card", "up"),
    [
        ({"decks": 1, "max_hands": 2, "double_after_split": False}, 9, 6),
        ({"decks": 1}, 1, 9),
        ({"decks": 1, "resplit_aces": True}, 1, 9),
        ({"decks": 1, "resplit_aces": True, "hole_card": "european"}, 1, 10),
        ({"decks": 1, "resplit_aces": True, "max_hands": 3, "soft17": "hit"}, 1, 7),
    ],
)
def test_a_split_is_worth_what_dealing_it_card_by_card_brings(
    rules: dict[str, object], card: int, up: int
) -> None:
    ruleset = ruleset_of(rules)
    strategy = solve(ruleset)
    worth = strategy.hands[f"pair {UP_CARDS[card - 1]}"][UP_CARDS[up - 1]].split
    assert worth == pytest.approx(split_by_dealing(ruleset, strategy, card, up), abs=2e-6)


def test_what_is_extrapolated_of_a_split_in_more_decks_is_exact_enough() -> None:
    ruleset = ruleset_of({"decks": 2, "resplit_aces": True})
    strategy = solve(ruleset)
    worth = strategy.hands["pair A"]["9"].split
    assert worth == pytest.approx(split_by_dealing(ruleset, strategy, 1, 9), abs=1e-5)


def played_under_a_hole_card(
    ruleset: Ruleset, strategy: Strategy, cards: Cards, up: int, action: ActionName
) -> float:
    """Fix the hole card first, throw blackjacks away, then play: what a peek means (R7.2)."""
    hits_soft_17 = ruleset.soft17 == "hit"

    def stood(cards: Cards, hole: int, shoe: Shoe) -> float:
        chances = dealer_totals(tuple(sorted((up, hole))), shoe, hits_soft_17)
        return against(total(cards), chances)

    def hit(cards: Cards, hole: int, shoe: Shoe) -> float:
        worth = 0.0
        for card, chance, left in draws(shoe):
            more = (*cards, card)
            goes_on = total(more) < 21 and (
                best_of(strategy, more, up, [ActionName.STAND, ActionName.HIT]) is ActionName.HIT
            )
            worth += chance * (hit(more, hole, left) if goes_on else stood(more, hole, left))
        return worth

    worth = weight = 0.0
    for hole, chance, shoe in draws(full_shoe(ruleset.decks, *cards, up)):
        if {hole, up} == {1, 10}:
            continue
        weight += chance
        match action:
            case ActionName.STAND:
                worth += chance * stood(cards, hole, shoe)
            case ActionName.HIT:
                worth += chance * hit(cards, hole, shoe)
            case _:
                worth += chance * sum(
                    2 * share * stood((*cards, card), hole, left)
                    for card, share, left in draws(shoe)
                )
    return worth / weight


@pytest.mark.parametrize("action", [ActionName.STAND, ActionName.HIT, ActionName.DOUBLE])
@pytest.mark.parametrize(
    ("rules", "cards", "up"),
    [
        ({"decks": 1}, (10, 9), 10),
        ({"decks": 1}, (1, 8), 1),
        ({"decks": 2, "soft17": "hit"}, (10, 9), 1),
        ({"decks": 1, "soft17": "hit"}, (8, 8), 10),
    ],
)
def test_after_a_peek_values_are_those_of_deals_without_blackjack(
    rules: dict[str, object], cards: Cards, up: int, action: ActionName
) -> None:
    # Rows of just one kind of two-card hand, so that there is no mean to take.
    ruleset = ruleset_of(rules)
    strategy = solve(ruleset)
    worth = strategy.hands[row_of(cards)][UP_CARDS[up - 1]].value(action)
    expected = played_under_a_hole_card(ruleset, strategy, cards, up, action)
    assert worth == pytest.approx(expected, abs=2e-6)
