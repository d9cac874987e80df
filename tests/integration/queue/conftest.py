"""People who search for ranked matches."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.db.models import F
from django.utils import timezone

from accounts.languages import Language
from accounts.models import Device
from accounts.services.players import make_player
from tables.models import (
    Connection,
    Party,
    PartyMember,
    Presence,
    QueueState,
    ReadyCheck,
    Ticket,
    TicketMember,
    WebProcess,
)
from tables.queue_view import QueueView
from tables.selectors.clock import database_now
from tables.selectors.queue import queue_view
from tables.services import parties, queue, ready_checks, waves


@pytest.fixture
def people() -> Callable[[int], list[UUID]]:
    """New players, each with a device in a browser of its own."""

    def made(count: int) -> list[UUID]:
        who = []
        for _ in range(count):
            player = make_player(display_name=None, language=Language.ENGLISH, now=timezone.now())
            signed_in(player.pk, uuid4())
            who.append(player.pk)
        return who

    return made


def signed_in(player_id: UUID, browser: UUID) -> None:
    """Put a player's account into a browser."""
    now = timezone.now()
    Device.objects.create(player_id=player_id, browser=browser, created_at=now, last_used_at=now)


def search(*who: UUID, waited: float = 0.0) -> None:
    """Enter the queue, and have waited for some seconds."""
    for player_id in who:
        queue.enter(player_id=player_id, now=database_now())
    wait(*who, seconds=waited)


def wait(*who: UUID, seconds: float) -> None:
    """Let time pass for these tickets, with everybody there."""
    tickets = TicketMember.objects.filter(player__in=who).values("ticket")
    Ticket.objects.filter(pk__in=tickets).update(since=F("since") - timedelta(seconds=seconds))
    here(*who)


def here(*who: UUID) -> None:
    """Let players ask for their ticket just now."""
    for player_id in who:
        Presence.objects.update_or_create(
            player_id=player_id, defaults={"queue_seen_at": database_now()}
        )


def gone(player_id: UUID, seconds: float) -> None:
    """Let a player have lost the connection so long ago."""
    at = database_now() - timedelta(seconds=seconds)
    Presence.objects.update_or_create(
        player_id=player_id, defaults={"queue_seen_at": None, "gone_at": at}
    )


def place(player_id: UUID) -> QueueView:
    """A player's place in the queue now."""
    return queue_view(player_id, database_now())


def status(player_id: UUID) -> str:
    """A player's status in the queue now."""
    return place(player_id).status.value


def asked(*who: UUID, waited: float = 20.0) -> UUID:
    """Search, and be asked by one ready check; gives its id."""
    search(*who, waited=waited)
    waves.run_wave()
    [check] = {TicketMember.objects.get(player=each).ticket.ready_check_id for each in who}
    assert check is not None
    return check


def accept(*who: UUID) -> None:
    """Accept the present ready check, one after the other."""
    for player_id in who:
        ready_checks.accept(player_id=player_id, check_id=None)


def time_is_up(check_id: UUID) -> None:
    """Let the time of a ready check be over."""
    ReadyCheck.objects.filter(pk=check_id).update(
        deadline=database_now() - timedelta(milliseconds=1)
    )


def a_party(*who: UUID, ready: bool = True) -> Party:
    """A party of these players, the first its host, all others ready."""
    now = timezone.now()
    party = parties.create_party(player_id=who[0], now=now)
    for player_id in who[1:]:
        parties.join_party(code=party.code, player_id=player_id, now=now)
    PartyMember.objects.filter(party=party).update(ready=ready)
    party.refresh_from_db()
    return party


@pytest.fixture
def at_once() -> Iterator[Callable[..., list[Any]]]:
    """Do several things at the same moment, each in a thread with a connection of its own.

    Gives what each returned, or the error that it raised.
    """
    threads = 6
    pool = ThreadPoolExecutor(max_workers=threads)

    def together(*actions: Callable[[], Any]) -> list[Any]:
        gate = threading.Barrier(len(actions))

        def run(action: Callable[[], Any]) -> Any:
            gate.wait()
            try:
                return action()
            except Exception as error:
                return error

        return [future.result() for future in [pool.submit(run, a) for a in actions]]

    yield together

    def disconnect(gate: threading.Barrier) -> None:
        gate.wait()
        connection.close()

    gate = threading.Barrier(threads)
    list(pool.map(disconnect, [gate] * threads))
    pool.shutdown()


@pytest.fixture
def a_web_process() -> Iterator[UUID]:
    """A web process lives: its session holds the lock that says so. Gives its id."""
    now: datetime = database_now()
    process = WebProcess.objects.create(id=uuid4(), started_at=now, heartbeat_at=now)
    other = connection.copy(alias="default")
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock_shared(%s)", [0x7461_6B75_02])
    yield process.pk
    other.close()


def open_socket(player_id: UUID, process_id: UUID) -> None:
    """Let a player have an open socket."""
    Connection.objects.create(
        id=uuid4(), process_id=process_id, player_id=player_id, opened_at=database_now()
    )


def waves_may_come() -> None:
    """Let the last wave be long ago."""
    QueueState.objects.update(wave_at=None)
