"""Who holds each seat of a match and what is due when: values only, no clock and no database.

All times come from the caller (the database's clock); all durations are seconds, already scaled.
The clauses are those of rules.md R11.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tables.blackjack.events import Controller, ControlReason

GONE = frozenset({ControlReason.LEFT, ControlReason.BANNED, ControlReason.DELETED})
"""Reasons that a connection does not end: nobody is waited for at such a seat."""

EXPIRIES_TO_IDLE = 2


class Clocks(Struct, frozen=True):
    """The durations of rules.md R11 and R12, in seconds."""

    takeover_grace: float = 30.0
    abandon_after: float = 600.0
    solo_abandon_after: float = 86400.0
    cpu_pause: float = 0.8
    late: float = 0.5
    rest_window: float = 30.0
    turn_scale: float = 1.0


class Sighting(Struct, frozen=True):
    """What is known of a player's connections: a socket, or REST until a time, or gone since."""

    socket: bool
    rest_until: datetime | None = None
    gone_at: datetime | None = None

    def connected(self, now: datetime) -> bool:
        """Whether the player is connected to their match at `now` (api.md, Version)."""
        return self.socket or (self.rest_until is not None and self.rest_until > now)


class SeatHold(Struct, frozen=True):
    """One seat: whose it is, who decides, and how long they have been away.

    Seconds: `away_in_round` for earlier absences of this round, `stood_still` for as much of the
    present one as the table waited and is nobody's.
    """

    player: str
    display_name: str
    tag: str
    controller: Controller = Controller.HUMAN
    reason: ControlReason | None = None
    connected: bool = True
    rest_until: datetime | None = None
    away_since: datetime | None = None
    away_in_round: float = 0.0
    stood_still: float = 0.0
    expiries: int = 0
    own_decisions: int = 0
    cpu_decisions: int = 0

    @property
    def awaited(self) -> bool:
        """Whether the player may come back by just connecting."""
        return self.reason not in GONE


class Seating(Struct, frozen=True):
    """All that a match knows beside its cards and chips.

    `played_out`: staff have given every seat to the CPU, so that what it decides is nobody's fault.
    """

    ranked: bool
    turn_seconds: int | None
    seats: tuple[SeatHold, ...]
    offered: int = 0
    turn_began: datetime | None = None
    deadline: datetime | None = None
    clock_left: float | None = None
    waiting_since: datetime | None = None
    abandoned: bool = False
    outage: int = 0
    played_out: bool = False

    def hold(self, seat: int) -> SeatHold:
        """The hold of `seat`, counted from 1."""
        return self.seats[seat - 1]

    def seat_of(self, player: str) -> int | None:
        """The seat of `player`, or None for somebody who has none."""
        for number, hold in enumerate(self.seats, start=1):
            if hold.player == player:
                return number
        return None

    @property
    def watched_over(self) -> bool:
        """Whether a human at the table is connected."""
        return any(hold.connected and hold.awaited for hold in self.seats)

    @property
    def must_wait(self) -> bool:
        """Whether the table stands still: nobody is there who is awaited (R11.2)."""
        return (
            not self.ranked
            and not self.abandoned
            and not self.watched_over
            and any(hold.awaited for hold in self.seats)
        )


def with_hold(seating: Seating, seat: int, hold: SeatHold) -> Seating:
    """The seating with one seat's hold replaced."""
    seats = seating.seats
    return replace(seating, seats=(*seats[: seat - 1], hold, *seats[seat:]))


def see(seating: Seating, sightings: Mapping[str, Sighting], now: datetime) -> Seating:
    """The seating with every awaited seat's presence brought up to date (R11.2).

    Time away is added up within the round; who decides is not changed here.
    """
    for number, hold in enumerate(seating.seats, start=1):
        sighting = sightings.get(hold.player)
        if sighting is None:
            continue
        if not hold.awaited:
            seen = replace(hold, connected=False, rest_until=None)
        elif sighting.connected(now):
            seen = replace(
                hold,
                connected=True,
                rest_until=None if sighting.socket else sighting.rest_until,
                away_since=None,
                away_in_round=hold.away_in_round
                + _seconds(hold.away_since, now)
                - hold.stood_still
                - _stood_still(seating, hold, now),
                stood_still=0.0,
            )
        elif hold.connected or hold.away_since is None:
            gone_at = sighting.gone_at or now
            if sighting.rest_until is not None:
                gone_at = max(gone_at, sighting.rest_until)
            seen = replace(hold, connected=False, rest_until=None, away_since=min(gone_at, now))
        else:
            continue
        if seen != hold:
            seating = with_hold(seating, number, seen)
    return seating


def _stood_still(seating: Seating, hold: SeatHold, now: datetime) -> float:
    """For how much of a player's present absence the table has stood still, in seconds."""
    if seating.waiting_since is None or hold.away_since is None:
        return 0.0
    return _seconds(max(seating.waiting_since, hold.away_since), now)


def _seconds(since: datetime | None, now: datetime) -> float:
    return max(0.0, (now - since).total_seconds()) if since is not None else 0.0


def start_round(seating: Seating) -> Seating:
    """The seating as a new round begins: earlier absences are forgotten, a present one goes on."""
    seats = tuple(
        hold if hold.away_in_round == 0.0 else replace(hold, away_in_round=0.0)
        for hold in seating.seats
    )
    return seating if seats == seating.seats else replace(seating, seats=seats)


def takeover_at(seating: Seating, seat: int, clocks: Clocks) -> datetime | None:
    """When the CPU will take `seat` over for its absent player, or None (R11.2)."""
    hold = seating.hold(seat)
    if hold.connected or hold.controller is Controller.CPU or hold.away_since is None:
        return None
    if seating.must_wait:
        return abandon_at(seating, clocks)
    grace = max(0.0, clocks.takeover_grace - hold.away_in_round) + hold.stood_still
    return hold.away_since + timedelta(seconds=grace)


def abandon_at(seating: Seating, clocks: Clocks) -> datetime | None:
    """When the CPU plays a waiting table to its end, or None while it does not wait (R11.2)."""
    if seating.waiting_since is None:
        return None
    alone = len(seating.seats) == 1
    after = clocks.solo_abandon_after if alone else clocks.abandon_after
    return seating.waiting_since + timedelta(seconds=after)


def expires_at(seating: Seating, clocks: Clocks) -> datetime | None:
    """When the present decision's time is really up: its deadline and half a second (R11.1)."""
    if seating.deadline is None:
        return None
    return seating.deadline + timedelta(seconds=clocks.late)


def cpu_decides_at(seating: Seating, acting: int, clocks: Clocks) -> datetime | None:
    """When the CPU decides for the acting seat, or None if it does not hold that seat (R12.1)."""
    if seating.hold(acting).controller is not Controller.CPU or seating.turn_began is None:
        return None
    pause = clocks.cpu_pause if seating.watched_over else 0.0
    return seating.turn_began + timedelta(seconds=pause)


def wake_at(seating: Seating, acting: int | None, clocks: Clocks) -> datetime | None:
    """The earliest time at which anything is due; None once the match is over."""
    if acting is None:
        return None
    times = [hold.rest_until for hold in seating.seats if hold.connected]
    if seating.must_wait:
        times.append(abandon_at(seating, clocks))
    else:
        times += (
            takeover_at(seating, number, clocks) for number in range(1, len(seating.seats) + 1)
        )
        times.append(cpu_decides_at(seating, acting, clocks))
        if seating.hold(acting).controller is Controller.HUMAN:
            times.append(expires_at(seating, clocks))
    return min((time for time in times if time is not None), default=None)


def begin_turn(
    seating: Seating, acting: int, version: int, now: datetime, clocks: Clocks
) -> Seating:
    """The seating with a decision newly offered to `acting` at `version`, with a full clock."""
    return set_clock(replace(seating, offered=version, turn_began=now), acting, now, clocks)


def end(seating: Seating) -> Seating:
    """The seating once the match is over: no clock runs any more."""
    return replace(seating, turn_began=None, deadline=None, clock_left=None, waiting_since=None)


def set_clock(seating: Seating, acting: int, now: datetime, clocks: Clocks) -> Seating:
    """The seating with a full clock for a human at turn, and none for the CPU (R11.5)."""
    if seating.turn_seconds is None or seating.hold(acting).controller is Controller.CPU:
        return replace(seating, deadline=None, clock_left=None)
    full = seating.turn_seconds * clocks.turn_scale
    if seating.must_wait:
        return replace(seating, deadline=None, clock_left=full)
    return replace(seating, deadline=now + timedelta(seconds=full), clock_left=None)


def settle_waiting(seating: Seating, now: datetime) -> Seating:
    """The seating with its clock stopped where the table begins to wait, going on where it ends.

    What was left of the present decision's time is kept meanwhile (R11.2). Somebody's return
    to an abandoned table makes it an ordinary one again.
    """
    if seating.abandoned and seating.watched_over:
        seating = replace(seating, abandoned=False)
    if seating.must_wait and seating.waiting_since is None:
        left = None
        if seating.deadline is not None:
            left = max(0.0, (seating.deadline - now).total_seconds())
        return replace(
            seating,
            waiting_since=now,
            deadline=None,
            clock_left=seating.clock_left if left is None else left,
        )
    if not seating.must_wait and seating.waiting_since is not None:
        deadline = seating.deadline
        if seating.clock_left is not None:
            deadline = now + timedelta(seconds=seating.clock_left)
        # What stood still is nobody's time away: it is given back to who is away still.
        seats = tuple(
            replace(hold, stood_still=hold.stood_still + _stood_still(seating, hold, now))
            for hold in seating.seats
        )
        return replace(
            seating,
            seats=seats,
            waiting_since=None,
            deadline=deadline,
            clock_left=None,
            turn_began=now if seating.turn_began is not None else None,
        )
    return seating


def shift(seating: Seating, outage: int, began_at: datetime, ended_at: datetime) -> Seating:
    """The seating with every time moved by the length of an outage that it has not counted yet."""
    if outage <= seating.outage:
        return seating
    length = ended_at - began_at

    def moved(time: datetime | None) -> datetime | None:
        return None if time is None else time + length

    seats = tuple(
        replace(hold, away_since=moved(hold.away_since), rest_until=moved(hold.rest_until))
        for hold in seating.seats
    )
    return replace(
        seating,
        outage=outage,
        seats=seats,
        turn_began=moved(seating.turn_began),
        deadline=moved(seating.deadline),
        waiting_since=moved(seating.waiting_since),
    )


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Seating)


def encode(seating: Seating) -> str:
    """The seating as JSON text."""
    return _encoder.encode(seating).decode()


def decode(text: str) -> Seating:
    """The seating that `encode` wrote."""
    return _decoder.decode(text)
