"""A synthetic day of the ranked queue, so that its windows can be chosen on evidence."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from uuid import UUID

from tables import matchmaking
from tables.tickets import Policy, Ticket


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """Who comes: tickets per minute, hours of the day, ratings in points (normal), shares of
    party sizes, and how far a party's members lie apart (points, standard deviation)."""

    per_minute: float = 10.0
    hours: float = 24.0
    mean: float = 1500.0
    deviation: float = 150.0
    party_spread: float = 60.0
    party_sizes: Mapping[int, float] = field(
        default_factory=lambda: {1: 0.8, 2: 0.12, 3: 0.04, 4: 0.02, 5: 0.02}
    )
    patience: float = 600.0
    """Seconds after which a ticket gives up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """What a day was like: seconds waited by each matched player, rating points between the
    highest and lowest of each match, matches by number of players."""

    tickets: int
    matched: int
    gave_up: int
    waits: Sequence[float]
    spreads: Sequence[float]
    qualities: Sequence[float]
    sizes: Mapping[int, int]
    still_waiting: int


def simulate(*, crowd: Crowd, policy: Policy, wave: float, seed: int) -> Day:
    """Run a day in waves of `wave` seconds through `matchmaking.pair`. The same seed gives the
    same day."""
    random = Random(seed)  # noqa: S311  (no secret: a day that can be repeated)
    end = crowd.hours * 3600.0
    arrivals = _arrivals(crowd, end, random)
    waiting: list[tuple[float, Ticket]] = []
    waits: list[float] = []
    spreads: list[float] = []
    qualities: list[float] = []
    sizes: Counter[int] = Counter()
    matched = gave_up = position = 0
    for step in range(1, int(end / wave) + 1):
        now = step * wave
        while position < len(arrivals) and arrivals[position][0] <= now:
            waiting.append(arrivals[position])
            position += 1
        patient = [entry for entry in waiting if now - entry[0] < crowd.patience]
        gave_up += len(waiting) - len(patient)
        pairing = matchmaking.pair(
            [ticket._replace(waited=now - since) for since, ticket in patient], policy
        )
        for group in pairing.groups:
            matched += len(group.tickets)
            sizes[group.size] += 1
            spreads.append(group.spread / 1000)
            qualities.append(group.quality)
            for ticket in group.tickets:
                waits.extend([ticket.waited] * len(ticket.players))
        left = {ticket.id for ticket in pairing.waiting}
        waiting = [entry for entry in patient if entry[1].id in left]
    return Day(
        tickets=position,
        matched=matched,
        gave_up=gave_up,
        waits=waits,
        spreads=spreads,
        qualities=qualities,
        sizes=dict(sorted(sizes.items())),
        still_waiting=len(waiting),
    )


def _arrivals(crowd: Crowd, end: float, random: Random) -> list[tuple[float, Ticket]]:
    """The day's tickets with the second at which each comes, in that order."""
    if crowd.per_minute <= 0:
        return []
    found: list[tuple[float, Ticket]] = []
    kinds, shares = list(crowd.party_sizes), list(crowd.party_sizes.values())
    since = random.expovariate(crowd.per_minute / 60.0)
    while since < end:
        size = random.choices(kinds, shares)[0]
        middle = random.gauss(crowd.mean, crowd.deviation)
        number = len(found) + 1
        ratings = [
            round(1000 * (middle if size == 1 else random.gauss(middle, crowd.party_spread)))
            for _ in range(size)
        ]
        players = tuple(UUID(int=number * 8 + seat) for seat in range(size))
        found.append((since, Ticket(UUID(int=number), players, tuple(ratings), 0.0)))
        since += random.expovariate(crowd.per_minute / 60.0)
    return found


def percentile(values: Sequence[float], share: float) -> float | None:
    """The smallest value that at least `share` (0 to 1) of them do not exceed; None of none."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]
