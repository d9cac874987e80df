"""The rows of matches as their one writer has them: locked, written back, and told of."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

import msgspec
from django.db import connection, transaction
from msgspec import Struct

from tables import seating as clockwork
from tables.blackjack import codec
from tables.clocks import clocks
from tables.hub import publish
from tables.match_view import MatchView, match_view, presence_is_same, presence_of
from tables.messages import events_message, presence_message, seconds_until
from tables.models import MatchStatus
from tables.selectors.results import result_of
from tables.services import finish
from tables.services.party_news import announce_on_commit
from tables.services.presence import is_session_attended, is_silent
from tables.table import Decided, Table

STILL_SECONDS = 30
"""A process that stands still so long in the middle of a batch loses its hold of the matches."""


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


class Made(Struct, frozen=True):
    """An action that was taken under an id before."""

    version: int
    payload: Decided


class Batch(Struct):
    """What one transaction holds: the locked rows, its time, and what was done before.

    While it is not `attended` no web process serves anybody, so no clock is acted on.
    """

    rows: dict[UUID, LockedMatch]
    now: datetime
    newest_outage: int | None
    attended: bool
    made: dict[tuple[UUID, int, str], Made]


def lock(match_ids: Sequence[UUID], *, wait: bool) -> Batch:
    """Lock these matches until the transaction ends; without `wait`, those that nobody else has."""
    with connection.cursor() as cursor:
        cursor.execute(_LOCK if wait else f"{_LOCK} SKIP LOCKED", [list(match_ids)])
        rows = {row[0]: LockedMatch(*row) for row in cursor.fetchall()}
        alive = is_session_attended()  # before outages are read: they are there when it is
        cursor.execute(_NOW, [f"{STILL_SECONDS}s"])
        now, newest_outage, heartbeat_at, _ = cursor.fetchone()
    attended = heartbeat_at is None or (alive and not is_silent(heartbeat_at, now))
    return Batch(rows, now, newest_outage, attended, {})


def read_made(batch: Batch, action_ids: Iterable[str]) -> None:
    """Look up which of these ids have acted before, in the matches of the batch."""
    ids = set(action_ids)
    if not ids:
        return
    with connection.cursor() as cursor:
        cursor.execute(_MADE, [list(batch.rows), list(ids)])
        for match_id, seat, action_id, version, payload in cursor.fetchall():
            made = Made(version, msgspec.json.decode(payload, type=Decided))
            batch.made[match_id, seat, action_id] = made


# Writing


def store(moved: Sequence[tuple[LockedMatch, Table]], now: datetime) -> None:
    """Write what has changed: state, seating and steps with one statement."""
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


def view_of(row: LockedMatch, table: Table, now: datetime) -> MatchView:
    """The view that all viewers of a match share, as it will be once this is committed."""
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


def announce(
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
