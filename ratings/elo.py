"""The rating arithmetic: what a match moves between its players, in whole thousandths of a point.

A rating is an `int` of thousandths (1500.000 points are 1_500_000). `expectation`, `pair_k` and
`transfer` use nothing but comparisons, table look-ups and the basic operations that IEEE 754
rounds correctly, so they give the same bits interpreted here, compiled in `history.py`, and on
any machine: a recomputed rating can be compared with a live one for equality.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Final

import numpy as np
from numpy.typing import NDArray

START: Final = 1_500_000
"""Everybody's first rating (ratings.md RT2.1)."""

# A gap of 4000 points is an expectation of 1e-10: no pair moves by a thousandth for it.
_WIDEST_GAP: Final = 4_000_000


def _powers(step: int, count: int) -> NDArray[np.float64]:
    """10^(i * step / 400000) for i below `count`, each rounded once from 40 digits."""
    with localcontext() as context:
        context.prec = 40
        base = (Decimal(10).ln() * step / 400_000).exp()
        values = [Decimal(1)]
        for _ in range(count - 1):
            values.append(values[-1] * base)
    return np.array([float(value) for value in values])


# The gap's digits to base 200: 10^((a + 200 b + 40000 c) / 400000) is a product of three.
_FINE: Final = _powers(1, 200)
_MIDDLE: Final = _powers(200, 200)
_COARSE: Final = _powers(40_000, _WIDEST_GAP // 40_000 + 1)


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast ratings move in a season (ratings.md RT2.4, RT3.4)."""

    k: int = 16
    provisional_k: int = 32
    provisional_matches: int = 20


@dataclass(frozen=True, slots=True)
class Standing:
    """One player of a rated match: rating before it (thousandths), rated matches before it in
    this season, place (1 is best, equal places are a draw), and party (0: came alone)."""

    rating: int
    matches: int
    place: int
    party: int = 0


def expectation(own: int, other: int) -> float:
    """Score expected of the player rated `own` against `other`, from 0 to 1 (RT2.2)."""
    gap = abs(own - other)
    if gap > _WIDEST_GAP:
        gap = _WIDEST_GAP
    odds = _COARSE[gap // 40_000] * _MIDDLE[gap // 200 % 200] * _FINE[gap % 200]
    if own >= other:
        return float(odds / (1.0 + odds))
    return float(1.0 / (1.0 + odds))


def pair_k(matches: int, other: int, k: int, provisional_k: int, provisional_matches: int) -> int:
    """K of a pair whose players have that many rated matches: the smaller of theirs (RT2.4)."""
    own_k = provisional_k if matches < provisional_matches else k
    other_k = provisional_k if other < provisional_matches else k
    return min(own_k, other_k)


def transfer(pair: int, players: int, score: float, expected: float) -> int:
    """Thousandths that go from the lower player of a pair to the higher one, given the pair's K,
    the number of players of the match, and the score and expectation of the first (RT2.3)."""
    return round(pair / (players - 1) * (score - expected) * 1000.0)


def score(place: int, other: int) -> float:
    """1, 0.5 or 0 as `place` is before, level with or behind `other` (RT2.2)."""
    if place == other:
        return 0.5
    return 1.0 if place < other else 0.0


def transfers(standings: Sequence[Standing], pace: Pace) -> tuple[int, ...]:
    """Thousandths that each pair (i, j), i < j, in the order (0, 1), (0, 2), ..., moves from j to
    i; 0 between two members of one party (RT2.3, RT2.5)."""
    count = len(standings)
    moved: list[int] = []
    for index, one in enumerate(standings):
        for two in standings[index + 1 :]:
            if one.party and one.party == two.party:
                moved.append(0)
                continue
            pair = pair_k(
                one.matches, two.matches, pace.k, pace.provisional_k, pace.provisional_matches
            )
            expected = expectation(one.rating, two.rating)
            moved.append(transfer(pair, count, score(one.place, two.place), expected))
    return tuple(moved)


def changes(players: int, moved: Sequence[int]) -> tuple[int, ...]:
    """Each player's change: the sum of the transfers of their pairs. All sum to 0 (RT2.3)."""
    total = [0] * players
    pairs = iter(moved)
    for first in range(players):
        for second in range(first + 1, players):
            points = next(pairs)
            total[first] += points
            total[second] -= points
    return tuple(total)


def rated_places(places: Sequence[int], decided: Sequence[bool]) -> tuple[int, ...]:
    """The places that are rated, from 1: whoever took no decision of their own is last, several
    such share that place (RT1.1)."""
    order = [
        (0, place) if took_part else (1, 0)
        for place, took_part in zip(places, decided, strict=True)
    ]
    return tuple(1 + sum(other < own for other in order) for own in order)


def shown(rating: int) -> int:
    """The rating in whole points, rounded half to even: what boards show and rank by (RT4.1)."""
    points, rest = divmod(rating, 1000)
    if rest > 500 or (rest == 500 and points % 2):
        points += 1
    return points


def next_season(rating: int) -> int:
    """The rating with which a player enters the next season: half way to 1500, rounded half to
    even (RT3.4)."""
    half, odd = divmod(rating + START, 2)
    return half + 1 if odd and half % 2 else half


def carried(rating: int, seasons: int) -> int:
    """The rating after so many changes of season without a match."""
    for _ in range(seasons):
        if rating == START:
            break
        rating = next_season(rating)
    return rating


def exact(rating: int) -> str:
    """The rating in points with its three places, as in `"1512.345"`."""
    sign = "-" if rating < 0 else ""
    points, rest = divmod(abs(rating), 1000)
    return f"{sign}{points}.{rest:03d}"
