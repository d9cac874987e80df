"""Tickets of the ranked queue, and which of them may be one match (matchmaking.md 1, 2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, NamedTuple
from uuid import UUID

from ratings import elo

SMALLEST: Final = 2
PREFERRED: Final = 4
LARGEST: Final = 6
LARGEST_PARTY: Final = 5


@dataclass(frozen=True, slots=True)
class Policy:
    """How far apart and how few may play, by waiting time in seconds (matchmaking.md 2).

    Spreads are in thousandths of a rating point."""

    first_window: int = 100_000
    window_growth: int = 20_000
    unlimited_after: float = 60.0
    three_after: float = 10.0
    two_after: float = 20.0


STANDARD: Final = Policy()


class Ticket(NamedTuple):
    """One player or one whole party that waits. `ratings` in thousandths, in order of `players`;
    `waited` in seconds; `front` after a failed ready check of others; `browsers` those of all
    members; `blocked` whom any member has blocked; `met` whom any member has just played."""

    id: UUID
    players: tuple[UUID, ...]
    ratings: tuple[int, ...]
    waited: float
    front: bool = False
    browsers: frozenset[str] = frozenset()
    blocked: frozenset[UUID] = frozenset()
    met: frozenset[UUID] = frozenset()


class Group(NamedTuple):
    """A match to be made: its tickets in order of priority, spread in thousandths."""

    tickets: tuple[Ticket, ...]
    size: int
    spread: int

    @property
    def quality(self) -> float:
        """How even the group is: twice the score that its weakest may expect of its strongest,
        from 1 (all alike) to 0."""
        return 2.0 * elo.expectation(0, self.spread)


def window(waited: float, policy: Policy) -> float:
    """The greatest spread, in thousandths, that somebody who waited so long (s) accepts."""
    if waited >= policy.unlimited_after:
        return inf
    return policy.first_window + policy.window_growth * max(waited, 0.0)


def fewest(waited: float, policy: Policy) -> int:
    """How few players may make a group whose longest waiter waited so long (s)."""
    if waited >= policy.two_after:
        return SMALLEST
    return 3 if waited >= policy.three_after else PREFERRED


def strangers(one: Ticket, two: Ticket) -> bool:
    """Whether two tickets may meet: no browser in common, nobody blocked by the other."""
    if not one.browsers.isdisjoint(two.browsers):
        return False
    return not named_in(one.blocked, two) and not named_in(two.blocked, one)


def named_in(players: frozenset[UUID], ticket: Ticket) -> bool:
    """Whether any of these players is of the ticket. (Most such sets are empty, and hashing a
    UUID is slow.)"""
    return bool(players) and not players.isdisjoint(ticket.players)


def allowed(tickets: Sequence[Ticket], policy: Policy) -> bool:
    """Whether these tickets may be one match, by every rule of matchmaking.md 2."""
    if len(tickets) < SMALLEST:
        return False
    sizes = [len(ticket.players) for ticket in tickets]
    size = sum(sizes)
    if not fewest(max([ticket.waited for ticket in tickets]), policy) <= size <= LARGEST:
        return False
    if max(sizes) > LARGEST_PARTY:
        return False
    # More than preferred only where nobody could be spared.
    if size > PREFERRED and len(tickets) > SMALLEST and size - min(sizes) >= PREFERRED:
        return False
    if spread(tickets) > window(min([ticket.waited for ticket in tickets]), policy):
        return False
    return all(
        strangers(one, two) for index, one in enumerate(tickets) for two in tickets[index + 1 :]
    )


def spread(tickets: Sequence[Ticket]) -> int:
    """Highest minus lowest rating of all members, in thousandths."""
    return max([max(ticket.ratings) for ticket in tickets]) - min(
        [min(ticket.ratings) for ticket in tickets]
    )
