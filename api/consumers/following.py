"""The matches that a socket follows: how far it is in each, and catching up with what it missed."""

from __future__ import annotations

import functools
import logging
from collections.abc import Coroutine
from typing import Any, Protocol
from uuid import UUID

from django.db import IntegrityError

from api.consumers import reading
from api.consumers.database import in_database
from api.consumers.frames import ServerFrame
from api.errors import is_known
from api.web_process import WebProcess
from tables.hub import MatchMessage, Subscriber
from tables.selectors.matches import MatchNotFound
from tables.services import presence

logger = logging.getLogger(__name__)

MOST_MATCHES = 50


class Follower(Subscriber, Protocol):
    """A socket, as its matches see it."""

    process: WebProcess

    def say(self, frame: ServerFrame) -> None:
        """Send a message to the client."""

    def offer(self, body: str) -> bool:
        """Send news to the client, if there is room for it; else False."""

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something beside, for as long as the socket is open."""

    async def refuse(self, error: Exception, message_id: str | None) -> None:
        """Tell the client what went wrong."""


class Following:
    """How far a socket is in a match; while it is being read, news waits in `held`.

    It is `behind` while news was dropped for which its client, who does not read, has no room.
    """

    def __init__(self) -> None:
        self.seq = -1
        self.reading = True
        self.held: list[MatchMessage] = []
        self.watching = False
        self.seated = False
        self.behind = False


class Matches:
    """The matches of one socket."""

    def __init__(self, socket: Follower) -> None:
        self._socket = socket
        self._of: dict[UUID, Following] = {}

    def __contains__(self, match_id: UUID) -> bool:
        return match_id in self._of

    @property
    def are_watched(self) -> bool:
        """Whether the socket watches a match at which its player has no seat."""
        return any(following.watching for following in self._of.values())

    async def follow(self, match_id: UUID) -> None:
        """Begin with a snapshot; what happens while it is read comes after it."""
        await self._read(match_id, after=None)

    async def resume(self, match_id: UUID, seq: int) -> None:
        """Begin with what has happened after `seq`, or a snapshot."""
        await self._read(match_id, after=seq)

    async def _read(self, match_id: UUID, *, after: int | None) -> None:
        following = self._begin(match_id)
        try:
            seen = await in_database(
                reading.snapshot, match_id, self._socket.player_id, after=after
            )
        except Exception:
            self._stop(match_id)
            raise
        await self._followed(match_id, following, seen)

    def _begin(self, match_id: UUID) -> Following:
        following = self._of.get(match_id)
        if following is None:
            if len(self._of) >= MOST_MATCHES:
                raise reading.TooManyMatches
            following = self._of[match_id] = Following()
            self._socket.process.hub.join_match(match_id, self._socket)
        following.reading = True
        return following

    async def _followed(self, match_id: UUID, following: Following, seen: reading.Seen) -> None:
        self._socket.say(seen.missed() or seen.snapshot())
        following.seq = seen.view.seq
        following.reading = False
        following.seated = seen.view.you is not None
        self._socket.process.hub.begin(match_id, seen.known, seen.wake_in)
        held, following.held = following.held, []
        for news in held:
            self.deliver(news)
        if seen.view.you is None and seen.view.status == "playing" and not following.watching:
            following.watching = True
            await self._watch(match_id)
        player_id = self._socket.player_id
        if player_id is not None and seen.live_here:
            self._socket.process.personal.note_match(player_id, match_id)

    async def _watch(self, match_id: UUID) -> None:
        watch = functools.partial(
            presence.watch,
            socket=self._socket.socket_id,
            process_id=self._socket.process.id,
            match_id=match_id,
        )
        try:
            await in_database(watch)
        except IntegrityError:  # this process is not known any more: the database was put back
            await self._socket.process.beat()
            await in_database(watch)

    async def _stop_watching(self, match_id: UUID) -> None:
        """Watching was forbidden: say that the match is not there any more."""
        await in_database(presence.unwatch, socket=self._socket.socket_id, match_id=match_id)
        await self._socket.refuse(MatchNotFound(), None)

    async def unfollow(self, match_id: UUID) -> None:
        """Hear no more of a match."""
        following = self._of.get(match_id)
        self._stop(match_id)
        if following is not None and following.watching:
            await in_database(presence.unwatch, socket=self._socket.socket_id, match_id=match_id)

    def _stop(self, match_id: UUID) -> None:
        self._of.pop(match_id, None)
        self._socket.process.hub.leave_match(match_id, self._socket)

    async def _catch_up(self, match_id: UUID) -> None:
        """Read what is missing between what this socket has and what has just been heard."""
        following = self._of.get(match_id)
        if following is None or following.reading:
            return
        following.reading = True
        try:
            seen = await in_database(
                reading.snapshot, match_id, self._socket.player_id, after=max(0, following.seq)
            )
        except Exception as error:
            self._stop(match_id)
            if not is_known(error):
                logger.exception("a socket could not catch up")
            return
        await self._followed(match_id, following, seen)

    async def follow_quietly(self, match_id: UUID) -> None:
        """Begin to follow a match that nobody asked for; what goes wrong is no reply."""
        try:
            await self.follow(match_id)
        except Exception as error:
            if not is_known(error):
                logger.exception("a socket could not follow its match")

    # News from the hub

    def deliver(self, message: MatchMessage) -> None:
        """Pass news of a match on, in order and without a gap; presence always."""
        header = message.header
        following = self._of.get(header.match)
        if following is None:
            return
        if header.private and not following.seated and not following.reading:
            self._stop(header.match)
            self._socket.spawn(self._stop_watching(header.match))
            return
        if following.reading:
            following.held.append(message)
        elif following.behind:
            return  # made good for as soon as the client reads on
        elif header.is_presence:
            following.behind = not self._socket.offer(message.body)
        elif header.first_seq == following.seq + 1:
            following.behind = not self._socket.offer(message.body)
            if not following.behind:
                following.seq = header.last_seq
        elif header.last_seq > following.seq:
            self._socket.spawn(self._catch_up(header.match))

    def make_good(self) -> None:
        """The client reads again: tell it what it has missed meanwhile."""
        for match_id, following in self._of.items():
            if following.behind:
                following.behind = False
                self._socket.spawn(self._catch_up(match_id))
