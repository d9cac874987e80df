"""Serves those whom the sweep of a wave left over, in order of priority (matchmaking.md 2)."""

from bisect import bisect_left, insort
from collections.abc import Iterator
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import Final

from tables.pool import Pool
from tables.tickets import LARGEST, PREFERRED, allowed, spread

_CANDIDATES: Final = 12  # nearest tickets among which a group is searched
_SCANNED: Final = 48  # tickets looked at to find them, on each side
_NEIGHBOURS: Final = 32  # groups looked at for a place, on each side
_REPAIRED: Final = 500  # tickets served one by one in a wave; the rest wait for the next
_CLAIMED: Final = 8_000  # tickets looked at in a wave for groups made of others' members
_JUDGED: Final = 20  # what it costs, in such tickets, to see who would lose a place


class Repair:
    """Serves those whom the sweep left, in order of priority, until nothing changes any more."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.left = [index for index, taken in enumerate(pool.taken) if not taken]
        self.waiting = set(self.left)
        self.places = sorted((self._low(members), n) for n, members in enumerate(pool.groups))
        self.budget = _REPAIRED
        self.claims = _CLAIMED

    def run(self) -> None:
        ranks = self.pool.ranks
        changed = True
        while changed and self.budget > 0:
            changed = False
            queue = [(ranks[index], index) for index in self.waiting]
            heapify(queue)
            while queue and self.budget > 0:
                _, index = heappop(queue)
                if index not in self.waiting:
                    continue
                self.budget -= 1
                if self._gather(index):
                    changed = True
                    continue
                displaced = self._displace(index)
                if displaced is None:
                    displaced = self._claim(index)
                if displaced is not None:
                    changed = True
                    for other in displaced:
                        heappush(queue, (ranks[other], other))
        self.pool.groups = [members for members in self.pool.groups if members]

    def _low(self, members: list[int]) -> int:
        return min([self.pool.lows[index] for index in members])

    def _settle(self, number: int, members: list[int]) -> None:
        self.pool.groups[number] = members
        self.waiting.difference_update(members)
        self.homes.update(dict.fromkeys(members, number))
        insort(self.places, (self._low(members), number))

    def _release(self, dropped: list[int]) -> None:
        for other in dropped:
            position = bisect_left(self.left, other)
            if position == len(self.left) or self.left[position] != other:
                self.left.insert(position, other)
        self.waiting.update(dropped)

    @cached_property
    def homes(self) -> dict[int, int]:
        """The number of the group of everybody who is in one (and of some who no longer are)."""
        return {
            index: number for number, members in enumerate(self.pool.groups) for index in members
        }

    def _within_reach(self, one: int, two: int) -> int | None:
        """The spread of two tickets, None if it is too wide for one of them."""
        pool = self.pool
        reach = max(pool.highs[one], pool.highs[two]) - min(pool.lows[one], pool.lows[two])
        return reach if reach <= pool.windows[one] and reach <= pool.windows[two] else None

    # -- A new group among those left --------------------------------------------------------

    def _gather(self, anchor: int) -> bool:
        """Make the best new group of `anchor` and others who are left, if there is any."""
        best = self._best(anchor, self._near(anchor))
        if best is None:
            return False
        self.pool.groups.append([])
        self._settle(len(self.pool.groups) - 1, best)
        return True

    def _near(self, anchor: int) -> list[int]:
        """The nearest few among those left whom `anchor` may meet."""
        middle = bisect_left(self.left, anchor)
        found = []
        for index in self.left[max(0, middle - _SCANNED) : middle + _SCANNED + 1]:
            if index == anchor or index not in self.waiting:
                continue
            reach = self._within_reach(anchor, index)
            if reach is not None and self.pool.may_meet([anchor], index):
                found.append((reach, self.pool.ranks[index], index))
        found.sort()
        return [index for _, _, index in found[:_CANDIDATES]]

    def _best(self, anchor: int, candidates: list[int]) -> list[int] | None:
        """The allowed group nearest to the preferred size, of strangers rather than of those who
        have just met, then of the least spread."""
        pool = self.pool
        best: list[int] | None = None
        best_key: tuple[int, int, int] | None = None
        drafts = [([anchor], 0)]
        while drafts:
            members, start = drafts.pop()
            size = sum([pool.sizes[index] for index in members])
            for position in range(start, len(candidates)):
                index = candidates[position]
                grown = size + pool.sizes[index]
                if grown > LARGEST or not pool.may_meet(members, index):
                    continue
                larger = [*members, index]
                if grown < PREFERRED:
                    drafts.append((larger, position + 1))
                tickets = [pool.tickets[member] for member in larger]
                if not allowed(tickets, pool.policy):
                    continue
                met = sum(
                    pool.just_met(larger[:count], member) for count, member in enumerate(larger)
                )
                key = (abs(grown - PREFERRED), met, spread(tickets))
                if best_key is None or key < best_key:
                    best, best_key = larger, key
        return best

    # -- A place in a group ------------------------------------------------------------------

    def _displace(self, index: int) -> list[int] | None:
        """Give `index` a place in a group nearby: a free one, or that of tickets with less
        priority. Who lost theirs, or None if there is no place."""
        best: tuple[tuple[int, int], int, list[int], list[int]] | None = None
        for number in self._groups_near(index):
            option = self._place_in(self.pool.groups[number], index)
            if option is None:
                continue
            kept, dropped = option
            members = [*kept, index]
            low, high, _, _ = self.pool.extent(members)
            key = (len(dropped), high - low)
            if best is None or (key, number) < best[:2]:
                best = (key, number, members, dropped)
        if best is None:
            return None
        _, number, members, dropped = best
        self._release(dropped)
        self._settle(number, members)
        return dropped

    def _groups_near(self, index: int) -> list[int]:
        middle = bisect_left(self.places, (self.pool.lows[index], -1))
        around = self.places[max(0, middle - _NEIGHBOURS) : middle + _NEIGHBOURS]
        return sorted({number for _, number in around if self.pool.groups[number]})

    def _place_in(self, members: list[int], index: int) -> tuple[list[int], list[int]] | None:
        """Whom to keep and whom to drop so that `index` may join; those with least priority go
        first, and nobody goes for somebody who has not waited longer."""
        pool = self.pool
        kept = sorted(members, key=pool.ranks.__getitem__)
        if self._within_reach(kept[0], index) is None:
            return None
        dropped: list[int] = []
        while kept:
            low, high, size, narrowest = pool.extent([*kept, index])
            if (
                size <= LARGEST
                and high - low <= narrowest
                and allowed([pool.tickets[member] for member in [*kept, index]], pool.policy)
            ):
                return kept, dropped
            if pool.levels[kept[-1]] <= pool.levels[index]:
                return None
            dropped.append(kept.pop())
        return None

    # -- A new group that takes members from others --------------------------------------------

    def _claim(self, index: int) -> list[int] | None:
        """Make a group of `index` and whomever it may play, of whatever groups they are, if all
        who lose their place by it have less priority. Who lost it, or None if there is none."""
        candidates = self._in_reach(index)
        best: tuple[tuple[int, int, int], list[int]] | None = None
        for members in self._drafts(index, candidates[:_CANDIDATES]):
            lost = self._lost(index, members)
            if lost is None:
                continue
            low, high, size, _ = self.pool.extent(members)
            players = sum([self.pool.sizes[other] for other in lost])
            key = (players, abs(size - PREFERRED), high - low)
            if best is None or key < best[0]:
                best = (key, members)
        if best is not None:
            return self._take(best[1])
        if len(candidates) > _CANDIDATES:
            for members in self._drafts(index, candidates):
                if self._lost(index, members) is not None:
                    return self._take(members)
        return None

    def _in_reach(self, index: int) -> list[int]:
        """All whom `index` may meet, the nearest first."""
        pool = self.pool
        return [
            other
            for other in pool.around(index)
            if (other in self.waiting or other in self.homes) and pool.may_meet([index], other)
        ]

    def _drafts(self, index: int, candidates: list[int]) -> Iterator[list[int]]:
        """Every allowed group of `index` and some of these, as long as the wave can afford it."""
        pool = self.pool
        drafts = [([index], 0)]
        while drafts:
            members, start = drafts.pop()
            low, high, size, narrowest = pool.extent(members)
            for position in range(start, len(candidates)):
                if self.claims <= 0:
                    return
                self.claims -= 1
                other = candidates[position]
                grown = size + pool.sizes[other]
                reach = max(high, pool.highs[other]) - min(low, pool.lows[other])
                if grown > LARGEST or reach > narrowest or reach > pool.windows[other]:
                    continue
                if not pool.may_meet(members, other):
                    continue
                larger = [*members, other]
                if grown < PREFERRED:
                    drafts.append((larger, position + 1))
                if self._stands(larger):
                    self.claims -= _JUDGED
                    yield larger

    def _touched(self, members: list[int]) -> dict[int, list[int]]:
        """By number of each group that these would leave, whom they would leave behind."""
        numbers = {self.homes[member] for member in members if member not in self.waiting}
        return {
            number: [other for other in self.pool.groups[number] if other not in members]
            for number in sorted(numbers)
        }

    def _stands(self, members: list[int]) -> bool:
        return allowed([self.pool.tickets[member] for member in members], self.pool.policy)

    def _lost(self, index: int, members: list[int]) -> list[int] | None:
        """Who would lose their place to this group; None if it breaks up a group for somebody who
        has not waited longer."""
        levels = self.pool.levels
        lost: list[int] = []
        for number, rest in self._touched(members).items():
            if not rest:
                continue
            if not self._stands(rest):
                lost += rest
            elif max([levels[other] for other in self.pool.groups[number]]) <= levels[index]:
                return None
        if lost and min([levels[other] for other in lost]) <= levels[index]:
            return None
        return lost

    def _take(self, members: list[int]) -> list[int]:
        lost: list[int] = []
        for number, rest in self._touched(members).items():
            if self._stands(rest):
                self._settle(number, rest)
            else:
                self.pool.groups[number] = []
                lost += rest
        self._release(lost)
        self.pool.groups.append([])
        self._settle(len(self.pool.groups) - 1, members)
        return lost
