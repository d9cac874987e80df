"""One match in play: the engine's state and its seating, and the steps that move both on.

A `Table` is a working object for one transaction. It knows no database, no clock and no dice:
`now`, the seeds and the strategy are given to it, and what it did is left in `steps`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import ClassVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from tables import seating as clockwork
from tables.blackjack import cpu, engine
from tables.blackjack.actions import Action, ActionName
from tables.blackjack.events import (
    ControlChanged,
    Controller,
    ControlReason,
    Event,
    FinalResult,
    MatchFinished,
    MatchKind,
    MatchStarted,
    SeatedPlayer,
    StartedSeat,
    TurnStarted,
)
from tables.blackjack.ruleset import Ruleset
from tables.blackjack.state import MatchState
from tables.blackjack.strategy import Strategy
from tables.blackjack.view import round_record, table_view
from tables.envelope import By, enveloped, iso
from tables.match_view import MatchView, seen_by
from tables.seating import Clocks, SeatHold, Seating, Sighting

MOST_CPU_DECISIONS = 50
"""The CPU decides at most so often in one go (rules.md R11.7)."""


class StaleVersion(Exception):
    """The action was made for an earlier decision: look at the present view and choose anew."""

    code: ClassVar[str] = "stale_version"

    def __init__(self, seat: int) -> None:
        super().__init__()
        self.seat = seat
        self.view: MatchView | None = None

    def show(self, view: MatchView) -> None:
        """Bring the present view along, for whoever was out of date."""
        self.view = seen_by(view, self.seat)

    @property
    def members(self) -> dict[str, object]:
        """What the refusal says besides its code."""
        return {"view": msgspec.to_builtins(self.view)} if self.view is not None else {}


class CpuHasSeat(Exception):
    """The CPU holds this seat: take it back with `return` first."""

    code: ClassVar[str] = "cpu_has_seat"


class NotYourSeat(Exception):
    """This player has no seat at this match."""

    code: ClassVar[str] = "not_your_seat"


class Decided(Struct, frozen=True):
    """The payload of a decision's step: enough to replay it, and to know a repeat of it.

    `version` is the one that a player's decision was made for, `id` the id that it came under.
    """

    seat: int
    action: ActionName
    by: By
    amount: int | None = None
    version: int | None = None
    id: str | None = None


def _decided(action: Action, by: By) -> Decided:
    return Decided(action.seat, action.action, by, action.amount)


class Controlled(Struct, frozen=True):
    """The payload of a change of controller."""

    seat: int
    controller: Controller
    reason: ControlReason | None


class Judged(Struct, frozen=True):
    """The payload of a step by which staff let a match count no more, or again."""

    actor: str
    reason: str


class Step(Struct, frozen=True):
    """A step as it will be stored: its place in the match and the events that it made, as JSON."""

    first_seq: int
    last_seq: int
    version: int
    kind: str
    payload: str
    events: str
    at: datetime
    seat: int | None = None
    action_id: str | None = None
    seeds: tuple[str, ...] | None = None


Finish = Callable[[MatchState, Seating], Sequence[FinalResult]]
"""Gives the `result` of a match that has just ended (api.md, A match as seen by a viewer)."""

Strategies = Callable[[], Strategy]
"""Gives the strategy of the table's rules, or raises where it is not computed yet."""


def open_table(
    *,
    kind: MatchKind,
    ruleset: Ruleset,
    holds: Sequence[SeatHold],
    outage: int,
    clocks: Clocks,
    finish: Finish,
    new_seed: Callable[[], bytes],
    now: datetime,
) -> Table:
    """Begin a match at version 0; its first step holds all that has happened (rules.md R1.1)."""
    ranked = kind is MatchKind.RANKED
    begun = engine.start(ruleset, len(holds), new_seed)
    seating = Seating(ranked, ruleset.turn_seconds, tuple(holds), outage=outage)
    table = Table(
        version=0,
        seq=0,
        state=begun.state,
        seating=seating,
        clocks=clocks,
        finish=finish,
        new_seed=new_seed,
    )
    turn = table.turn
    if turn is None:
        raise engine.MatchOver  # never: a new match waits for its first bet
    table.seating = clockwork.settle_waiting(
        clockwork.begin_turn(seating, turn.seat, 0, now, clocks), now
    )
    seats = tuple(
        StartedSeat(number, SeatedPlayer(hold.player, "", ""), hold.controller)
        for number, hold in enumerate(holds, start=1)
    )
    events: list[Event] = [
        MatchStarted(kind, seats, ruleset),
        *begun.events,
        _turn_started(turn, table.seating),
    ]
    table.record("started", None, events, now, seeds=begun.seeds)
    return table


def _turn_started(turn: engine.Turn, seating: Seating) -> TurnStarted:
    return TurnStarted(
        seat=turn.seat,
        phase=turn.phase,
        hand=turn.hand,
        version=seating.offered,
        deadline=iso(seating.deadline),
        legal=turn.legal,
        refused=turn.refused,
    )


class Table:
    """A match while it is moved on; every method leaves it whole or raises and changes nothing."""

    def __init__(
        self,
        *,
        version: int,
        seq: int,
        state: MatchState,
        seating: Seating,
        clocks: Clocks,
        finish: Finish,
        new_seed: Callable[[], bytes],
    ) -> None:
        self.version = version
        self.seq = seq
        self.state = state
        self.seating = seating
        self.opening = seating
        self.clocks = clocks
        self.steps: list[Step] = []
        self.rounds: list[tuple[int, str]] = []
        self.retry_at: datetime | None = None
        self.result: tuple[FinalResult, ...] | None = None
        self._finish = finish
        self._new_seed = new_seed
        self._turn: engine.Turn | None = engine.turn(state)

    @property
    def turn(self) -> engine.Turn | None:
        """The decision that is offered now, or None once the match is over."""
        return self._turn

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self._turn is None

    @property
    def wake_at(self) -> datetime | None:
        """When something is due next."""
        if self._turn is None:
            return None
        return self.retry_at or clockwork.wake_at(self.seating, self._turn.seat, self.clocks)

    # What players do

    def act(
        self,
        *,
        seat: int,
        action: ActionName,
        amount: int | None,
        version: int,
        now: datetime,
        action_id: str | None,
    ) -> None:
        """Take a player's decision (api.md, Version and the order of refusals).

        Raises MatchOver, StaleVersion, NotYourTurn, CpuHasSeat, or the engine's own refusals.
        """
        if self._turn is None:
            raise engine.MatchOver
        if not self.seating.offered <= version <= self.version:
            raise StaleVersion(seat)
        if self._turn.seat != seat:
            raise engine.NotYourTurn(seat, self._turn.seat)
        if self.seating.hold(seat).controller is Controller.CPU:
            raise CpuHasSeat
        decided = Decided(seat, action, By.PLAYER, amount, version, action_id)
        self._decide(decided, now)

    def leave(self, seat: int, reason: ControlReason, now: datetime) -> None:
        """Give `seat` to the CPU for a reason that no connection ends (R11.3, R11.4).

        Raises MatchOver. A graver reason replaces a lighter one; leaving again does nothing.
        """
        if self._turn is None:
            raise engine.MatchOver
        hold = self.seating.hold(seat)
        if hold.reason in clockwork.GONE and reason is ControlReason.LEFT:
            return
        if hold.reason is not reason:
            gone = replace(hold, connected=False, rest_until=None, away_since=None)
            self.seating = clockwork.with_hold(self.seating, seat, gone)
            self._control(seat, Controller.CPU, reason, now)
        self._settle_clock(now)

    def give_back(self, seat: int, now: datetime) -> None:
        """Give `seat` back to its player, who has asked for it (api.md, `return`).

        Raises MatchOver, or NotYourSeat for a banned or deleted player.
        """
        if self._turn is None:
            raise engine.MatchOver
        hold = self.seating.hold(seat)
        if hold.reason in {ControlReason.BANNED, ControlReason.DELETED}:
            raise NotYourSeat
        if hold.controller is Controller.CPU:
            # Whoever asks is there; without a socket for as long as after any request.
            window = now + timedelta(seconds=self.clocks.rest_window)
            here = replace(hold, connected=True, rest_until=window, away_since=None, expiries=0)
            self.seating = clockwork.with_hold(self.seating, seat, here)
            self._control(seat, Controller.HUMAN, None, now)
        self._settle_clock(now)

    # What staff and accounts do

    def play_out(self, now: datetime) -> None:
        """Give every seat to the CPU, so that the match comes to its end (R11.7).

        Nobody is blamed for what it decides from here on. Raises MatchOver.
        """
        if self._turn is None:
            raise engine.MatchOver
        self.seating = replace(self.seating, played_out=True)
        for number in range(1, len(self.seating.seats) + 1):
            self.leave(number, ControlReason.LEFT, now)

    def rename(self, names: Mapping[str, tuple[str, str]]) -> None:
        """Show players under these names and tags, keyed by their ids; no step, no version."""
        for number, hold in enumerate(self.seating.seats, start=1):
            if hold.player in names:
                name, tag = names[hold.player]
                named = replace(hold, display_name=name, tag=tag)
                self.seating = clockwork.with_hold(self.seating, number, named)

    # What the clock and connections do

    def see(
        self, sightings: Mapping[str, Sighting], now: datetime, newly: Collection[str] = ()
    ) -> None:
        """Bring presence up to date; who is back, or newly connected, gets the seat (R11.4)."""
        if self._turn is None:
            return
        self.seating = clockwork.see(self.seating, sightings, now)
        for number, hold in enumerate(self.seating.seats, start=1):
            back = hold.reason is ControlReason.ABSENT and hold.connected
            if back or (hold.reason is ControlReason.IDLE and hold.player in newly):
                self.seating = clockwork.with_hold(self.seating, number, replace(hold, expiries=0))
                self._control(number, Controller.HUMAN, None, now)
        self._settle_clock(now)

    def do_what_is_due(self, strategy: Strategies, now: datetime) -> None:
        """Do all that the clock asks for: takeovers, expiries, the CPU's decisions (R11, R12).

        At most MOST_CPU_DECISIONS decisions are taken; `wake_at` then is due at once. Where the
        CPU must play a hand and `strategy` raises, so does this; what was done before stands.
        """
        self._abandon(now)
        self._take_over(now)
        for _ in range(MOST_CPU_DECISIONS):
            if self._turn is None:
                return
            seat = self._turn.seat
            if self.seating.must_wait:
                return
            expires = clockwork.expires_at(self.seating, self.clocks)
            decides = clockwork.cpu_decides_at(self.seating, seat, self.clocks)
            if self.seating.hold(seat).controller is Controller.HUMAN:
                if expires is None or expires > now:
                    return
                self._expire(seat, strategy, now)
            elif decides is not None and decides <= now:
                self._decide(_decided(self._cpu_action(strategy), By.CPU), now)
            else:
                return

    def _abandon(self, now: datetime) -> None:
        due = clockwork.abandon_at(self.seating, self.clocks)
        if self._turn is None or not self.seating.must_wait or due is None or due > now:
            return
        self.seating = replace(self.seating, abandoned=True)
        for number, hold in enumerate(self.seating.seats, start=1):
            if hold.awaited and hold.controller is Controller.HUMAN:
                self._control(number, Controller.CPU, ControlReason.ABSENT, now)
        self._settle_clock(now)

    def _take_over(self, now: datetime) -> None:
        if self._turn is None or self.seating.must_wait:
            return
        for number in range(1, len(self.seating.seats) + 1):
            due = clockwork.takeover_at(self.seating, number, self.clocks)
            if due is not None and due <= now:
                self._control(number, Controller.CPU, ControlReason.ABSENT, now)

    def _expire(self, seat: int, strategy: Strategies, now: datetime) -> None:
        decided = _decided(self._cpu_action(strategy), By.TIMEOUT)
        hold = self.seating.hold(seat)
        expiries = hold.expiries + 1
        self.seating = clockwork.with_hold(self.seating, seat, replace(hold, expiries=expiries))
        self._decide(decided, now)
        if self._turn is not None and expiries >= clockwork.EXPIRIES_TO_IDLE:
            self._control(seat, Controller.CPU, ControlReason.IDLE, now)

    # Steps

    def _cpu_action(self, strategy: Strategies) -> Action:
        return cpu.decide(table_view(self.state), strategy())

    def _decide(self, decided: Decided, now: datetime) -> None:
        before, by = self.state, decided.by
        action = Action(decided.seat, decided.action, decided.amount)
        step = engine.apply(before, action, self._new_seed)
        events: list[Event] = list(step.events)
        hold = self.seating.hold(action.seat)
        if by is By.PLAYER:
            counted = replace(hold, own_decisions=hold.own_decisions + 1, expiries=0)
        else:
            counted = replace(hold, cpu_decisions=hold.cpu_decisions + 1)
        seating = clockwork.with_hold(self.seating, action.seat, counted)
        settled = step.state.last_round
        if settled is not None and settled is not before.last_round:
            seating = clockwork.start_round(seating)
        version = self.version + 1
        turn = engine.turn(step.state)
        if turn is None:
            seating = clockwork.end(seating)
            self.result = tuple(self._finish(step.state, seating))
            events.append(MatchFinished(self.result))
        else:
            seating = clockwork.begin_turn(seating, turn.seat, version, now, self.clocks)
            events.append(_turn_started(turn, seating))
        self.state, self.seating, self.version, self._turn = step.state, seating, version, turn
        if settled is not None and settled is not before.last_round:
            record = msgspec.json.encode(round_record(settled)).decode()
            self.rounds.append((settled.round, record))
        self.record(
            "decision",
            decided,
            events,
            now,
            by=by,
            seat=action.seat,
            action_id=decided.id,
            seeds=step.seeds,
        )

    def _control(
        self, seat: int, controller: Controller, reason: ControlReason | None, now: datetime
    ) -> None:
        hold = replace(self.seating.hold(seat), controller=controller, reason=reason)
        self.seating = clockwork.with_hold(self.seating, seat, hold)
        self.version += 1
        events: list[Event] = [ControlChanged(seat, controller, reason)]
        if self._turn is not None and self._turn.seat == seat:
            clocked = clockwork.set_clock(self.seating, seat, now, self.clocks)
            clocked = replace(clocked, turn_began=now)
            if clocked.deadline != self.seating.deadline:
                # The decision is offered anew: to the CPU, or to a human with a full clock.
                clocked = replace(clocked, offered=self.version)
                events.append(_turn_started(self._turn, clocked))
            self.seating = clocked
        self.record("control", Controlled(seat, controller, reason), events, now, seat=seat)

    def _settle_clock(self, now: datetime) -> None:
        settled = clockwork.settle_waiting(self.seating, now)
        moved = settled.deadline != self.seating.deadline
        self.seating = settled
        if moved:
            self.tell_clock(now)

    def tell_clock(self, now: datetime) -> None:
        """Record that the present decision's deadline has moved (api.md, Events)."""
        if self._turn is not None:
            self.record("clock", None, [_turn_started(self._turn, self.seating)], now)

    def record(
        self,
        kind: str,
        payload: object,
        events: Sequence[Event],
        now: datetime,
        *,
        by: By | None = None,
        seat: int | None = None,
        action_id: str | None = None,
        seeds: Sequence[bytes] = (),
    ) -> None:
        """Add a step with its events, numbered on from the last one."""
        first = self.seq + 1
        self.seq += len(events)
        self.steps.append(
            Step(
                first_seq=first,
                last_seq=self.seq,
                version=self.version,
                kind=kind,
                payload=msgspec.json.encode(payload).decode(),
                events=enveloped(events, first, self.version, now, by),
                at=now,
                seat=seat,
                action_id=action_id,
                seeds=tuple(seed.hex() for seed in seeds) or None,
            )
        )
