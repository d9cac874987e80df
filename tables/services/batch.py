"""The only writer of a match: applies what players, clocks and staff do, many matches at once.

One synchronous function in one transaction: lock the rows, move the tables on in memory, write
state and steps with one statement, commit, publish.
"""

from __future__ import annotations

import functools
import logging
import secrets
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import ClassVar, assert_never
from uuid import UUID

import msgspec
from django.db import DatabaseError, IntegrityError, connection, transaction
from msgspec import Struct
from msgspec.structs import replace

from ratings.locks import RatingsBusy, share_ratings
from tables import seating as clockwork
from tables.blackjack import codec
from tables.blackjack.actions import ActionName, Refusal
from tables.blackjack.events import ControlReason
from tables.clocks import clocks
from tables.envelope import By
from tables.hub import publish
from tables.match_view import MatchView, match_view, presence_is_same, presence_of
from tables.messages import events_message, presence_message, seconds_until
from tables.metrics import LATENESS
from tables.models import Match, MatchStatus, Outage, Seat, Urgency
from tables.party_refusals import InMatch
from tables.selectors.matches import MatchNotFound
from tables.selectors.names import names_for_all
from tables.selectors.presence import sightings_of
from tables.selectors.results import result_of
from tables.selectors.strategies import StrategyMissing, ready
from tables.services import finish, strategies
from tables.services.party_news import announce_on_commit
from tables.services.presence import is_session_attended, is_silent
from tables.table import CpuHasSeat, Decided, NotYourSeat, StaleVersion, Table

logger = logging.getLogger(__name__)

RETRY_STRATEGY_AFTER = timedelta(milliseconds=200)
"""How soon a match looks again for a strategy that is still being computed."""

STILL_SECONDS = 30
"""A process that stands still so long in the middle of a batch loses its hold of the matches."""


class MatchBusy(Exception):
    """Somebody else is moving this match on; nothing was done, and it may be tried again."""

    code: ClassVar[str] = "match_busy"
    retry_after = 1


class ActionIdReused(Exception):
    """This action id was used for another action of the same player in this match."""

    code: ClassVar[str] = "idempotency_key_reused"


class Decide(Struct, frozen=True):
    """A player's decision; `action_id` never acts twice."""

    match_id: UUID
    player_id: UUID
    action: ActionName
    version: int
    amount: int | None = None
    action_id: str | None = None


class Wake(Struct, frozen=True):
    """Look at presence and clock, and do what is due."""

    match_id: UUID


class Arrive(Struct, frozen=True):
    """A player's new connection: like Wake, and it ends idleness (rules.md R11.4)."""

    match_id: UUID
    player_id: UUID


class Leave(Struct, frozen=True):
    """A player's seat goes to the CPU for a reason that no connection ends."""

    match_id: UUID
    player_id: UUID
    reason: ControlReason = ControlReason.LEFT


class Return(Struct, frozen=True):
    """A player asks for the seat that the CPU holds."""

    match_id: UUID
    player_id: UUID


class PlayOut(Struct, frozen=True):
    """Every seat goes to the CPU, so that the match comes to its end."""

    match_id: UUID


class Rename(Struct, frozen=True):
    """A player's name has changed; the table shows the new one."""

    match_id: UUID
    player_id: UUID


Item = Decide | Wake | Arrive | Leave | Return | PlayOut | Rename


class Done(Struct, frozen=True):
    """An item's success: the version that it made (or had made), its seat, and the view now."""

    version: int
    seat: int | None = None
    view: MatchView | None = None


Result = Done | Exception

REFUSALS = (Refusal, StaleVersion, CpuHasSeat, NotYourSeat, InMatch, ActionIdReused)
"""What an item may be refused with: nothing has happened then."""


class LockedMatch(Struct, frozen=True):
    """A match row under its lock, in the order of `_COLUMNS`."""

    id: UUID
    kind: str
    status: str
    version: int
    seq: int
    state: str
    seating: str
    wake_at: datetime | None
    watchable: bool
    watchers: int
    news: int
    party_id: UUID | None


_COLUMNS = (
    "id, kind, status, version, seq, state, seating, wake_at, watchable, watchers, news, party_id"
)
_LOCK = f"SELECT {_COLUMNS} FROM tables_match WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE"  # noqa: S608
_NOW = """
SELECT clock_timestamp(), (SELECT max(id) FROM tables_outage),
       (SELECT max(heartbeat_at) FROM tables_webprocess),
       set_config('idle_in_transaction_session_timeout', %s, true)
"""
_MADE = """
SELECT match_id, seat, action_id, version, payload FROM tables_matchstep
WHERE match_id = ANY(%s) AND action_id = ANY(%s)
"""
_WRITE = """
WITH moved AS (
    UPDATE tables_match m
    SET version = d.version, seq = d.seq, state = d.state, seating = d.seating,
        wake_at = d.wake_at, status = d.status, finished_at = d.finished_at, news = d.news
    FROM json_to_recordset(%s::json) AS d(
        id uuid, version int, seq int, state text, seating text, wake_at timestamptz,
        status text, finished_at timestamptz, news int)
    WHERE m.id = d.id)
INSERT INTO tables_matchstep
    (match_id, first_seq, last_seq, version, kind, seat, action_id, payload, seeds, events, at)
SELECT match_id, first_seq, last_seq, version, kind, seat, action_id, payload, seeds, events, at
FROM json_to_recordset(%s::json) AS s(
    match_id uuid, first_seq int, last_seq int, version int, kind text, seat smallint,
    action_id text, payload text, seeds jsonb, events text, at timestamptz)
"""
_ROUNDS = """
INSERT INTO tables_matchround (match_id, number, record)
SELECT match_id, number, record
FROM json_to_recordset(%s::json) AS r(match_id uuid, number smallint, record text)
"""


class _Made(Struct, frozen=True):
    """An action that was taken under an id before."""

    version: int
    payload: Decided


class _Batch(Struct):
    """What one transaction holds: the locked rows, its time, and what was done before.

    While it is not `attended` no web process serves anybody, so no clock is acted on.
    """

    rows: dict[UUID, LockedMatch]
    now: datetime
    newest_outage: int | None
    attended: bool
    made: dict[tuple[UUID, int, str], _Made]


def apply_batch(items: Sequence[Item], *, wait: bool = False) -> list[Result]:
    """Apply `items`, each by itself, and give their results in the same order.

    Items of one match keep their order. A match that somebody else holds is left alone with
    MatchBusy, unless `wait` is set; a refused item raises nothing, its exception is its result.
    What is due by the clock is done before an item is judged. If the write itself fails, every
    match is tried again alone, so that one bad item fails alone.
    """
    groups: dict[UUID, list[int]] = defaultdict(list)
    for index, item in enumerate(items):
        groups[item.match_id].append(index)
    results: list[Result] = [MatchBusy() for _ in items]
    for match_id in _apply_groups(items, groups, results, wait=wait):
        indexes = groups[match_id]
        try:
            _apply_together(items, {match_id: indexes}, results, wait=True, rated=True)
        except RatingsBusy:  # put back, and the other matches go on
            for index in indexes:
                results[index] = MatchBusy()
    return results


def apply_one(item: Item) -> Done:
    """Apply one item, waiting for the match if somebody holds it, and give its result.

    Raises whatever the item is refused with.
    """
    [result] = apply_batch([item], wait=True)
    if isinstance(result, Exception):
        raise result
    return result


def _apply_groups(
    items: Sequence[Item],
    groups: Mapping[UUID, list[int]],
    results: list[Result],
    *,
    wait: bool,
) -> list[UUID]:
    """Apply all groups together, or, if that fails, each alone; gives those that end rated."""
    try:
        return _apply_together(items, groups, results, wait=wait)
    except DatabaseError:
        if len(groups) == 1:
            raise
        logger.exception("a batch failed and is tried again match by match")
    rated: list[UUID] = []
    for match_id, indexes in groups.items():
        try:
            rated += _apply_together(items, {match_id: indexes}, results, wait=wait)
        except DatabaseError as error:
            for index in indexes:
                results[index] = error
    return rated


def _apply_together(
    items: Sequence[Item],
    groups: Mapping[UUID, list[int]],
    results: list[Result],
    *,
    wait: bool,
    rated: bool = False,
) -> list[UUID]:
    """Apply groups in one transaction; gives those that end rated and were left alone."""
    ends_rated: list[UUID] = []
    with transaction.atomic():
        if rated:
            share_ratings()
        batch = _lock(list(groups), wait=wait)
        _read_made(batch, items)
        moved: list[tuple[LockedMatch, Table]] = []
        for match_id, indexes in groups.items():
            row = batch.rows.get(match_id)
            if row is None:
                missing = wait or not Match.objects.filter(pk=match_id).exists()
                for index in indexes:
                    results[index] = MatchNotFound() if missing else MatchBusy()
                continue
            table = _table(row, batch, rated=rated)
            try:
                outcomes = _move([items[index] for index in indexes], table, row, batch)
            except finish.EndsRated:
                ends_rated.append(match_id)
                continue
            for index, outcome in zip(indexes, outcomes, strict=True):
                results[index] = outcome
            moved.append((row, table))
        _store(moved, batch.now)
        views = {row.id: _view(row, table, batch.now) for row, table in moved}
        for match_id in views:
            for index in groups[match_id]:
                result = results[index]
                if isinstance(result, Done):
                    results[index] = replace(result, view=views[match_id])
                elif isinstance(result, StaleVersion):
                    result.show(views[match_id])
        _announce(moved, views, batch.now)
    return ends_rated


def _lock(match_ids: list[UUID], *, wait: bool) -> _Batch:
    with connection.cursor() as cursor:
        cursor.execute(_LOCK if wait else f"{_LOCK} SKIP LOCKED", [match_ids])
        rows = {row[0]: LockedMatch(*row) for row in cursor.fetchall()}
        alive = is_session_attended()  # before outages are read: they are there when it is
        cursor.execute(_NOW, [f"{STILL_SECONDS}s"])
        now, newest_outage, heartbeat_at, _ = cursor.fetchone()
    attended = heartbeat_at is None or (alive and not is_silent(heartbeat_at, now))
    return _Batch(rows, now, newest_outage, attended, {})


def _read_made(batch: _Batch, items: Iterable[Item]) -> None:
    ids = {item.action_id for item in items if isinstance(item, Decide) and item.action_id}
    if not ids:
        return
    with connection.cursor() as cursor:
        cursor.execute(_MADE, [list(batch.rows), list(ids)])
        for match_id, seat, action_id, version, payload in cursor.fetchall():
            made = _Made(version, msgspec.json.decode(payload, type=Decided))
            batch.made[match_id, seat, action_id] = made


def _table(row: LockedMatch, batch: _Batch, *, rated: bool) -> Table:
    seating = clockwork.decode(row.seating)
    if not seating.ranked:
        finisher = finish.plain_result
    elif rated:
        finisher = functools.partial(finish.rated_result, row.id, batch.now)
    else:
        finisher = finish.leave_rated
    return Table(
        version=row.version,
        seq=row.seq,
        state=codec.decode(row.state),
        seating=seating,
        clocks=clocks(),
        finish=finisher,
        new_seed=new_seed,
    )


def new_seed() -> bytes:
    """A shoe's seed: 256 bits from the system's secure source (rules.md R3.4)."""
    return secrets.token_bytes(32)


def _move(
    items: Sequence[Item], table: Table, row: LockedMatch, batch: _Batch
) -> list[Done | Exception]:
    """Move one table on by what is due and by its items, in order."""
    now = batch.now
    if not table.over:
        _count_outages(table, batch)
    if batch.attended:
        if row.wake_at is not None and row.wake_at <= now:
            LATENESS.observe((now - row.wake_at).total_seconds())
        _look(items, table, row, now)
        _do_what_is_due(table, now)
    outcomes: list[Done | Exception] = []
    for item in items:
        try:
            outcomes.append(_apply_item(item, table, row, batch))
        except REFUSALS as refusal:
            outcomes.append(refusal)
    if batch.attended:
        _do_what_is_due(table, now)
    return outcomes


def _count_outages(table: Table, batch: _Batch) -> None:
    if batch.newest_outage is None or batch.newest_outage <= table.seating.outage:
        return
    deadline = table.seating.deadline
    for outage in Outage.objects.filter(pk__gt=table.seating.outage).order_by("pk"):
        table.seating = clockwork.shift(table.seating, outage.pk, outage.began_at, outage.ended_at)
    if table.seating.deadline != deadline:
        table.tell_clock(batch.now)


def _look(items: Sequence[Item], table: Table, row: LockedMatch, now: datetime) -> None:
    """Bring presence up to date where it may have changed; a decision alone changes none."""
    if table.over:
        return
    newly = {str(item.player_id) for item in items if isinstance(item, Arrive)}
    for item in items:
        if not isinstance(item, Decide):
            break
        seat = table.seating.seat_of(str(item.player_id))
        if seat is not None and not table.seating.hold(seat).connected:
            break
    else:
        if row.wake_at is None or row.wake_at > now:
            return
    players = [UUID(hold.player) for hold in table.seating.seats]
    table.see(sightings_of(players, row.id), now, newly)


def _do_what_is_due(table: Table, now: datetime) -> None:
    if table.over:
        return
    ruleset = table.state.ruleset
    try:
        table.do_what_is_due(lambda: ready(ruleset), now)
    except StrategyMissing:
        # It was asked for when the match began; a new solver makes it missing in the middle.
        transaction.on_commit(
            functools.partial(strategies.want, ruleset, Urgency.MATCH), robust=True
        )
        table.retry_at = now + RETRY_STRATEGY_AFTER


def _apply_item(item: Item, table: Table, row: LockedMatch, batch: _Batch) -> Done:
    match item:
        case Wake() | Arrive():
            return Done(table.version)
        case PlayOut():
            table.play_out(batch.now)
            return Done(table.version)
        case Rename():
            if not table.over:  # finished ones are shown under present names anyway
                table.rename(names_for_all([item.player_id]))
            return Done(table.version)
    seat = table.seating.seat_of(str(item.player_id))
    if seat is None:
        raise NotYourSeat
    match item:
        case Decide():
            return _decide(item, seat, table, batch)
        case Leave():
            table.leave(seat, item.reason, batch.now)
            Seat.objects.filter(match_id=row.id, number=seat).update(live=False)
            table.rename(names_for_all([item.player_id]))
            return Done(table.version, seat)
        case Return():
            _take_seat_again(item, seat, row, table)
            table.give_back(seat, batch.now)
            return Done(table.version, seat)
    assert_never(item)


def _decide(item: Decide, seat: int, table: Table, batch: _Batch) -> Done:
    key = (item.match_id, seat, item.action_id or "")
    made = batch.made.get(key)
    if made is not None:
        if made.payload != _decided(item, seat):
            raise ActionIdReused
        return Done(made.version, seat)
    table.act(
        seat=seat,
        action=item.action,
        amount=item.amount,
        version=item.version,
        now=batch.now,
        action_id=item.action_id,
    )
    if item.action_id:
        batch.made[key] = _Made(table.version, _decided(item, seat))
    return Done(table.version, seat)


def _decided(item: Decide, seat: int) -> Decided:
    return Decided(seat, item.action, By.PLAYER, item.amount, item.version, item.action_id)


def _take_seat_again(item: Return, seat: int, row: LockedMatch, table: Table) -> None:
    """Tie the player to this match again, unless another one has them."""
    if table.over or table.seating.hold(seat).reason is not ControlReason.LEFT:
        return
    try:
        with transaction.atomic():
            Seat.objects.filter(match_id=row.id, number=seat).update(live=True)
    except IntegrityError as error:
        other = Seat.objects.filter(player_id=item.player_id, live=True).first()
        raise InMatch(other.match_id if other else None) from error


# Writing


def _store(moved: Sequence[tuple[LockedMatch, Table]], now: datetime) -> None:
    rows: list[dict[str, object]] = []
    steps: list[dict[str, object]] = []
    rounds: list[dict[str, object]] = []
    for row, table in moved:
        ended = table.over and row.status == MatchStatus.PLAYING
        seating = clockwork.encode(table.seating)
        if not table.steps and seating == row.seating and table.wake_at == row.wake_at:
            continue
        rows.append(
            {
                "id": row.id,
                "version": table.version,
                "seq": table.seq,
                "state": codec.encode(table.state),
                "seating": seating,
                "wake_at": table.wake_at,
                "status": MatchStatus.FINISHED if ended else row.status,
                "finished_at": now if ended else None,
                "news": row.news + bool(table.steps) + _is_presence_news(table),
            }
        )
        steps += ({"match_id": row.id, **msgspec.structs.asdict(step)} for step in table.steps)
        rounds += (
            {"match_id": row.id, "number": number, "record": record}
            for number, record in table.rounds
        )
    if not rows:
        return
    with connection.cursor() as cursor:
        if rounds:
            cursor.execute(_ROUNDS, [_json(rounds)])
        cursor.execute(_WRITE, [_json(rows), _json(steps)])
    for row, table in moved:
        if table.over and row.status == MatchStatus.PLAYING:
            finish.close_seats(row.id, table, now)
            if row.party_id is not None:
                announce_on_commit(row.party_id)


def _json(rows: Sequence[Mapping[str, object]]) -> str:
    """Rows as one JSON document (arrays of long texts are slow to pass in any other way)."""
    return msgspec.json.encode(rows).decode()


# Telling


def _is_presence_news(table: Table) -> bool:
    """Whether it has changed who is there, and since when."""
    if table.over or presence_is_same(table.seating, table.opening):
        return False
    return presence_of(table.seating, clocks()) != presence_of(table.opening, clocks())


def _view(row: LockedMatch, table: Table, now: datetime) -> MatchView:
    over = table.over and row.status == MatchStatus.PLAYING
    return match_view(
        match_id=row.id,
        kind=row.kind,
        status=MatchStatus.FINISHED.value if over else row.status,
        version=table.version,
        seq=table.seq,
        watchable=row.watchable,
        watchers=row.watchers,
        state=table.state,
        seating=table.seating,
        clocks=clocks(),
        now=now,
        result=table.result or result_of(row.id, row.kind, table.state),
    )


def _announce(
    moved: Sequence[tuple[LockedMatch, Table]], views: Mapping[UUID, MatchView], now: datetime
) -> None:
    """Publish after the commit what was written: one message a match, whatever moved it."""
    messages = []
    for row, table in moved:
        wake_in = seconds_until(table.wake_at, now)
        news = row.news
        if table.steps:
            news += 1
            events = [step.events for step in table.steps]
            messages.append(
                events_message(views[row.id], row.seq + 1, events, wake_in=wake_in, news=news)
            )
        if _is_presence_news(table):
            messages.append(
                presence_message(
                    row.id,
                    presence_of(table.seating, clocks()),
                    seq=table.seq,
                    version=table.version,
                    wake_in=wake_in,
                    news=news + 1,
                )
            )
    if messages:
        transaction.on_commit(functools.partial(publish, messages))
