"""Replaying a stored match from its seeds and decisions, and comparing it with what is stored.

Pure: it is given the rows as values. What differs is named but never shown, since a match that is
still played has its secrets.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import TypeVar

import msgspec
from msgspec import Struct

from tables import seating as clockwork
from tables.blackjack import codec, engine, events
from tables.blackjack.actions import Action, Refusal
from tables.blackjack.cards import PLACES
from tables.blackjack.events import Controller, ControlReason, Event, MatchKind, TurnStarted
from tables.blackjack.results import results
from tables.blackjack.ruleset import Ruleset, RulesetError, as_mapping, ruleset_of
from tables.blackjack.shuffle import shuffled
from tables.blackjack.state import MatchState
from tables.blackjack.view import round_record
from tables.envelope import By, enveloped, iso
from tables.match_view import final_results
from tables.table import Controlled, Decided, Judged


class StoredStep(Struct, frozen=True):
    """A row of the record of steps."""

    first_seq: int
    last_seq: int
    version: int
    kind: str
    seat: int | None
    action_id: str | None
    payload: str
    seeds: tuple[str, ...] | None
    events: str
    at: datetime


class StoredSeat(Struct, frozen=True):
    """A row of who sat there; the results are null until the match is over."""

    number: int
    player: str
    live: bool
    kind: str
    started_at: datetime
    finished_at: datetime | None
    place: int | None
    outcome: str | None
    chips: int | None
    own_decisions: int
    cpu_decisions: int


class StoredMatch(Struct, frozen=True):
    """Everything stored of a match that can be known from its steps."""

    kind: str
    status: str
    version: int
    seq: int
    rules: str
    state: str
    seating: str
    has_wake_at: bool
    started_at: datetime
    finished_at: datetime | None
    steps: tuple[StoredStep, ...]
    rounds: tuple[tuple[int, str], ...]
    seats: tuple[StoredSeat, ...]


class Differs(Exception):
    """What is stored is not what the replay gives; the message names the first such place."""


def verify(stored: StoredMatch) -> None:
    """Replay a match and compare events, rounds, versions and state byte for byte.

    Also checks that every shoe has the order of its seed, and that this seed is the one that was
    committed to (rules.md R3.4). Times of deadlines are taken as they are told: they follow from
    who was there when, which is not a part of the record. Raises Differs.
    """
    _Replay(stored).run()


class _Exhausted(Exception):
    """The step would have drawn more seeds than are stored with it."""


class _Rated(Struct):
    rating_before: str | None = None
    rating_after: str | None = None


class _Told(Struct):
    """What of the stored events is taken as told."""

    type: str
    deadline: str | None = None
    result: list[_Rated] | None = None


_decode_told = msgspec.json.Decoder(list[_Told]).decode
_decode_decided = msgspec.json.Decoder(Decided).decode
_decode_controlled = msgspec.json.Decoder(Controlled).decode
_decode_judged = msgspec.json.Decoder(Judged).decode


class _Replay:
    def __init__(self, stored: StoredMatch) -> None:
        self.stored = stored
        self.ruleset = self._ruleset()
        self.state: MatchState | None = None
        self.turn: engine.Turn | None = None
        self.seq = 0
        self.version = -1
        self.offered = 0
        self.deadline: str | None = None
        self.void = False
        self.ended_at: datetime | None = None
        self.seeds: list[str] = []
        self.rounds: list[tuple[int, str]] = []
        count = len(stored.seats)
        self.controllers: list[tuple[Controller, ControlReason | None]] = [
            (Controller.HUMAN, None)
        ] * count
        self.own = [0] * count
        self.cpu = [0] * count

    def run(self) -> None:
        _same("the kind of the match", self.stored.kind in set(MatchKind), True)
        numbers = [seat.number for seat in self.stored.seats]
        _same("the seats", numbers, list(range(1, len(numbers) + 1)))
        if not self.stored.steps:
            raise Differs("the match has no first step")
        for step in self.stored.steps:
            self._step(step)
        self._compare_match()
        self._compare_seats()

    def _ruleset(self) -> Ruleset:
        try:
            ruleset = ruleset_of(msgspec.json.decode(self.stored.rules, type=dict[str, object]))
        except (msgspec.DecodeError, RulesetError) as error:
            raise Differs("the rules are none") from error
        _same_text("the rules", self.stored.rules, msgspec.json.encode(as_mapping(ruleset)))
        return ruleset

    # Steps

    def _step(self, step: StoredStep) -> None:
        where = f"step at seq {step.first_seq}"
        _same(f"{where}, first_seq", step.first_seq, self.seq + 1)
        told = _read(f"{where}, events", _decode_told, step.events)
        by: By | None = None
        match step.kind:
            case "started" if self.state is None:
                happened = self._start(step, where)
            case "decision" if self.state is not None:
                decided = _read(f"{where}, payload", _decode_decided, step.payload)
                by = decided.by
                happened = self._decide(self.state, step, decided, told, where)
            case "control" if self.state is not None:
                happened = self._control(step, told, where)
            case "clock" if self.turn is not None:
                _same(f"{where}, payload", step.payload, "null")
                _same(f"{where}, seat", step.seat, None)
                happened = []
            case "voided" | "restored" if self.state is not None:
                happened = self._judge(step, where)
            case _:
                raise Differs(f"{where}, kind")
        if step.kind != "decision":
            _same(f"{where}, action_id", step.action_id, None)
        if step.kind not in ("decision", "started"):
            _same(f"{where}, seeds", step.seeds, None)
        _same(f"{where}, version", step.version, self.version)
        if self._offers_anew(step, told):
            happened.append(self._offer(step, told, where))
        _same(f"{where}, last_seq", step.last_seq, self.seq + len(happened))
        text = enveloped(happened, step.first_seq, step.version, step.at, by)
        _same_text(f"{where}, events", step.events, text.encode())
        self.seq = step.last_seq

    def _start(self, step: StoredStep, where: str) -> list[Event]:
        _same(f"{where}, payload", step.payload, "null")
        _same(f"{where}, seat", step.seat, None)
        seats = len(self.stored.seats)
        begun = self._draw(step, where, lambda draw: engine.start(self.ruleset, seats, draw))
        self.version = 0
        self._move(begun, where)
        started = events.MatchStarted(
            MatchKind(self.stored.kind),
            tuple(
                events.StartedSeat(
                    seat.number, events.SeatedPlayer(seat.player, "", ""), Controller.HUMAN
                )
                for seat in self.stored.seats
            ),
            self.ruleset,
        )
        return [started, *begun.events]

    def _decide(
        self,
        state: MatchState,
        step: StoredStep,
        decided: Decided,
        told: Sequence[_Told],
        where: str,
    ) -> list[Event]:
        _same_text(f"{where}, payload", step.payload, msgspec.json.encode(decided))
        _same(f"{where}, seat", step.seat, decided.seat)
        _same(f"{where}, action_id", step.action_id, decided.id)
        action = Action(decided.seat, decided.action, decided.amount)
        try:
            done = self._draw(step, where, lambda draw: engine.apply(state, action, draw))
        except Refusal as refusal:
            raise Differs(f"{where}: the rules refuse the decision") from refusal
        self._count(decided, where)
        self.version += 1
        self._move(done, where)
        if done.state.last_round is not None and done.state.last_round is not state.last_round:
            settled = done.state.last_round
            record = msgspec.json.encode(round_record(settled)).decode()
            self.rounds.append((settled.round, record))
        happened: list[Event] = list(done.events)
        if self.turn is None:
            self.ended_at = step.at
            happened.append(events.MatchFinished(final_results(done.state, self._ratings(told))))
        return happened

    def _count(self, decided: Decided, where: str) -> None:
        index = decided.seat - 1
        by_cpu = decided.by is By.CPU
        holder = self.controllers[index][0]
        _same(f"{where}, payload", by_cpu, holder is Controller.CPU)
        if decided.by is By.PLAYER:
            version = decided.version if decided.version is not None else -1
            _same(f"{where}, payload", self.offered <= version <= self.version, True)
            self.own[index] += 1
            return
        _same(f"{where}, payload", (decided.version, decided.id), (None, None))
        self.cpu[index] += 1

    def _control(self, step: StoredStep, told: Sequence[_Told], where: str) -> list[Event]:
        controlled = _read(f"{where}, payload", _decode_controlled, step.payload)
        _same_text(f"{where}, payload", step.payload, msgspec.json.encode(controlled))
        _same(f"{where}, seat", step.seat, controlled.seat)
        _same(f"{where}, seat", 1 <= controlled.seat <= len(self.controllers), True)
        held = (controlled.controller, controlled.reason)
        _same(f"{where}, payload", held == self.controllers[controlled.seat - 1], False)
        reasonable = (controlled.reason is None) == (controlled.controller is Controller.HUMAN)
        _same(f"{where}, payload", reasonable, True)
        self.controllers[controlled.seat - 1] = held
        self.version += 1
        return [events.ControlChanged(controlled.seat, controlled.controller, controlled.reason)]

    def _judge(self, step: StoredStep, where: str) -> list[Event]:
        judged = _read(f"{where}, payload", _decode_judged, step.payload)
        _same_text(f"{where}, payload", step.payload, msgspec.json.encode(judged))
        _same(f"{where}, seat", step.seat, None)
        void = step.kind == "voided"
        _same(f"{where}, kind", (self.turn, self.void), (None, not void))
        self.void = void
        return [events.MatchVoided(judged.reason) if void else events.MatchRestored()]

    def _offers_anew(self, step: StoredStep, told: Sequence[_Told]) -> bool:
        """Whether a turn is told; with a change of controller only if its deadline moved."""
        match step.kind:
            case "started" | "decision" | "clock":
                return self.turn is not None
            case "control":
                on_turn = self.turn is not None and self.turn.seat == step.seat
                return on_turn and any(event.type == "turn_started" for event in told)
            case _:
                return False

    def _offer(self, step: StoredStep, told: Sequence[_Told], where: str) -> TurnStarted:
        if step.kind != "clock":
            self.offered = self.version
        turn = self.turn
        if turn is None:
            raise Differs(f"{where}, events")
        deadline = next((e.deadline for e in reversed(told) if e.type == "turn_started"), None)
        holder = self.controllers[turn.seat - 1][0]
        if self.ruleset.turn_seconds is None or holder is Controller.CPU:
            _same(f"{where}, deadline", deadline, None)
        elif deadline is not None and step.kind != "clock":
            _same(f"{where}, deadline", deadline >= (iso(step.at) or ""), True)
        self.deadline = deadline
        return TurnStarted(
            seat=turn.seat,
            phase=turn.phase,
            hand=turn.hand,
            version=self.offered,
            deadline=deadline,
            legal=turn.legal,
            refused=turn.refused,
        )

    def _ratings(self, told: Sequence[_Told]) -> list[tuple[str, str]] | None:
        """The ratings as told: they follow from other matches, not from this one."""
        rated = [seat for event in told if event.result is not None for seat in event.result]
        pairs = [(seat.rating_before, seat.rating_after) for seat in rated]
        known = [(before, after) for before, after in pairs if before and after]
        if self.stored.kind != MatchKind.RANKED or not known:
            return None
        return known if len(known) == len(self.stored.seats) else None

    # Shoes

    def _draw(
        self,
        step: StoredStep,
        where: str,
        move: Callable[[engine.SeedSource], engine.Step],
    ) -> engine.Step:
        left: Iterator[str] = iter(step.seeds or ())

        def draw() -> bytes:
            seed = next(left, None)
            if seed is None:
                raise _Exhausted
            return bytes.fromhex(seed)

        try:
            done = move(draw)
        except (_Exhausted, ValueError) as error:
            raise Differs(f"{where}, seeds") from error
        drawn = tuple(seed.hex() for seed in done.seeds)
        _same(f"{where}, seeds", step.seeds, drawn or None)
        self.seeds += drawn
        return done

    def _move(self, done: engine.Step, where: str) -> None:
        """Take the state of a step, once its shoe is what the seeds say (rules.md R3.4)."""
        before = self.state
        self.state, self.turn = done.state, engine.turn(done.state)
        for event in done.events:
            match event:
                case events.ShoeStarted():
                    promised = (event.commitment, event.next_commitment)
                    kept = (self._commitment(event.shoe), self._commitment(event.shoe + 1))
                    _same(f"{where}, the commitment of shoe {event.shoe}", promised, kept)
                case events.ShoeRevealed():
                    seed = self.seeds[event.shoe - 1]
                    _same(f"{where}, the seed of shoe {event.shoe}", event.seed, seed)
                case _:
                    pass
        shoe = done.state.shoe
        if before is None or shoe.number != before.shoe.number:
            cards = [shoe.cards[at : at + 2] for at in range(0, len(shoe.cards), 2)]
            key = bytes.fromhex(self.seeds[shoe.number - 1])
            order = shuffled(key, sorted(cards, key=PLACES.__getitem__))
            _same(f"{where}, the order of shoe {shoe.number}", cards, order)

    def _commitment(self, shoe: int) -> str:
        return "sha256:" + hashlib.sha256(bytes.fromhex(self.seeds[shoe - 1])).hexdigest()

    # What came of it

    def _status(self) -> str:
        if self.void:
            return "void"
        return "playing" if self.turn is not None else "finished"

    def _compare_match(self) -> None:
        stored, state = self.stored, self.state
        if state is None:
            raise Differs("the match has not begun")
        _same("seq", stored.seq, self.seq)
        _same("version", stored.version, self.version)
        _same_text("the state", stored.state, codec.encode(state).encode())
        _same("the rounds", [number for number, _ in stored.rounds], [n for n, _ in self.rounds])
        for (number, kept), (_, record) in zip(stored.rounds, self.rounds, strict=True):
            _same_text(f"round {number}", kept, record.encode())
        _same("the status", stored.status, self._status())
        _same("started_at", stored.started_at, stored.steps[0].at)
        _same("finished_at", stored.finished_at, self.ended_at)
        if stored.status != "playing":
            _same("wake_at", stored.has_wake_at, False)
        self._compare_seating()

    def _compare_seating(self) -> None:
        try:
            seating = clockwork.decode(self.stored.seating)
        except msgspec.DecodeError as error:
            raise Differs("the seating is none") from error
        _same_text("the seating", self.stored.seating, clockwork.encode(seating).encode())
        _same("the seating, kind", seating.ranked, self.stored.kind == MatchKind.RANKED)
        _same("the seating, turn_seconds", seating.turn_seconds, self.ruleset.turn_seconds)
        _same("the seating, offered", seating.offered, self.offered)
        if self.turn is not None:
            _same("the seating, deadline", iso(seating.deadline), self.deadline)
        held = [(hold.controller, hold.reason) for hold in seating.seats]
        _same("the seating, controllers", held, self.controllers)
        players = [hold.player for hold in seating.seats]
        _same("the seating, players", players, [seat.player for seat in self.stored.seats])
        counts = [(hold.own_decisions, hold.cpu_decisions) for hold in seating.seats]
        _same("the seating, decisions", counts, list(zip(self.own, self.cpu, strict=True)))

    def _compare_seats(self) -> None:
        if self.state is None:
            raise Differs("the match has not begun")
        over = {result.seat: result for result in results(self.state)}
        for seat in self.stored.seats:
            where = f"seat {seat.number}"
            _same(f"{where}, kind", seat.kind, self.stored.kind)
            _same(f"{where}, started_at", seat.started_at, self.stored.started_at)
            _same(f"{where}, finished_at", seat.finished_at, self.ended_at)
            result = over.get(seat.number)
            came = (seat.place, seat.outcome, seat.chips)
            if result is None:
                _same(f"{where}, result", came, (None, None, None))
                continue
            _same(f"{where}, live", seat.live, False)
            _same(f"{where}, result", came, (result.place, result.outcome, result.chips))
            counts = (self.own[seat.number - 1], self.cpu[seat.number - 1])
            _same(f"{where}, decisions", (seat.own_decisions, seat.cpu_decisions), counts)


def _same(where: str, stored: object, replayed: object) -> None:
    if stored != replayed:
        raise Differs(where)


def _same_text(where: str, stored: str, replayed: bytes) -> None:
    kept = stored.encode()
    if kept == replayed:
        return
    pairs = enumerate(zip(kept, replayed, strict=False))
    at = next((at for at, (one, other) in pairs if one != other), min(len(kept), len(replayed)))
    raise Differs(f"{where}, at byte {at}")


_T = TypeVar("_T")


def _read(where: str, decode: Callable[[str], _T], text: str) -> _T:
    try:
        return decode(text)
    except msgspec.DecodeError as error:
        raise Differs(f"{where}, which cannot be read") from error
