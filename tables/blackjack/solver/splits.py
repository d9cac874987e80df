"""What splitting a pair is worth, resplits and their limit included (`rules.md R8.4`, `R8.5`).

A split hand is played by its own cards alone, and the next cards of a shuffled shoe are as good
as any others, whoever draws before. So the value of a split is a plain sum over its hands; what
one hand knows of the others is only how many cards of the pair's rank came, since they decide how
many hands there are. A card known *not* to be of that rank is worked out from one that may be
anything: value = P(of the rank) * value with one gone + P(not) * value with such a card gone.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from tables.blackjack.ruleset import Ruleset, SplitBy
from tables.blackjack.solver.dealer import shoe_of
from tables.blackjack.solver.hands import ACE, MOST_GONE, RANKS, TEN, Floats, hands_with, with_card
from tables.blackjack.solver.play import (
    UPS,
    Analysis,
    double,
    play_out,
    prospects,
)


@dataclass(frozen=True)
class _Course:
    """Ways in which a split can go: the second cards that are of the pair's rank, and others.

    All others make a hand; of the cards of the rank those are left as hands that are not split
    again. `ways` counts the orders in which these cards may come.
    """

    alike: int
    others: int
    pairs_left: int
    ways: int


@lru_cache(maxsize=4)
def _courses(max_hands: int) -> tuple[_Course, ...]:
    """List how a split into at most `max_hands` hands can go, each pair split as long as it may."""
    found: Counter[tuple[int, int, int]] = Counter()

    def go(hands: tuple[bool | None, ...], alike: int, others: int) -> None:
        if None in hands:
            place = hands.index(None)
            for is_alike in (True, False):
                dealt = (*hands[:place], is_alike, *hands[place + 1 :])
                go(dealt, alike + is_alike, others + (not is_alike))
        elif True in hands and len(hands) < max_hands:
            place = hands.index(True)
            go((*hands[:place], None, None, *hands[place + 1 :]), alike, others)
        else:
            found[alike, others, hands.count(True)] += 1

    go((None, None), 0, 0)
    return tuple(
        _Course(alike, others, pairs, ways) for (alike, others, pairs), ways in found.items()
    )


def split_values(chances: Floats, ruleset: Ruleset, analysis: Analysis, rank: int) -> Floats:
    """Give the value [up card] of splitting two cards of `rank`, per unit of the first bet.

    A pair that comes again is split again where that is the best of what is allowed then.
    """
    once = _Split(chances, ruleset, analysis, rank)
    first = once.value(2)
    if ruleset.max_hands == 2 or (rank == ACE and not ruleset.resplit_aces):
        return first
    again = once.value(ruleset.max_hands)
    pair = analysis.hands[rank, rank]
    other = pair.stand
    if rank != ACE:
        other = np.maximum(other, pair.hit)
        if ruleset.double_after_split:
            other = np.maximum(other, pair.double)
    resplit: Floats = np.where(again > other, again, first)
    return resplit


class _Split:
    """One pair and the shoe from which its hands draw; all values are by up card."""

    def __init__(self, chances: Floats, ruleset: Ruleset, analysis: Analysis, rank: int) -> None:
        self._ruleset = ruleset
        self._analysis = analysis
        self._rank = rank
        self._grown = [self._second_cards(chances, gone) for gone in range(1, MOST_GONE + 1)]

    def value(self, max_hands: int) -> Floats:
        """Give the value of splitting into up to `max_hands` hands, whatever is better."""
        by_rank = self._ruleset.split_by is SplitBy.RANK and self._rank == TEN
        if not by_rank:
            kin = shoe_of(self._ruleset.decks)[self._rank] - (self._rank == UPS)
            return self._value(max_hands, kin)
        # Of the tens only those of the same face are alike; the up card may be one of them.
        alike = 4.0 * self._ruleset.decks
        same = (alike - 2) / (4 * alike - 2)
        seen = self._value(max_hands, alike - (UPS == TEN))
        unseen = self._value(max_hands, np.full(RANKS, alike))
        return same * seen + (1 - same) * unseen

    def _value(self, max_hands: int, kin: Floats) -> Floats:
        """Do so with `kin` cards that are alike, the pair still counted."""
        size = 52.0 * self._ruleset.decks - 1

        @cache
        def other_hand(alike: int, others: int) -> Floats:
            """A hand with another second card; `alike` kin are gone and `others` that are not."""
            if others == 0:
                left = np.repeat(shoe_of(self._ruleset.decks)[None], RANKS, axis=0)
                left[UPS, UPS] -= 1
                left[:, self._rank] -= alike
                rest = np.maximum(kin - alike, 0)
                left[:, self._rank] -= rest
                left = np.maximum(left, 0)
                weighed: Floats = (left * self._with_gone(alike - 1)).sum(axis=1)
                return weighed / (size - alike - rest)
            chance = np.maximum(kin - alike, 0) / (size - alike - others)
            return self._known_other(chance, other_hand, alike, others)

        @cache
        def pair_left(alike: int, others: int) -> Floats:
            """A pair that is not split again."""
            if others == 0:
                pair: Floats = self._with_gone(alike - 2)[:, self._rank]
                return pair
            chance = np.maximum(kin - alike, 0) / (size - alike - (others - 1))
            return self._known_other(chance, pair_left, alike, others)

        value = np.zeros(RANKS)
        for course in _courses(max_hands):
            gone = 2 + course.alike
            chance = np.full(RANKS, float(course.ways))
            for drawn in range(course.alike):
                chance *= np.maximum(kin - 2 - drawn, 0) / (size - 2 - drawn)
            for drawn in range(course.others):
                rest = size - gone - drawn
                chance *= (rest - np.maximum(kin - gone, 0)) / rest
            hands = np.zeros(RANKS)
            if course.others:
                hands += course.others * other_hand(gone, course.others - 1)
            if course.pairs_left:
                hands += course.pairs_left * pair_left(gone, course.others)
            value += chance * hands
        return value

    @staticmethod
    def _known_other(
        chance: Floats, hand: Callable[[int, int], Floats], alike: int, others: int
    ) -> Floats:
        """Take the share of an alike card from a value of which the card is not known."""
        value: Floats = (hand(alike, others - 1) - chance * hand(alike + 1, others - 1)) / (
            1 - chance
        )
        return value

    def _with_gone(self, gone: int) -> Floats:
        """Give the values [up card, second card] with `gone` cards of the rank gone besides."""
        if gone <= MOST_GONE:
            return self._grown[gone - 1]
        # The parabola through what is known: values change slowly and nearly evenly with it.
        known = range(1, MOST_GONE + 1)
        beyond = np.zeros((RANKS, RANKS))
        for here in known:
            share = 1.0
            for there in known:
                if there != here:
                    share *= (gone - there) / (here - there)
            beyond += share * self._grown[here - 1]
        return beyond

    def _second_cards(self, chances: Floats, gone: int) -> Floats:
        """Give what a split hand is worth [up card, second card], played as the strategy does."""
        family = hands_with(self._rank)
        ahead = prospects(chances, self._ruleset, family, self._rank, gone)
        single = with_card((0,) * RANKS, self._rank)
        rows = np.array([family.row_of[with_card(single, second)] for second in range(RANKS)])
        stood = ahead.stand[:, rows]
        if self._rank == ACE:
            return stood
        _, hits = play_out(ahead, self._analysis.totals)
        doubled = double(ahead, rows)
        grown = np.array(stood)
        for second, row in enumerate(rows.tolist()):
            total = int(family.total[row])
            if total == 21:
                continue
            if second == self._rank:
                worth = self._analysis.hands[second, second]
            else:
                soft = second == ACE
                worth = self._analysis.totals[soft, total]
            grown[:, second] = np.where(worth.hits, hits[:, row], stood[:, second])
            if self._ruleset.double_after_split:
                grown[:, second] = np.where(worth.doubles, doubled[:, second], grown[:, second])
        return grown
