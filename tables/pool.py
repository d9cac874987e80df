"""The tickets of one wave, laid out for a fast search."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from tables.tickets import LARGEST_PARTY, Policy, Ticket, named_in, strangers, window


class Pool:
    """Tickets in order of rating, known by their index in it, and the groups made of them."""

    def __init__(self, tickets: Iterable[Ticket], policy: Policy) -> None:
        self.policy = policy
        listed = list(tickets)
        sizes = np.array([len(ticket.players) for ticket in listed], dtype=np.int64)
        ratings = np.array(
            list(chain.from_iterable([ticket.ratings for ticket in listed])), dtype=np.int64
        )
        starts = np.cumsum(sizes) - sizes
        lows = np.minimum.reduceat(ratings, starts)
        highs = np.maximum.reduceat(ratings, starts)
        waited = np.array([ticket.waited for ticket in listed], dtype=np.float64)
        windows = np.array([window(seconds, policy) for seconds in waited.tolist()])
        choosy = np.array(_choosy(listed), dtype=np.bool_)
        by_priority, level_of_rank = _in_order(listed, waited)
        ranks = np.empty(len(listed), dtype=np.int64)
        ranks[by_priority] = np.arange(len(listed))
        order = np.lexsort((ranks, lows))
        lows, highs, sizes, windows = lows[order], highs[order], sizes[order], windows[order]
        # Too large a party, or one whose members are too far apart yet, is in nobody's way.
        able = (sizes <= LARGEST_PARTY) & (highs - lows <= windows)
        # By index; a rank is a place in the order of priority, 0 is served first; those who
        # have waited alike are of one level. Plain is who has blocked nobody, just met nobody,
        # and is in a browser of their own.
        self.tickets = [listed[index] for index in order.tolist()]
        self.ranks: list[int] = ranks[order].tolist()
        self.levels: list[int] = level_of_rank[ranks[order]].tolist()
        self.lows: list[int] = lows.tolist()
        self.highs: list[int] = highs.tolist()
        self.sizes: list[int] = sizes.tolist()
        self.windows: list[float] = windows.tolist()
        self.choosy: list[bool] = choosy[order].tolist()
        self.taken: list[bool] = (~able).tolist()
        plain = ~choosy & ~np.array([bool(ticket.met) for ticket in listed], dtype=np.bool_)
        self.plain: list[bool] = plain[order].tolist()
        self.groups: list[list[int]] = []
        self._columns = (lows, highs, windows)

    def extent(self, members: list[int]) -> tuple[int, int, int, float]:
        """Lowest and highest rating, number of players, narrowest window of some tickets."""
        return (
            min(map(self.lows.__getitem__, members)),
            max(map(self.highs.__getitem__, members)),
            sum(map(self.sizes.__getitem__, members)),
            min(map(self.windows.__getitem__, members)),
        )

    def around(self, index: int) -> list[int]:
        """All others whose spread with `index` is within both windows, the nearest first."""
        lows, highs, windows = self._columns
        start, end = 0, len(lows)
        if isfinite(self.windows[index]):
            bottom = self.highs[index] - self.windows[index]
            start, end = np.searchsorted(lows, [bottom, self.lows[index] + self.windows[index] + 1])
        reach = np.maximum(highs[start:end], self.highs[index])
        reach -= np.minimum(lows[start:end], self.lows[index])
        near = np.minimum(windows[start:end], self.windows[index])
        found = np.flatnonzero(reach <= near)
        order = np.lexsort((found, reach[found]))
        listed: list[int] = (found[order] + start).tolist()
        listed.remove(index)
        return listed

    def may_meet(self, members: list[int], index: int) -> bool:
        """Whether a ticket may join all of these (`strangers`)."""
        choosy, tickets = self.choosy, self.tickets
        return all(
            strangers(tickets[member], tickets[index])
            for member in members
            if choosy[index] or choosy[member]
        )

    def just_met(self, members: list[int], index: int) -> bool:
        """Whether somebody of a ticket has just played somebody of these."""
        ticket = self.tickets[index]
        for member in members:
            other = self.tickets[member]
            if named_in(ticket.met, other) or named_in(other.met, ticket):
                return True
        return False


def _in_order(
    tickets: Sequence[Ticket], waited: NDArray[np.float64]
) -> tuple[list[int], NDArray[np.int64]]:
    """Positions of the tickets in order of priority (those sent back first, then who has waited
    longest, then by id), and along it a number that is equal for equal waiting."""
    behind = np.array([not ticket.front for ticket in tickets], dtype=np.int8)
    order = np.lexsort((-waited, behind))
    step = (np.diff(waited[order]) != 0) | (np.diff(behind[order]) != 0)
    levels = np.concatenate((np.zeros(min(len(tickets), 1), dtype=np.int64), np.cumsum(step)))
    positions: list[int] = order.tolist()
    if not step.all():
        starts = np.flatnonzero(np.concatenate(([True], step)))
        for start, end in pairwise([*starts.tolist(), len(positions)]):
            if end - start > 1:
                run = positions[start:end]
                positions[start:end] = sorted(run, key=lambda position: tickets[position].id.int)
    return positions, levels


def _choosy(tickets: Sequence[Ticket]) -> list[bool]:
    """Which tickets there may be somebody for whom they must not meet (`strangers`)."""
    browsers = [ticket.browsers for ticket in tickets]
    if sum(map(len, browsers)) == len(set(chain.from_iterable(browsers))):
        return [bool(ticket.blocked) for ticket in tickets]
    seen = Counter(chain.from_iterable(browsers))
    shared = {browser for browser, times in seen.items() if times > 1}
    return [bool(ticket.blocked) or not shared.isdisjoint(ticket.browsers) for ticket in tickets]
