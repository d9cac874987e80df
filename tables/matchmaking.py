"""Who plays whom: the tickets of one wave in, groups for ranked matches out (matchmaking.md 2).

A sweep over the tickets in order of rating cuts groups of neighbours, which keeps spreads
small. Then everybody it left is served in order of priority: first by a new group among those
left, else by taking the place of players with less priority in a group nearby, else by a new
group that takes members out of such groups. All repairs are bounded, so that a wave costs
little more than a sort. No clock and no database: the same tickets, in any order, always make
the same groups.
"""

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Final, NamedTuple

import numpy as np

from tables.pool import Pool
from tables.repair import Repair
from tables.tickets import LARGEST, PREFERRED, SMALLEST, STANDARD, Group, Policy, Ticket, allowed

_LOOKAHEAD: Final = 8  # tickets that the sweep may pass over for one that fits better
_ALIKE: Final = 10_000  # thousandths; so near, who has not just met goes first


class Pairing(NamedTuple):
    """What a wave decided: the groups, and who goes on waiting, both in order of priority."""

    groups: tuple[Group, ...]
    waiting: tuple[Ticket, ...]


def pair(tickets: Iterable[Ticket], policy: Policy = STANDARD) -> Pairing:
    """Groups for one wave, of tickets with no player in common. Every ticket is in at most one
    group; a group keeps every rule of matchmaking.md 2 (`allowed`)."""
    tickets = list(tickets)
    if len(tickets) < SMALLEST:
        return Pairing((), tuple(tickets))
    with _uncollected():
        pool = Pool(tickets, policy)
        _Sweep(pool).run()
        Repair(pool).run()
        return _pairing(pool)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Nothing here makes a cycle, and looking for some among 100,000 tickets takes longer than
    pairing them."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _pairing(pool: Pool) -> Pairing:
    """What came out, in order of priority; laid out in arrays, as there may be many groups."""
    lengths = np.array(list(map(len, pool.groups)), dtype=np.int64)
    members = np.array(list(chain.from_iterable(pool.groups)), dtype=np.int64)
    waiting = np.ones(len(pool.tickets), dtype=np.bool_)
    waiting[members] = False
    ranks = np.array(pool.ranks)
    left = np.flatnonzero(waiting)
    rest = tuple([pool.tickets[index] for index in left[np.argsort(ranks[left])].tolist()])
    if not pool.groups:
        return Pairing((), rest)
    # Each group's members by rank, then the groups by the rank of their first.
    first = np.minimum.reduceat(ranks[members], np.cumsum(lengths) - lengths)
    order = np.argsort(first)
    members = members[np.lexsort((ranks[members], np.repeat(first, lengths)))]
    ends = np.cumsum(lengths[order])
    starts = ends - lengths[order]
    lows = np.minimum.reduceat(np.array(pool.lows)[members], starts)
    highs = np.maximum.reduceat(np.array(pool.highs)[members], starts)
    sizes = np.add.reduceat(np.array(pool.sizes)[members], starts)
    tickets = [pool.tickets[index] for index in members.tolist()]
    columns = (starts.tolist(), ends.tolist(), sizes.tolist(), (highs - lows).tolist())
    groups = [
        Group(tuple(tickets[start:end]), size, gap)
        for start, end, size, gap in zip(*columns, strict=True)
    ]
    return Pairing(tuple(groups), rest)


class _Sweep:
    """Cuts groups of neighbours, from the lowest rating up."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    def run(self) -> None:
        pool, taken = self.pool, self.pool.taken
        for first in range(len(pool.tickets)):
            if taken[first]:
                continue
            members = self._four(first) or self._neighbours(first)
            if members:
                for index in members:
                    taken[index] = True
                pool.groups.append(members)

    def _four(self, first: int) -> list[int]:
        """The common case of `_neighbours` in one pass: the next tickets that make up exactly the
        preferred size, if nothing speaks against any of them."""
        pool = self.pool
        lows, highs, sizes, windows = pool.lows, pool.highs, pool.sizes, pool.windows
        low, high, size, narrowest = lows[first], highs[first], sizes[first], windows[first]
        plain = pool.plain[first]
        members = [first]
        for here in range(first + 1, min(first + _LOOKAHEAD, len(sizes))):
            if pool.taken[here] or size + sizes[here] > PREFERRED:
                continue
            high = max(high, highs[here])
            narrowest = min(narrowest, windows[here])
            if high - low > narrowest:
                return []
            plain = plain and pool.plain[here]
            if not plain and (not pool.may_meet(members, here) or pool.just_met(members, here)):
                return []
            members.append(here)
            size += sizes[here]
            if size == PREFERRED:
                return members
        return []

    def _neighbours(self, first: int) -> list[int]:
        """A group of `first` and the next tickets that fit, or an empty list."""
        pool = self.pool
        members = [first]
        size, high, narrowest = pool.sizes[first], pool.highs[first], pool.windows[first]
        while size < PREFERRED or len(members) < SMALLEST:
            following = self._next(members, size, high, narrowest)
            if following < 0:
                break
            members.append(following)
            size += pool.sizes[following]
            high = max(high, pool.highs[following])
            narrowest = min(narrowest, pool.windows[following])
        if len(members) < SMALLEST:
            return []
        if size == PREFERRED or allowed([pool.tickets[index] for index in members], pool.policy):
            return members
        return []

    def _next(self, members: list[int], size: int, high: int, narrowest: float) -> int:
        """The nearest ticket above that may join: rather one that keeps the preferred size, then
        one that none of the members has just met; -1 if there is none."""
        pool = self.pool
        first = members[0]
        low = pool.lows[first]
        best, least = -1, 4
        for here in range(first + 1, min(first + 1 + _LOOKAHEAD + LARGEST, len(pool.tickets))):
            if pool.taken[here] or here in members:
                continue
            distance = pool.lows[here] - low
            if distance > narrowest:
                break
            if least == 1 and pool.lows[here] - pool.lows[best] > _ALIKE:
                break
            grown = size + pool.sizes[here]
            flaw = 2 if grown > PREFERRED else 0
            if grown > LARGEST or flaw >= least:
                continue
            reach = max(high, pool.highs[here]) - low
            if reach > narrowest or reach > pool.windows[here]:
                continue
            if not pool.may_meet(members, here):
                continue
            flaw += pool.just_met(members, here)
            if flaw < least:
                best, least = here, flaw
                if flaw == 0:
                    break
        return best
