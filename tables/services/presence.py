"""Keeping presence: heartbeats of web processes, their sockets, REST requests, outages.

Every living web process holds a shared session lock in the database. So whether any is alive is
known at once, whatever killed it, and an outage is counted exactly once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID
from weakref import WeakSet

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import F, Max

from accounts.models import Player
from tables.clocks import PROCESS_DEAD_AFTER, SILENT_AFTER, noted_every
from tables.models import (
    Connection,
    Match,
    MatchStatus,
    Outage,
    Presence,
    ReadyCheck,
    Seat,
    Ticket,
    Watcher,
    WebProcess,
)
from tables.selectors.clock import database_now

_JOIN_LOCK = 0x7461_6B75_01
_ALIVE_LOCK = 0x7461_6B75_02

KEEP_PROCESSES = timedelta(days=1)

OPENING = timedelta(seconds=10)
"""So young a socket may not be known to its own process yet."""


class Place(StrEnum):
    """What a REST request connects a player to."""

    MATCH = "match"
    PARTY = "party"
    QUEUE = "queue"


def _lock(function: str, key: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(%s)", [key])  # a name from this file
        return bool(cursor.fetchone()[0])


_HOLDERS = """
SELECT count(*) FILTER (WHERE pid = pg_backend_pid()), count(*)
FROM pg_locks WHERE locktype = 'advisory' AND granted
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
AND classid::bigint = %s AND objid::bigint = %s
"""


def _alive() -> tuple[bool, bool]:
    """Whether this session is a living process's, and whether any other one is."""
    with connection.cursor() as cursor:
        cursor.execute(_HOLDERS, [_ALIVE_LOCK >> 32, _ALIVE_LOCK & 0xFFFF_FFFF])
        own, holders = cursor.fetchone()
    return own > 0, holders > own


def any_process_alive() -> bool:
    """Whether any web process holds the lock of the living."""
    return any(_alive())


def is_silent(heartbeat_at: datetime | None, now: datetime) -> bool:
    """Whether the newest heartbeat is so old that no web process can be serving anybody."""
    return heartbeat_at is not None and now - heartbeat_at > timedelta(seconds=SILENT_AFTER)


def is_attended() -> bool:
    """Whether a web process lives and serves; while none does, no clock is acted on.

    Nobody could act then: it is an outage, by which all clocks are moved when it ends.
    """
    if not any_process_alive():
        return False
    newest = WebProcess.objects.aggregate(newest=Max("heartbeat_at"))["newest"]
    return not is_silent(newest, database_now())


_lived_through: WeakSet[object] = WeakSet()
"""Database sessions that have seen a living process since they began."""


def is_session_attended() -> bool:
    """Whether a web process lives as far as this session must ask; cheap on every batch.

    A database that fails ends every session, so a new one looks whether a process has joined
    since. In a web process that is enough: it lives itself.
    """
    session = connection.connection
    if session is not None and session in _lived_through:
        return True
    alive = any_process_alive()
    if alive and settings.PROCESS == "web":
        _lived_through.add(connection.connection)
    return alive


def join_process(*, process_id: UUID) -> Outage | None:
    """Enter a web process on this database session, and count the outage that it ends, if any.

    An outage is the time between the last heartbeat of any web process (every 5 s, and at a
    clean stop) and the first afterwards, where no process was alive in between, or all stood
    still. The session must be kept for as long as the process lives; after a lost session, or
    a silence, join again.
    """
    _lock("pg_advisory_lock", _JOIN_LOCK)
    try:
        outage = _enter(process_id)
        if not _alive()[0]:
            # Only now: whoever sees a living process must find the outage that it has ended.
            _lock("pg_advisory_lock_shared", _ALIVE_LOCK)
    finally:
        with contextlib.suppress(DatabaseError):  # the session is lost, and its locks with it
            _lock("pg_advisory_unlock", _JOIN_LOCK)
    return outage


@transaction.atomic
def _enter(process_id: UUID) -> Outage | None:
    now = database_now()
    outage = None
    latest = WebProcess.objects.order_by("-heartbeat_at").first()
    nobody = latest is None or is_silent(latest.heartbeat_at, now) or not any_process_alive()
    if nobody and latest is not None and latest.heartbeat_at < now:
        outage = Outage.objects.create(began_at=latest.heartbeat_at, ended_at=now)
        _move_presence(outage)
        # Every live match is looked at anew: who is there, and what its clock says now.
        live = Match.objects.filter(status=MatchStatus.PLAYING).values_list("pk", flat=True)
        _wake(live, now)
        _move_queue(outage)
    _note_heartbeat(process_id, now)
    return outage


def _note_heartbeat(process_id: UUID, now: datetime) -> None:
    WebProcess.objects.update_or_create(
        id=process_id,
        defaults={"heartbeat_at": now, "stopped_at": None},
        create_defaults={"started_at": now, "heartbeat_at": now},
    )


def _move_presence(outage: Outage) -> None:
    """Move every time of presence by an outage, in which nobody could be seen."""
    length = outage.ended_at - outage.began_at
    _forget_processes(WebProcess.objects.values_list("id", flat=True))
    for field in ("gone_at", "match_seen_at", "party_seen_at", "queue_seen_at"):
        Presence.objects.filter(**{f"{field}__isnull": False}).update(**{field: F(field) + length})


def _move_queue(outage: Outage) -> None:
    """Move the times of tickets and ready checks by an outage, in which nobody could answer.

    Who waits has waited as long as before it.
    """
    length = outage.ended_at - outage.began_at
    Ticket.objects.update(since=F("since") + length)
    ReadyCheck.objects.update(opened_at=F("opened_at") + length, deadline=F("deadline") + length)


def _forget_processes(process_ids: Iterable[UUID]) -> list[UUID]:
    """End the sockets of processes that are gone; gives the live matches that this concerns."""
    process_ids = list(process_ids)
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO tables_presence (player_id, gone_at)
            SELECT c.player_id, max(w.heartbeat_at)
            FROM tables_connection c JOIN tables_webprocess w ON w.id = c.process_id
            WHERE w.id = ANY(%s) GROUP BY c.player_id ORDER BY c.player_id
            ON CONFLICT (player_id)
            DO UPDATE SET gone_at = GREATEST(tables_presence.gone_at, excluded.gone_at)
            RETURNING player_id
            """,
            [process_ids],
        )
        players = [row[0] for row in cursor.fetchall()]
    Connection.objects.filter(process__in=process_ids).delete()
    watched = list(
        Watcher.objects.filter(process__in=process_ids).values_list("match_id", flat=True)
    )
    Watcher.objects.filter(process__in=process_ids).delete()
    count_watchers(watched)
    return list(
        Seat.objects.filter(player__in=players, live=True).values_list("match_id", flat=True)
    )


def _wake(match_ids: Iterable[UUID], now: datetime) -> None:
    """Let matches be looked at by the next sweep, whatever they were waiting for."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            UPDATE tables_match SET wake_at = %s WHERE id IN (
                SELECT id FROM tables_match WHERE id = ANY(%s) AND status = 'playing'
                ORDER BY id FOR NO KEY UPDATE)
            """,
            [now, list(match_ids)],
        )


@transaction.atomic
def keep_connections(*, process_id: UUID, sockets: Mapping[UUID, UUID]) -> list[UUID]:
    """Let what is noted of this process agree with its open sockets (with their players).

    Open ones were taken for ended after an outage of the database, or when this process stood
    still for too long; ended ones are noted still where the database failed just then. Gives the
    live matches of their players, which should be told.
    """
    now = database_now()
    noted = {each.pk: each for each in Connection.objects.filter(process=process_id)}
    missing = {socket: player for socket, player in sockets.items() if socket not in noted}
    # A socket of a player who is not stored would fail the whole process's heartbeat.
    known = set(Player.objects.filter(pk__in=missing.values()).values_list("pk", flat=True))
    missing = {socket: player for socket, player in missing.items() if player in known}
    ended = [
        each
        for socket, each in noted.items()
        if socket not in sockets and each.opened_at < now - OPENING
    ]
    if not missing and not ended:
        return []
    players = {*missing.values(), *(each.player_id for each in ended)}
    if ended:
        _note_gone({each.player_id for each in ended}, now)
        Connection.objects.filter(pk__in=[each.pk for each in ended]).delete()
    Connection.objects.bulk_create(
        (
            Connection(id=socket, process_id=process_id, player_id=player, opened_at=now)
            for socket, player in sorted(missing.items())
        ),
        ignore_conflicts=True,
    )
    seats = Seat.objects.filter(player__in=players, live=True)
    return list(seats.values_list("match_id", flat=True))


def heartbeat(*, process_id: UUID) -> bool:
    """Say that a web process lives; to be called every 5 s on the session that joined.

    A row that is gone (the database was put back) is made again. False where the process must
    join again: this session is not the one that joined, or no process has been heard of for so
    long that nobody could play.
    """
    joined, _ = _alive()
    newest = WebProcess.objects.aggregate(newest=Max("heartbeat_at"))["newest"]
    now = database_now()
    if not joined or is_silent(newest, now):
        return False
    _note_heartbeat(process_id, now)
    return True


def leave_process(*, process_id: UUID) -> None:
    """Take a web process that stops cleanly out; its sockets end now."""
    with transaction.atomic():
        now = database_now()
        WebProcess.objects.filter(pk=process_id).update(heartbeat_at=now, stopped_at=now)
        _wake(_forget_processes([process_id]), now)
    _lock("pg_advisory_unlock_shared", _ALIVE_LOCK)


@transaction.atomic
def forget_dead_processes(*, now: datetime) -> list[UUID]:
    """End the sockets of processes without a heartbeat for 15 s; gives the matches concerned.

    Their players count as away since the last heartbeat.
    """
    dead = list(
        WebProcess.objects.filter(
            heartbeat_at__lt=now - timedelta(seconds=PROCESS_DEAD_AFTER), stopped_at__isnull=True
        )
        .order_by("id")
        .select_for_update(skip_locked=True)
        .values_list("id", flat=True)
    )
    if not dead:
        return []
    matches = _forget_processes(dead)
    WebProcess.objects.filter(pk__in=dead).update(stopped_at=F("heartbeat_at"))
    newest = WebProcess.objects.order_by("-heartbeat_at").values("pk")[:1]
    WebProcess.objects.filter(heartbeat_at__lt=now - KEEP_PROCESSES).exclude(pk__in=newest).delete()
    return matches


# Sockets


def open_connection(*, connection_id: UUID, process_id: UUID, player_id: UUID) -> UUID | None:
    """Note an open socket of a player; gives their live match, which should be told."""
    # A heartbeat in between may have noted the socket already.
    Connection.objects.update_or_create(
        id=connection_id,
        defaults={
            "process_id": process_id,
            "player_id": player_id,
            "opened_at": database_now(),
        },
    )
    return _live_match(player_id)


@transaction.atomic
def close_connection(*, connection_id: UUID, player_id: UUID) -> UUID | None:
    """Note that a socket ended; gives the player's live match if it was their last one.

    That match is due at once, so that the going is seen whatever becomes of this process.
    """
    now = database_now()
    _note_gone([player_id], now)  # first: of two that close together, the later sees the other end
    Connection.objects.filter(pk=connection_id).delete()
    if Connection.objects.filter(player_id=player_id).exists():
        return None
    match_id = _live_match(player_id)
    if match_id is not None:
        _wake([match_id], now)
    return match_id


def _note_gone(player_ids: Iterable[UUID], now: datetime) -> None:
    """Note when a socket of these players was last known, and hold their rows meanwhile."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO tables_presence (player_id, gone_at)
            SELECT id, %s FROM unnest(%s::uuid[]) AS p(id) ORDER BY id
            ON CONFLICT (player_id)
            DO UPDATE SET gone_at = GREATEST(tables_presence.gone_at, excluded.gone_at)
            """,
            [now, list(player_ids)],
        )


def _live_match(player_id: UUID) -> UUID | None:
    return (
        Seat.objects.filter(player_id=player_id, live=True)
        .values_list("match_id", flat=True)
        .first()
    )


def touch_every(place: Place) -> timedelta:
    """How long a note of a REST request is good enough, well within the time that it lasts."""
    window = settings.QUEUE_PRESENCE if place is Place.QUEUE else settings.MATCH_PRESENCE
    return timedelta(seconds=noted_every(window))


def touch(*, player_id: UUID, place: Place, match_id: UUID | None = None) -> bool:
    """Note a REST request of a player for their match, party or ticket (api.md, Version).

    False where it is noted well enough already.
    """
    now = database_now()
    seen: dict[str, object] = {f"{place}_seen_at": now}
    if place is Place.MATCH:
        seen["match_id"] = match_id
    fresh: dict[str, object] = {f"{place}_seen_at__gt": now - touch_every(place)}
    if place is Place.MATCH:
        fresh["match_id"] = match_id
    if Presence.objects.filter(player_id=player_id, **fresh).exists():
        return False
    Presence.objects.update_or_create(player_id=player_id, defaults=seen)
    return True


# Watchers


@transaction.atomic
def watch(*, socket: UUID, process_id: UUID, match_id: UUID) -> None:
    """Note that a socket watches a match; watching twice is watching once."""
    _, new = Watcher.objects.get_or_create(
        socket=socket, match_id=match_id, defaults={"process_id": process_id}
    )
    if new:
        count_watchers([match_id])


@transaction.atomic
def unwatch(*, socket: UUID, match_id: UUID | None = None) -> None:
    """Note that a socket watches a match, or any match, no longer."""
    rows = Watcher.objects.filter(socket=socket)
    if match_id is not None:
        rows = rows.filter(match_id=match_id)
    matches = list(rows.values_list("match_id", flat=True))
    if matches:
        rows.delete()
        count_watchers(matches)


def count_watchers(match_ids: Sequence[UUID]) -> None:
    """Bring the number of watchers of matches up to date, within a transaction."""
    if match_ids:
        with connection.cursor() as cursor:
            # Held first: a count that waited for another would not see what that one changed.
            cursor.execute(
                "SELECT id FROM tables_match WHERE id = ANY(%s) ORDER BY id FOR NO KEY UPDATE",
                [list(match_ids)],
            )
            cursor.execute(
                """
                UPDATE tables_match m SET watchers =
                    (SELECT count(*) FROM tables_watcher w WHERE w.match_id = m.id)
                WHERE m.id = ANY(%s)
                """,
                [list(match_ids)],
            )
