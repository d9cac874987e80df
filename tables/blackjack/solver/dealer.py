"""The dealer's chances, by the cards that are gone from the shoe (`rules.md R9.1`)."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from tables.blackjack.solver.hands import (
    ACE,
    RANKS,
    TEN,
    Floats,
    removals,
    total_of,
    with_card,
)

RESULTS: Final = 6
"""Rows of a chance table: 17, 18, 19, 20, 21 without a blackjack, and a blackjack.

What is lacking to 1 is the dealer's bust.
"""
BLACKJACK: Final = 5
_BLOCK: Final = 4096  # hands worked on at once, so that what is read stays in the cache


@dataclass(frozen=True)
class _Draw:
    """A card that ends the dealer's draw: its rank, how many of it were drawn, the result."""

    rank: int
    before: int
    result: int


@dataclass(frozen=True)
class _Node:
    """Cards that the dealer may have drawn, in whatever order.

    `orders` counts the orders in which the dealer may draw them all. `parent` is the node with
    one card of `rank` less, of which `before` were drawn then; `cards` are drawn here.
    """

    parent: int
    rank: int
    before: int
    cards: int
    orders: int
    ends: tuple[_Draw, ...]


@lru_cache(maxsize=2 * RANKS)
def _draws(up: int, hits_soft_17: bool) -> tuple[_Node, ...]:
    """List what the dealer can draw to an up card; parents first.

    The chance of drawing given cards does not depend on their order, so that each set of cards
    is looked at once, however many orders lead to it.
    """
    none: tuple[int, ...] = (0,) * RANKS
    orders: dict[tuple[int, ...], int] = {none: 1}
    ends: dict[tuple[int, ...], list[_Draw]] = {}
    last: list[tuple[int, ...]] = [none]
    while last:
        grown: dict[tuple[int, ...], int] = {}
        for drawn in last:
            for rank in range(RANKS):
                more = with_card(drawn, rank)
                total, soft = total_of(with_card(more, up))
                if drawn == none and {up, rank} == {ACE, TEN}:
                    ends.setdefault(drawn, []).append(_Draw(rank, 0, BLACKJACK))
                elif total < 17 or (total == 17 and soft and hits_soft_17):
                    grown[more] = grown.get(more, 0) + orders[drawn]
                elif total <= 21:
                    ends.setdefault(drawn, []).append(_Draw(rank, drawn[rank], total - 17))
        orders.update(grown)
        last = list(grown)

    nodes: list[_Node] = []
    place: dict[tuple[int, ...], int] = {}

    def add(drawn: tuple[int, ...]) -> int:
        if drawn not in place:
            parent, rank = -1, -1
            if drawn != none:
                rank = max(r for r in range(RANKS) if drawn[r])
                parent = add(with_card(drawn, rank, -1))
            place[drawn] = len(nodes)
            nodes.append(
                _Node(
                    parent,
                    rank,
                    drawn[rank] - 1,
                    sum(drawn),
                    orders.get(drawn, 0),
                    tuple(ends.get(drawn, ())),
                )
            )
        return place[drawn]

    for drawn in orders:
        add(drawn)
    return tuple(nodes)


def shoe_of(decks: int) -> Floats:
    """Give the number of cards of each rank in a full shoe."""
    return np.array([4 * decks] * (RANKS - 1) + [16 * decks], dtype=np.float64)


def dealer_chances(decks: int, hits_soft_17: bool) -> Floats:
    """Give the chances [up card, result, row of `removals`] with those cards and the up card gone.

    Rows that a shoe of `decks` packs cannot deal hold some finite number.
    """
    gone = removals()
    chances = np.empty((RANKS, RESULTS, len(gone)))
    for start in range(0, len(gone), _BLOCK):
        block = slice(start, start + _BLOCK)
        for up in range(RANKS):
            left = (shoe_of(decks) - gone[block]).T.copy()
            left[up] -= 1
            chances[up, :, block] = _chances(np.maximum(left, 0), _draws(up, hits_soft_17))
    return chances


def _chances(left: Floats, nodes: tuple[_Node, ...]) -> Floats:
    """Give the chances [result, shoe] for shoes with `left[rank, shoe]` cards."""
    longest = max(node.cards for node in nodes) + 1
    size = left.sum(axis=0)
    one_of = [1 / np.maximum(size - drawn, 1) for drawn in range(longest)]
    fewer: dict[tuple[int, int], Floats] = {}
    chances = np.zeros((RESULTS, left.shape[1]))
    weight: list[Floats] = []
    scratch = np.empty(left.shape[1])

    def still_left(rank: int, drawn: int) -> Floats:
        if (rank, drawn) not in fewer:
            fewer[rank, drawn] = np.maximum(left[rank] - drawn, 0)
        return fewer[rank, drawn]

    for node in nodes:
        if node.parent < 0:
            chance = np.ones(left.shape[1])
        else:
            chance = weight[node.parent] * still_left(node.rank, node.before)
            chance *= one_of[node.cards - 1]
        weight.append(chance)
        if node.ends and node.orders:
            here = chance * one_of[node.cards]
            here *= node.orders
            for end in node.ends:
                np.multiply(here, still_left(end.rank, end.before), out=scratch)
                chances[end.result] += scratch
    return chances
