"""How news leaves a transaction and reaches sockets: Valkey pub/sub, and one hub per web process.

Valkey only hurries: whatever is lost between a commit and a socket is found again by the poll,
which compares what each local match and player was last told with what is stored.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple, Protocol
from uuid import UUID
from weakref import WeakSet

import msgspec
import redis
import redis.asyncio
from django.conf import settings
from msgspec import Struct

logger = logging.getLogger(__name__)

POLL_SECONDS = 2.0
RECONNECT_SECONDS = (0.1, 0.3, 1.0, 2.0)
ANSWER_WITHIN = 0.25
"""Seconds that Valkey may take for news; a writer waits for it."""
LEAVE_ALONE = 2.0
"""For so many seconds a Valkey that has not answered is not asked again."""
EVERYBODY = "all"


class Header(Struct, frozen=True):
    """What a process must know of a match message without reading it.

    `wake_in` is the time in seconds until something is due, by the database's clock. Presence
    has no events: its `first_seq` is one past its `last_seq`. A `private` match is for its own
    players alone, whoever was watching before. `news` is the number of this message in its match,
    presence included; 0 where it says nothing of presence.
    """

    match: UUID
    first_seq: int
    last_seq: int
    version: int
    wake_in: float | None = None
    private: bool = False
    news: int = 0

    @property
    def is_presence(self) -> bool:
        """Whether it brings no events, but who is there."""
        return self.first_seq > self.last_seq


class MatchMessage(Struct, frozen=True):
    """An `events` message as it goes to every socket of a match, encoded once."""

    header: Header
    body: str


class PlayerMessage(Struct, frozen=True):
    """A message to all sockets of one player; without a player, to every socket."""

    player: UUID | None
    body: bytes


Message = MatchMessage | PlayerMessage


class Poke(StrEnum):
    """News that is for the server's side of a socket, not for its client."""

    MATCH = "match"
    SIGNED_OUT = "signed_out"
    DELETED = "deleted"
    BANNED = "banned"
    REPLACED = "replaced"
    NOTICE = "notice"
    ANNOUNCEMENT = "announcement"


POKE_MARK = b"!"
"""No JSON text begins so."""


def poke(player_id: UUID | None, what: Poke, about: UUID | None = None) -> PlayerMessage:
    """A poke to all sockets of a player: about a match, or about the one device signed out;
    without a player, to every socket."""
    return PlayerMessage(player_id, POKE_MARK + f"{what} {about or ''}".encode())


def match_poke(player_id: UUID, match_id: UUID) -> PlayerMessage:
    """Tell a player's sockets that a match of theirs has begun."""
    return poke(player_id, Poke.MATCH, match_id)


def read_poke(body: bytes) -> tuple[Poke, UUID | None] | None:
    """What a poke says; None for a message that is for the client."""
    if not body.startswith(POKE_MARK):
        return None
    what, _, about = body[1:].decode().partition(" ")
    return Poke(what), UUID(about) if about else None


class Subscriber(Protocol):
    """A socket, as the hub sees it; both calls return at once."""

    socket_id: UUID

    @property
    def player_id(self) -> UUID | None:
        """Whose it is; None for a guest."""

    def deliver_match(self, message: MatchMessage) -> None:
        """Take news of a match."""

    def deliver_player(self, body: bytes) -> None:
        """Take news of the own player."""


_encode = msgspec.json.Encoder().encode
_decode_header = msgspec.json.Decoder(Header).decode


@functools.cache
def _publisher() -> redis.Redis:
    return redis.Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=ANSWER_WITHIN,
        socket_connect_timeout=ANSWER_WITHIN,
        retry=None,
    )


def _match_topic(match_id: UUID) -> str:
    return f"{settings.REDIS_PREFIX}m:{match_id}"


def _player_topic(player_id: UUID | None) -> str:
    return f"{settings.REDIS_PREFIX}p:{player_id or EVERYBODY}"


class _Valkey:
    """Whether Valkey has just failed to take news, and is left alone for a while."""

    silent_until = 0.0


_hubs: WeakSet[Hub] = WeakSet()
"""The hubs of this process that listen; in a web process one."""


def publish(messages: Sequence[Message]) -> None:
    """Publish `messages` to every web process, in one round trip.

    While Valkey is dead or hangs, this process's own sockets are told all the same; those of
    others find the news by their poll.
    """
    if messages and not _published(messages):
        for hub in tuple(_hubs):
            hub.hand_over(messages)


def _published(messages: Sequence[Message]) -> bool:
    if time.monotonic() < _Valkey.silent_until:
        return False
    try:
        pipeline = _publisher().pipeline(transaction=False)
        for message in messages:
            match message:
                case MatchMessage():
                    wire = _encode(message.header) + b"\n" + message.body.encode()
                    pipeline.publish(_match_topic(message.header.match), wire)
                case PlayerMessage():
                    pipeline.publish(_player_topic(message.player), message.body)
        pipeline.execute()
    except redis.RedisError as error:
        _Valkey.silent_until = time.monotonic() + LEAVE_ALONE
        logger.warning("news not published, sockets will poll: %s", type(error).__name__)
        return False
    return True


class LocalMatch:
    """What this process knows of a match that one of its sockets follows."""

    def __init__(self) -> None:
        self.sockets: set[Subscriber] = set()
        self.told = Known(-1, -1)
        self.timer: asyncio.TimerHandle | None = None


class Known(NamedTuple):
    """What all sockets of a match here were told: the last event, and the last message's number."""

    seq: int
    news: int


class Missed(Struct, frozen=True):
    """What a poll has found: news that was lost, and in how many seconds each match is due."""

    messages: Sequence[MatchMessage]
    wake_in: Mapping[UUID, float | None]


ReadMatches = Callable[[Mapping[UUID, Known]], Awaitable[Missed]]
ReadPlayers = Callable[[Sequence[UUID]], Awaitable[Iterable[PlayerMessage]]]
Wake = Callable[[UUID], None]


class Hub:
    """The sockets of one web process, by match and by player, and the news for them.

    `read_matches` gives a message for each match of which there is more than was told,
    `read_players` the messages for players whose party or match changed since last asked, and
    `wake` is called when a followed match has something due.
    """

    def __init__(self, *, read_matches: ReadMatches, read_players: ReadPlayers, wake: Wake) -> None:
        self._read_matches = read_matches
        self._read_players = read_players
        self._wake = wake
        self._matches: dict[UUID, LocalMatch] = {}
        self._players: dict[UUID, set[Subscriber]] = {}
        self._everybody: set[Subscriber] = set()
        self._tasks: list[asyncio.Task[None]] = []
        self._pubsub: Any = None
        self._client: redis.asyncio.Redis | None = None
        self._behind = asyncio.Event()
        self._connected = False
        self._loop: asyncio.AbstractEventLoop | None = None

    async def start(self) -> None:
        """Begin to listen and to poll."""
        self._client = redis.asyncio.Redis.from_url(
            settings.REDIS_URL, socket_timeout=None, socket_connect_timeout=2.0
        )
        self._pubsub = self._client.pubsub()
        self._loop = asyncio.get_running_loop()
        _hubs.add(self)
        self._tasks = [
            asyncio.create_task(self._listen(), name="hub-listen"),
            asyncio.create_task(self._poll(), name="hub-poll"),
        ]

    async def stop(self) -> None:
        """Stop listening; sockets are closed by their owner."""
        _hubs.discard(self)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for local in self._matches.values():
            if local.timer is not None:
                local.timer.cancel()
        with contextlib.suppress(redis.RedisError):
            await self._pubsub.aclose()
        if self._client is not None:
            await self._client.aclose()

    @property
    def sockets(self) -> frozenset[Subscriber]:
        """All sockets of this process."""
        return frozenset(self._everybody)

    # Who listens to what

    def open(self, socket: Subscriber) -> None:
        """Take a new socket in."""
        self._everybody.add(socket)

    def close(self, socket: Subscriber) -> None:
        """Forget a socket."""
        if socket not in self._everybody:
            return
        self._everybody.remove(socket)
        for match_id in [m for m, local in self._matches.items() if socket in local.sockets]:
            self.leave_match(match_id, socket)
        for player_id in [p for p, sockets in self._players.items() if socket in sockets]:
            self.leave_player(player_id, socket)

    def join_match(self, match_id: UUID, socket: Subscriber) -> None:
        """Bring news of a match to a socket from now on."""
        local = self._matches.get(match_id)
        if local is None:
            local = self._matches[match_id] = LocalMatch()
            self._subscribe(_match_topic(match_id))
        local.sockets.add(socket)

    def leave_match(self, match_id: UUID, socket: Subscriber) -> None:
        """End a socket's news of a match."""
        local = self._matches.get(match_id)
        if local is None:
            return
        local.sockets.discard(socket)
        if not local.sockets:
            del self._matches[match_id]
            if local.timer is not None:
                local.timer.cancel()
            self._unsubscribe(_match_topic(match_id))

    def begin(self, match_id: UUID, known: Known, wake_in: float | None) -> None:
        """Take over what a socket has read of a match by itself.

        Where others follow the match already, what they were told stays what is known here: they
        may have missed what this socket has read.
        """
        local = self._matches.get(match_id)
        if local is None or known.seq < local.told.seq:
            return
        if local.told.seq < 0:
            local.told = known
        self._set_timer(match_id, local, wake_in)

    def _know(self, header: Header, local: LocalMatch) -> None:
        if header.last_seq < local.told.seq:
            return
        local.told = Known(header.last_seq, max(header.news, local.told.news))
        self._set_timer(header.match, local, header.wake_in)

    def _set_timer(self, match_id: UUID, local: LocalMatch, wake_in: float | None) -> None:
        """Let the match be woken when something is due next."""
        if local.timer is not None:
            local.timer.cancel()
            local.timer = None
        if wake_in is not None:
            loop = asyncio.get_running_loop()
            delay = max(0.0, wake_in) + 0.005
            local.timer = loop.call_later(delay, self._wake, match_id)

    def join_player(self, player_id: UUID, socket: Subscriber) -> None:
        """Bring a player's own news to one of their sockets."""
        sockets = self._players.get(player_id)
        if sockets is None:
            sockets = self._players[player_id] = set()
            self._subscribe(_player_topic(player_id))
        sockets.add(socket)

    def leave_player(self, player_id: UUID, socket: Subscriber) -> None:
        """End a player's news to a socket."""
        sockets = self._players.get(player_id)
        if sockets is None:
            return
        sockets.discard(socket)
        if not sockets:
            del self._players[player_id]
            self._unsubscribe(_player_topic(player_id))

    def sockets_of(self, player_id: UUID) -> frozenset[Subscriber]:
        """The sockets of one player in this process."""
        return frozenset(self._players.get(player_id, ()))

    # News

    def hand_over(self, messages: Sequence[Message]) -> None:
        """Take news that Valkey did not; from any thread."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._take, messages)

    def _take(self, messages: Iterable[Message]) -> None:
        for message in messages:
            match message:
                case MatchMessage():
                    self._deliver_match(message)
                case PlayerMessage():
                    self._deliver_player(message.player, message.body)

    def _deliver_match(self, message: MatchMessage) -> None:
        header = message.header
        local = self._matches.get(header.match)
        if local is None:
            return
        if header.is_presence and 0 < header.news <= local.told.news:
            return  # late: who is there now has been told
        self._know(header, local)
        for socket in tuple(local.sockets):
            socket.deliver_match(message)

    def _deliver_player(self, player_id: UUID | None, body: bytes) -> None:
        sockets = self._everybody if player_id is None else self._players.get(player_id, set())
        for socket in tuple(sockets):
            socket.deliver_player(body)

    def _subscribe(self, topic: str) -> None:
        self._call("subscribe", topic)

    def _unsubscribe(self, topic: str) -> None:
        self._call("unsubscribe", topic)

    def _call(self, name: str, topic: str) -> None:
        async def call() -> None:
            with contextlib.suppress(redis.RedisError, OSError):
                await getattr(self._pubsub, name)(topic)

        if self._connected:
            task = asyncio.get_running_loop().create_task(call())
            self._tasks.append(task)
            task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[None]) -> None:
        with contextlib.suppress(ValueError):
            self._tasks.remove(task)

    async def _listen(self) -> None:
        failures = 0
        while True:
            try:
                await self._pubsub.subscribe(_player_topic(None))
                self._connected = True  # from here on, who joins subscribes by itself
                topics = [_match_topic(match_id) for match_id in self._matches]
                topics += (_player_topic(player_id) for player_id in self._players)
                if topics:
                    await self._pubsub.subscribe(*topics)
                self._behind.set()
                failures = 0
                while True:
                    heard = await self._pubsub.get_message(
                        ignore_subscribe_messages=True, timeout=None
                    )
                    if heard is not None:
                        self._hear(heard["channel"].decode(), heard["data"])
            except (redis.RedisError, OSError) as error:
                self._connected = False
                if failures == 0:
                    logger.warning("listening to Valkey failed: %s", type(error).__name__)
                pause = RECONNECT_SECONDS[min(failures, len(RECONNECT_SECONDS) - 1)]
                failures += 1
                await asyncio.sleep(pause)
            except Exception:
                logger.exception("news could not be delivered")

    def _hear(self, topic: str, data: bytes) -> None:
        kind, _, key = topic.removeprefix(settings.REDIS_PREFIX).partition(":")
        if kind == "m":
            header, _, body = data.partition(b"\n")
            self._deliver_match(MatchMessage(_decode_header(header), body.decode()))
        elif key == EVERYBODY:
            self._deliver_player(None, data)
        else:
            self._deliver_player(UUID(key), data)

    async def _poll(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(POLL_SECONDS):
                    await self._behind.wait()
            self._behind.clear()
            try:
                known = {match_id: local.told for match_id, local in self._matches.items()}
                if known:
                    missed = await self._read_matches(known)
                    self._take(missed.messages)
                    for match_id, wake_in in missed.wake_in.items():
                        if local := self._matches.get(match_id):
                            self._set_timer(match_id, local, wake_in)
                players = list(self._players)
                if players:
                    self._take(await self._read_players(players))
            except Exception:
                logger.exception("polling for news failed")
