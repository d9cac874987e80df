"""Every hand that a player can hold, as the number of cards of each rank."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

ACE: Final = 0
TEN: Final = 9
RANKS: Final = 10
BUST: Final = -1

MOST_GONE: Final = 3
"""How many cards of a pair's rank beyond the hand itself are analysed as gone from the shoe.

With one deck there are no more; with several, what more of them do is extrapolated (`splits`).
"""


@dataclass(frozen=True)
class Cell:
    """The hands of one total: the unit of a total-dependent strategy, and where they stand."""

    soft: bool
    total: int
    rows: Ints


@dataclass(frozen=True)
class Family:
    """Some hands of up to 21 points, and where the next card takes each of them.

    `after[hand, rank]` is the row of the hand with one card more, or BUST. `cells` are in an order
    in which every hand comes after those that it can become. `removed[gone]` are the rows of the
    dealer's table for these hands with so many cards of the family's rank gone besides.
    """

    counts: Ints
    size: Ints
    total: Ints
    after: Ints
    cells: tuple[Cell, ...]
    removed: tuple[Ints, ...]
    row_of: dict[tuple[int, ...], int]


def total_of(counts: tuple[int, ...]) -> tuple[int, bool]:
    """Give the total of some cards and whether it is soft (`rules.md R6.1`)."""
    hard = sum((rank + 1) * count for rank, count in enumerate(counts))
    soft = counts[ACE] > 0 and hard <= 11
    return (hard + 10, True) if soft else (hard, False)


def with_card(counts: tuple[int, ...], rank: int, cards: int = 1) -> tuple[int, ...]:
    """Give the hand with `cards` more of `rank`."""
    return (*counts[:rank], counts[rank] + cards, *counts[rank + 1 :])


@lru_cache(maxsize=1)
def all_hands() -> Family:
    """Give the family of all hands of at least one card and at most 21 points."""
    return _family(_listed(), None)


@lru_cache(maxsize=RANKS)
def hands_with(rank: int) -> Family:
    """Give the family of the hands that hold a card of `rank`: what grows from a split card."""
    return _family([hand for hand in _listed() if hand[rank]], rank)


@lru_cache(maxsize=1)
def removals() -> Ints:
    """Give the sets of player's cards for which the dealer's chances are wanted, one a row."""
    return np.array(list(_removal_rows()), dtype=np.int64)


@lru_cache(maxsize=1)
def _listed() -> list[tuple[int, ...]]:
    hands: list[tuple[int, ...]] = []

    def grow(hand: tuple[int, ...], lowest: int, points: int) -> None:
        for rank in range(lowest, RANKS):
            if points + rank + 1 <= 21:
                grown = with_card(hand, rank)
                hands.append(grown)
                grow(grown, rank, points + rank + 1)

    grow((0,) * RANKS, ACE, 0)
    return hands


@lru_cache(maxsize=1)
def _removal_rows() -> dict[tuple[int, ...], int]:
    wanted = dict.fromkeys(_listed())
    for rank in range(RANKS):
        for hand in _listed():
            # Split aces get one card each, so no longer hand grows from an ace.
            if hand[rank] and not (rank == ACE and sum(hand) > 2):
                wanted.update(
                    dict.fromkeys(with_card(hand, rank, gone) for gone in range(1, MOST_GONE + 1))
                )
    return {hand: row for row, hand in enumerate(wanted)}


def _family(hands: list[tuple[int, ...]], rank: int | None) -> Family:
    if rank == ACE:
        hands = [hand for hand in hands if sum(hand) <= 2]
    row_of = {hand: row for row, hand in enumerate(hands)}
    after = [[row_of.get(with_card(hand, drawn), BUST) for drawn in range(RANKS)] for hand in hands]
    kinds: dict[tuple[bool, int], list[int]] = {}
    for row, hand in enumerate(hands):
        total, soft = total_of(hand)
        kinds.setdefault((soft, total), []).append(row)
    ordered = (
        [(False, total) for total in range(21, 11, -1)]
        + [(True, total) for total in range(21, 10, -1)]
        + [(False, total) for total in range(11, 1, -1)]
    )
    rows = _removal_rows()
    removed = [np.array([rows[hand] for hand in hands])]
    if rank is not None:
        removed += [
            np.array([rows[with_card(hand, rank, gone)] for hand in hands])
            for gone in range(1, MOST_GONE + 1)
        ]
    return Family(
        counts=np.array(hands, dtype=np.int64),
        size=np.array([sum(hand) for hand in hands], dtype=np.int64),
        total=np.array([total_of(hand)[0] for hand in hands], dtype=np.int64),
        after=np.array(after, dtype=np.int64),
        cells=tuple(
            Cell(soft, total, np.array(kinds[soft, total], dtype=np.int64))
            for soft, total in ordered
            if (soft, total) in kinds
        ),
        removed=tuple(removed),
        row_of=row_of,
    )
