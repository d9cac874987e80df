"""People who meet in parties."""

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
import redis
from django.conf import settings
from django.db import connection
from django.utils import timezone

from accounts.languages import Language
from accounts.models import Player
from accounts.services.players import make_player
from tables.models import Match, Party, Presence, Seat
from tables.services import parties
from tables.services.presence import Place, touch


@pytest.fixture
def now() -> datetime:
    return timezone.now() - timedelta(hours=1)


@pytest.fixture
def players(db: None, now: datetime) -> list[Player]:
    """Eight people with accounts."""
    names = ("Aki", "Ben", "Chika", "Dan", "Emi", "Fumi", "Gen", "Hana")
    return [make_player(display_name=n, language=Language.ENGLISH, now=now) for n in names]


@pytest.fixture
def gather(now: datetime) -> Callable[..., Party]:
    """Make a party of these players: the first is host, the others join a second apart."""

    def gathered(host: Player, *others: Player, **options: Any) -> Party:
        party = parties.create_party(player_id=host.pk, now=now, **options)
        for after, other in enumerate(others, start=1):
            parties.join_party(
                code=party.code, player_id=other.pk, now=now + timedelta(seconds=after)
            )
        party.refresh_from_db()
        return party

    return gathered


@pytest.fixture
def play(now: datetime) -> Callable[..., Match]:
    """Give a player a live match: the party's with `party`, else one of their own."""

    def played(*seated: Player, party: Party | None = None) -> Match:
        kind = "party" if party else "solo"
        match = Match.objects.create(
            kind=kind, rules="{}", state="", seating="", party=party, started_at=now
        )
        for number, player in enumerate(seated, start=1):
            Seat.objects.create(
                match=match, number=number, player=player, kind=kind, started_at=now
            )
        return match

    return played


@pytest.fixture
def end() -> Callable[..., None]:
    """End a match."""

    def ended(match: Match, at: datetime) -> None:
        Match.objects.filter(pk=match.pk).update(status="finished", finished_at=at)
        Seat.objects.filter(match=match).update(live=False, finished_at=at)

    return ended


@pytest.fixture
def away(now: datetime) -> Callable[[Player, float], None]:
    """Let a player have been disconnected for some seconds."""

    def gone(player: Player, seconds: float) -> None:
        Presence.objects.update_or_create(
            player=player,
            defaults={
                "party_seen_at": None,
                "gone_at": timezone.now() - timedelta(seconds=seconds),
            },
        )

    return gone


@pytest.fixture
def here() -> Callable[[Player], None]:
    """Let a player ask for the party by REST."""

    def seen(player: Player) -> None:
        touch(player_id=player.pk, place=Place.PARTY)

    return seen


Inbox = dict[UUID, list[dict[str, Any]]]


@pytest.fixture
def listen(
    valkey: redis.Redis, django_capture_on_commit_callbacks: Callable[..., Any]
) -> Callable[..., Any]:
    """`with listen() as inbox:` does what it holds as committed, and collects each player's news.

    The news has gone through the real Valkey.
    """

    @contextmanager
    def listening() -> Iterator[Inbox]:
        topic = f"{settings.REDIS_PREFIX}p:"
        pubsub = valkey.pubsub()
        pubsub.psubscribe(topic + "*")
        assert pubsub.get_message(timeout=5)
        inbox: Inbox = {}
        with django_capture_on_commit_callbacks(execute=True):
            yield inbox
        valkey.publish(topic + "end", "")
        while (heard := pubsub.get_message(timeout=5)) is not None:
            key = heard["channel"].decode().removeprefix(topic)
            if key == "end":
                break
            if heard["data"].startswith(b"{"):
                inbox.setdefault(UUID(key), []).append(json.loads(heard["data"]))
        pubsub.close()

    return listening


@pytest.fixture
def a_web_process(django_db_blocker: Any) -> Iterator[None]:
    """A web process lives: its session holds the lock that says so."""
    other = connection.copy(alias="default")
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock_shared(%s)", [0x7461_6B75_02])
    yield
    other.close()


@pytest.fixture
def at_once() -> Iterator[Callable[..., list[Any]]]:
    """Do several things at the same moment, each in a thread with a connection of its own.

    Gives what each returned, or the error that it raised.
    """
    pool = ThreadPoolExecutor(max_workers=10)

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

    gate = threading.Barrier(10)
    list(pool.map(disconnect, [gate] * 10))
    pool.shutdown()
