"""The socket: one per client for everything live (api.md, WebSocket)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import time
from collections import deque
from collections.abc import AsyncIterator, Coroutine
from typing import Any, assert_never
from uuid import UUID, uuid4

from channels.consumer import get_handler_name
from channels.generic.websocket import AsyncWebsocketConsumer
from django.utils import timezone, translation
from msgspec import UnsetType

from accounts.languages import Language, preferred
from accounts.models import Announcement, Player
from accounts.services.devices import Identity
from api.authentication import Credential
from api.consumers import frames, reading
from api.consumers.announcements import announcement_frame
from api.consumers.database import in_database
from api.consumers.following import Matches
from api.consumers.frames import (
    Ack,
    Act,
    BadMessage,
    Closing,
    Failed,
    Hello,
    Ping,
    Pong,
    Resume,
    Return,
    ServerFrame,
    Subscribe,
    Unsubscribe,
    Welcome,
)
from api.consumers.mailbox import Mailbox
from api.errors import is_known, problem_of
from api.throttling import Limit, TooOften, spend_async
from api.web_process import WebProcess, web_process
from tables.batcher import batcher
from tables.blackjack.actions import ActionName
from tables.envelope import iso
from tables.hub import MatchMessage, Poke, read_poke
from tables.services import batch, presence
from tables.table import NotYourSeat, StaleVersion

logger = logging.getLogger(__name__)

HELLO_SECONDS = 10.0
MOST_SOCKETS = 10
ABUSES = 20
"""So many messages that are no good, within ABUSE_SECONDS, end a socket."""
ABUSE_SECONDS = 30.0
RESUME_AFTER_RESTART = (1.0, 4.0)
"""Between so many seconds later a client should come back; each is told a time of its own, so
that they do not come all at once."""

RESTART, NO_CREDENTIAL, BANNED, NO_HELLO, REPLACED, TOO_SLOW, ABUSE = (
    1012,
    4401,
    4403,
    4408,
    4409,
    4413,
    4429,
)


class TableSocket(AsyncWebsocketConsumer):
    """A client's socket. It parses, calls one service and translates; news comes by the hub."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve the socket to its end; whatever ends it, it is in nothing afterwards.

        One that failed without a `disconnect` would be its player's presence for ever.
        """
        self.process = web_process()
        self.tasks: set[asyncio.Task[None]] = set()
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._take_out()

    async def dispatch(self, message: dict[str, Any]) -> None:
        """Call the handler of an event.

        Channels' own first closes old database connections on the one thread of the process
        before every message; nothing here touches the database on the event loop.
        """
        handler = getattr(self, get_handler_name(message), None)
        if handler is not None:
            await handler(message)

    # Opening

    async def connect(self) -> None:
        """Accept, unless a cookie comes from a foreign page, and welcome who is known."""
        self.socket_id: UUID = uuid4()
        self.identity: Identity | None = None
        self.language: Language = preferred(reading.header(self.scope, "accept-language"))
        self.greeted = False
        self.closed = False
        self.matches = Matches(self)
        self.mailbox = Mailbox(on_room=self.matches.make_good, on_too_slow=self._too_slow)
        self.abuses: deque[float] = deque(maxlen=ABUSES)
        credential = reading.credential_of_scope(self.scope)
        if reading.is_foreign_page(self.scope, credential):
            await self.close()
            return
        await self.accept()
        self.process.hub.open(self)
        self.spawn(self._carry_mail())
        if credential is None:
            self.spawn(self._await_hello())
            return
        async with self._failing_politely():
            await self._recognise(credential)

    async def _recognise(self, credential: Credential) -> None:
        identity = await in_database(reading.identity_of, credential)
        if identity is not None:
            await self._greet(identity)
        elif reading.is_bearer(credential):
            await self._end("signed_out", NO_CREDENTIAL)
        else:
            self.spawn(self._await_hello())

    @contextlib.asynccontextmanager
    async def _failing_politely(self) -> AsyncIterator[None]:
        """Whom nobody can welcome, since the database is away, is told to come back."""
        try:
            yield
        except Exception:
            logger.exception("a socket could not be opened")
            await self._end("restart", RESTART)

    async def _await_hello(self) -> None:
        await asyncio.sleep(HELLO_SECONDS)
        if not self.greeted:
            await self._close(NO_HELLO)

    async def _greet(self, identity: Identity | None) -> None:
        """Welcome a player or a guest, with the player's own news."""
        self.greeted = True
        self.identity = identity
        if identity is None:
            self.say(self._welcome(None, None, None))
            self._tell_announcements()
            return
        player = identity.player
        if player.is_banned(timezone.now()):
            await self._end("banned", BANNED)
            return
        opened = await self._open(player)
        if opened is None:
            await self.process.beat()
            opened = await self._open(player)
        if opened is None:
            await self._end("restart", RESTART)
            return
        self.process.hub.join_player(player.pk, self)
        self.process.personal.note_device(player.pk, identity.device.pk)
        self.say(self._welcome(player, opened.match_id, opened.unread))
        self._tell_announcements()
        if opened.party is not None:
            self.deliver_player(opened.party.body)
        if opened.queue is not None:
            self.deliver_player(opened.queue.body)
        if opened.match_id is not None:
            batcher().post(batch.Arrive(opened.match_id, player.pk))
            await self.matches.follow(opened.match_id)

    async def _open(self, player: Player) -> reading.Opened | None:
        return await in_database(
            reading.open_socket,
            socket_id=self.socket_id,
            process_id=self.process.id,
            player=player,
            most=MOST_SOCKETS,
        )

    def _welcome(self, player: Player | None, match: UUID | None, unread: int | None) -> Welcome:
        with translation.override(self.language):
            shown = reading.person(player) if player is not None else None
        return Welcome(
            player=shown,
            server_time=iso(timezone.now()),
            language=self.language.value,
            match=match,
            unread=unread,
        )

    # Messages from the client

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Handle one message; whatever it is, the socket stays, unless it is abuse."""
        if self.closed:
            return
        message_id = None
        try:
            who = f"player:{self.identity.player.pk}" if self.identity else self._address
            if wait := await spend_async(Limit.of("FRAMES"), who):
                raise TooOften(wait)
            if text_data is None:
                raise BadMessage
            frame = frames.read(text_data)
            message_id = frame.id
            await self._handle(frame)
        except Exception as error:
            if message_id is None and text_data is not None:
                message_id = frames.id_of(text_data)
            await self.refuse(error, message_id)

    @property
    def _address(self) -> str:
        client = self.scope.get("client") or ("unknown",)
        return f"address:{client[0]}"

    async def _handle(self, frame: frames.AnyFrame) -> None:
        match frame:
            case Ping():
                self.say(Pong(server_time=iso(timezone.now()), id=frame.id))
            case Hello():
                async with self._failing_politely():
                    await self._hello(frame)
            case Subscribe():
                await self.matches.follow(frame.match)
                self._acknowledge(frame)
            case Resume():
                await self.matches.resume(frame.match, frame.seq)
                self._acknowledge(frame)
            case Unsubscribe():
                await self.matches.unfollow(frame.match)
                self._acknowledge(frame)
            case Act():
                await self._act(frame)
            case Return():
                player = self._player()
                done = await batcher().submit(batch.Return(frame.match, player.pk))
                self._acknowledge(frame, done.version)
            case _:
                assert_never(frame)

    async def _hello(self, frame: Hello) -> None:
        if frame.language is not None:
            self.language = preferred(frame.language)
        identity = None
        if frame.token is not None:
            identity = await in_database(reading.identity_of_token, frame.token)
            other = self.identity is not None and (
                identity is None or identity.player.pk != self.identity.player.pk
            )
            if identity is None or other:
                await self._end("signed_out", NO_CREDENTIAL)
                return
        if not self.greeted or (self.identity is None and identity is not None):
            await self._greet(identity)
        self._acknowledge(frame)

    def _player(self) -> Player:
        if self.identity is None:
            raise reading.NotSignedIn
        return self.identity.player

    async def _act(self, frame: Act) -> None:
        player = self._player()
        amount = None if isinstance(frame.amount, UnsetType) else frame.amount
        if (amount is None) is (frame.action is ActionName.BET):
            raise BadMessage
        decision = batch.Decide(
            frame.match, player.pk, frame.action, frame.version, amount, frame.id
        )
        try:
            done = await batcher().submit(decision)
        except NotYourSeat:
            await in_database(reading.sight, frame.match, player.pk)  # 404 before 403
            raise
        self._acknowledge(frame, done.version)

    def _acknowledge(self, frame: frames.AnyFrame, version: int | None = None) -> None:
        if frame.id is not None:
            self.say(Ack(id=frame.id, version=version))

    async def refuse(self, error: Exception, message_id: str | None) -> None:
        """Tell the client what went wrong."""
        if not is_known(error):
            logger.exception("a message could not be handled", exc_info=error)
        with translation.override(self.language):
            problem = problem_of(error)
        view = error.view if isinstance(error, StaleVersion) else None
        self.say(Failed(code=problem.code, detail=problem.detail, id=message_id, view=view))
        if isinstance(error, BadMessage | frames.UnknownType | frames.MessageTooLarge | TooOften):
            await self._count_abuse()

    async def _count_abuse(self) -> None:
        now = time.monotonic()
        self.abuses.append(now)
        if len(self.abuses) == ABUSES and now - self.abuses[0] < ABUSE_SECONDS:
            await self._end("abuse", ABUSE)

    @property
    def player_id(self) -> UUID | None:
        """Whose socket this is; None for a guest."""
        return self.identity.player.pk if self.identity is not None else None

    # News from the hub

    def _tell_announcements(self) -> None:
        for announcement in self.process.announcements.shown:
            self.deliver_announcement(announcement)

    def deliver_announcement(self, announcement: Announcement) -> None:
        """Show what everybody is told, or that it has ended."""
        if self.greeted:
            self.say(announcement_frame(announcement, self.language))

    def deliver_match(self, message: MatchMessage) -> None:
        """Pass news of a match on, in order and without a gap."""
        self.matches.deliver(message)

    def deliver_player(self, body: bytes) -> None:
        """Pass a player's own news on; a poke is for this socket itself."""
        told = read_poke(body)
        if told is None:
            if self.identity is not None:
                self.process.personal.note(self.identity.player.pk, body)
            self._post(reading.with_origin(body, self.scope).decode())
            return
        what, about = told
        if what is Poke.ANNOUNCEMENT:
            self.process.announcements.hurry()
        if self.identity is None:
            return
        match what:
            case Poke.MATCH:
                if about is not None and about not in self.matches:
                    self.spawn(self.matches.follow_quietly(about))
            case Poke.SIGNED_OUT:
                if about is None or about == self.identity.device.pk:
                    self.spawn(self._end("signed_out", NO_CREDENTIAL))
            case Poke.REPLACED:
                if about == self.socket_id:
                    self.spawn(self._close(REPLACED))
            case Poke.DELETED:
                self.spawn(self._end("deleted", NO_CREDENTIAL))
            case Poke.BANNED:
                self.spawn(self._end("banned", BANNED))
            case Poke.NOTICE:
                if about is not None:
                    self.spawn(self._tell_notice(about, self.identity.player.pk))
            case Poke.ANNOUNCEMENT:
                pass
            case _:
                assert_never(what)

    async def _tell_notice(self, notice_id: UUID, player_id: UUID) -> None:
        notice = await in_database(reading.notice, notice_id, player_id, self.language)
        if notice is not None:
            self.say(notice)

    # Mail

    def say(self, frame: ServerFrame) -> None:
        """Send a message to the client."""
        self._post(frames.encode(frame).decode())

    def _post(self, text: str) -> None:
        if not self.closed:
            self.mailbox.post(text)

    def offer(self, body: str) -> bool:
        """Send news to the client, if there is room for it; else False."""
        return self.closed or self.mailbox.offer(body)

    async def _carry_mail(self) -> None:
        with contextlib.suppress(OSError):  # the client has gone, which `disconnect` will say
            await self.mailbox.carry(lambda text: self.send(text_data=text))

    def _too_slow(self) -> None:
        if not self.closed:
            self.spawn(self._close(TOO_SLOW))

    # Closing

    def say_closing(self, reason: str) -> None:
        """Tell the client that the socket will be closed, and when to come back."""
        spread = random.uniform(*RESUME_AFTER_RESTART)  # noqa: S311  (no secret)
        resume_in = round(spread, 2) if reason == "restart" else None
        self.say(Closing(reason=reason, resume_in=resume_in))

    async def _end(self, reason: str, code: int) -> None:
        """Say why, and close."""
        self.say_closing(reason)
        until = time.monotonic() + 1.0
        while self.mailbox and time.monotonic() < until:
            await asyncio.sleep(0.01)
        await self._close(code)

    async def _close(self, code: int) -> None:
        if not self.closed:
            self.closed = True
            with contextlib.suppress(RuntimeError):  # the client was quicker
                await self.close(code)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside, for as long as the socket is open."""
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def disconnect(self, code: int) -> None:
        """Take the socket out of everything; the player may have others."""
        self.closed = True
        self._take_out()
        if self.matches.are_watched:
            await in_database(presence.unwatch, socket=self.socket_id)
        if self.identity is None:
            return
        player_id = self.identity.player.pk
        if not self.process.hub.sockets_of(player_id):
            self.process.personal.forget(player_id)
        match_id = await in_database(
            reading.close_socket, socket_id=self.socket_id, player_id=player_id
        )
        if match_id is not None:
            batcher().post(batch.Wake(match_id))

    def _take_out(self) -> None:
        """Out of the hub, with all that is done beside."""
        self.process.hub.close(self)
        current = asyncio.current_task()
        for task in tuple(self.tasks):
            if task is not current:
                task.cancel()


def say_restart(process: WebProcess) -> None:
    """Tell every socket of the process that it stops and when to come back."""
    for socket in process.hub.sockets:
        if isinstance(socket, TableSocket):
            socket.say_closing("restart")
