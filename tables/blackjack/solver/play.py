"""What standing, hitting and doubling are worth, and by which totals to hit."""

from dataclasses import dataclass

import numpy as np

from tables.blackjack.ruleset import HoleCard, Ruleset
from tables.blackjack.solver.dealer import BLACKJACK, shoe_of
from tables.blackjack.solver.hands import (
    ACE,
    BUST,
    RANKS,
    TEN,
    Family,
    Flags,
    Floats,
    Ints,
    with_card,
)

UPS = np.arange(RANKS)
Total = tuple[bool, int]
"""Whether a hand is soft, and its total."""


@dataclass(frozen=True)
class Prospects:
    """What lies before each hand of a family: arrays [up card, hand].

    `draw[up card, hand, rank]` are the chances of the next card, `stand` the value of standing,
    `lost` what the cards that bust the hand add to the value of hitting, and `unbeaten` the
    chance that the dealer has no blackjack (in the European game 1: it is no event there).
    """

    family: Family
    draw: Floats
    stand: Floats
    lost: Floats
    unbeaten: Floats


@dataclass(frozen=True)
class Worth:
    """What each action on two cards is worth, by up card, before the peek."""

    stand: Floats
    hit: Floats
    double: Floats
    unbeaten: Floats

    @property
    def hits(self) -> Flags:
        """Where to hit rather than stand, if these two are left."""
        return self.hit > self.stand

    @property
    def doubles(self) -> Flags:
        """Where to double, if hitting, standing and doubling are left."""
        return self.double > np.maximum(self.stand, self.hit)


@dataclass(frozen=True)
class Analysis:
    """The strategy's values: of each total, and of each two-card hand by its two ranks.

    `chance` is that of the two cards together with the up card, `total_of` the hand's total.
    """

    totals: dict[Total, Worth]
    hands: dict[tuple[int, int], Worth]
    chance: dict[tuple[int, int], Floats]
    total_of: dict[tuple[int, int], Total]


def prospects(
    chances: Floats, ruleset: Ruleset, family: Family, rank: int = ACE, gone: int = 0
) -> Prospects:
    """Look at every hand of a family, with `gone` cards of `rank` out of the shoe besides it."""
    european = ruleset.hole_card is HoleCard.EUROPEAN
    left = np.repeat((shoe_of(ruleset.decks) - family.counts)[None], RANKS, axis=0)
    left[UPS, :, UPS] -= 1
    left[:, :, rank] -= gone
    left = np.maximum(left, 0)
    size = np.maximum(52 * ruleset.decks - 1 - family.size - gone, 2).astype(np.float64)
    draw = left / size[None, :, None]

    results = chances[:, :, family.removed[gone]]
    blackjack = results[:, BLACKJACK]
    stand = 1 - results.sum(axis=1)
    for total in range(17, 22):
        stand += results[:, total - 17] * np.sign(family.total - total)
    busts = family.after == BUST
    lost = -(draw * busts).sum(axis=2)
    if european:
        return Prospects(family, draw, stand - blackjack, lost, np.ones_like(stand))
    # A bust is a loss before the peek only where the hole card makes no blackjack: of the cards
    # left when the busting one is drawn, that is one.
    for up, hole in ((ACE, TEN), (TEN, ACE)):
        there = np.maximum(left[up, :, hole, None] - (hole == UPS), 0) / (size - 1)[:, None]
        lost[up] += (draw[up] * busts * there).sum(axis=1)
    return Prospects(family, draw, stand, lost, 1 - blackjack)


def hit(ahead: Prospects, values: Floats, rows: Ints) -> Floats:
    """Give the value [up card, row] of drawing a card, where `values` are those of all hands."""
    after = ahead.family.after[rows]
    # BUST is an index too: what it reads is not used.
    grown = np.where(after == BUST, 0.0, values[:, after])
    drawn: Floats = (ahead.draw[:, rows] * grown).sum(axis=2) + ahead.lost[:, rows]
    return drawn


def double(ahead: Prospects, rows: Ints) -> Floats:
    """Give the value [up card, row] of doubling: one card, twice the stake (`rules.md R8.3`)."""
    return 2 * hit(ahead, ahead.stand, rows)


def analyse(ahead: Prospects, ruleset: Ruleset) -> Analysis:
    """Find what each total is worth and when to hit it, from the highest totals down.

    A total's values are the mean over its two-card hands that are no pairs, weighted by their
    chance (a total without such hands: over all). What they say is best is also what longer
    hands of that total do, as `rules.md R12.1` has one action for a total: weighing the longer
    hands in changes the loss by less than 0.001 percentage points under any rules.
    """
    family = ahead.family
    chance = _deal_chances(ruleset)
    two_cards = {ranks: family.row_of[_pair(*ranks)] for ranks in chance}
    values = np.array(ahead.stand)
    totals: dict[Total, Worth] = {}
    hands: dict[tuple[int, int], Worth] = {}
    total_of: dict[tuple[int, int], Total] = {}
    for cell in family.cells:
        place = {row: column for column, row in enumerate(cell.rows.tolist())}
        members = [ranks for ranks, row in two_cards.items() if row in place]
        drawn = hit(ahead, values, cell.rows)
        doubled = double(ahead, cell.rows)
        for ranks in members:
            total_of[ranks] = cell.soft, cell.total
            row = two_cards[ranks]
            column = place[row]
            hands[ranks] = Worth(
                ahead.stand[:, row], drawn[:, column], doubled[:, column], ahead.unbeaten[:, row]
            )
        if cell.total == 21 or not members:
            continue
        typical = [ranks for ranks in members if ranks[0] != ranks[1]] or members
        worth = _mean([hands[ranks] for ranks in typical], [chance[ranks] for ranks in typical])
        totals[cell.soft, cell.total] = worth
        values[:, cell.rows] = np.where(worth.hits[:, None], drawn, ahead.stand[:, cell.rows])
    return Analysis(totals, hands, chance, total_of)


def play_out(ahead: Prospects, totals: dict[Total, Worth]) -> tuple[Floats, Floats]:
    """Give the values [up card, hand] of hands that are hit by their total, and of hitting them."""
    values = np.array(ahead.stand)
    hits = np.array(ahead.stand)
    for cell in ahead.family.cells:
        worth = totals.get((cell.soft, cell.total))
        if worth is not None:
            hits[:, cell.rows] = hit(ahead, values, cell.rows)
            values[:, cell.rows] = np.where(
                worth.hits[:, None], hits[:, cell.rows], values[:, cell.rows]
            )
    return values, hits


def _pair(first: int, second: int) -> tuple[int, ...]:
    return with_card(with_card((0,) * RANKS, first), second)


def _mean(worths: list[Worth], weights: list[Floats]) -> Worth:
    def mean(parts: list[Floats]) -> Floats:
        weighed: Floats = np.sum([w * part for w, part in zip(weights, parts, strict=True)], axis=0)
        average: Floats = weighed / np.sum(weights, axis=0)
        return average

    return Worth(
        mean([worth.stand for worth in worths]),
        mean([worth.hit for worth in worths]),
        mean([worth.double for worth in worths]),
        mean([worth.unbeaten for worth in worths]),
    )


def _deal_chances(ruleset: Ruleset) -> dict[tuple[int, int], Floats]:
    """Give the chance [up card] of two player's cards of these ranks together with the up card."""
    chances: dict[tuple[int, int], Floats] = {}
    for first in range(RANKS):
        for second in range(first, RANKS):
            left = shoe_of(ruleset.decks)
            chance = left[first]
            left[first] -= 1
            chance *= left[second]
            left[second] -= 1
            size = 52.0 * ruleset.decks
            orders = 1 if first == second else 2
            chances[first, second] = orders * chance * left / (size * (size - 1) * (size - 2))
    return chances
