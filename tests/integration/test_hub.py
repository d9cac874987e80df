"""The hub against the real Valkey: what it knows of a match, and what comes late."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from uuid import UUID, uuid4

import pytest

from tables.hub import Header, Hub, Known, MatchMessage, Missed, PlayerMessage, publish

pytestmark = [pytest.mark.usefixtures("valkey"), pytest.mark.timeout(180)]

MATCH = UUID(int=7)


class Ears:
    """A socket that remembers what it is given."""

    def __init__(self) -> None:
        self.socket_id = uuid4()
        self.player_id = None
        self.heard: asyncio.Queue[str] = asyncio.Queue()

    def deliver_match(self, message: MatchMessage) -> None:
        self.heard.put_nowait(message.body)

    def deliver_player(self, body: bytes) -> None:
        self.heard.put_nowait(body.decode())


class Polled:
    """A hub, and what its polls say is known."""

    def __init__(self) -> None:
        self.known: asyncio.Queue[Mapping[UUID, Known]] = asyncio.Queue()
        self.hub = Hub(read_matches=self._matches, read_players=self._players, wake=lambda _: None)

    async def _matches(self, known: Mapping[UUID, Known]) -> Missed:
        self.known.put_nowait(dict(known))
        return Missed([], {})

    async def _players(self, player_ids: object) -> list[PlayerMessage]:
        return []

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Hub]:
        await self.hub.start()
        try:
            yield self.hub
        finally:
            await self.hub.stop()


def presence(news: int) -> MatchMessage:
    return MatchMessage(Header(MATCH, 6, 5, 3, news=news), f"presence {news}")


async def test_what_one_socket_has_read_hides_nothing_from_the_others() -> None:
    polled = Polled()
    first, second = Ears(), Ears()
    polled.hub.join_match(MATCH, first)
    polled.hub.begin(MATCH, Known(5, 5), None)
    polled.hub.join_match(MATCH, second)
    polled.hub.begin(MATCH, Known(7, 8), None)
    async with polled.running():
        assert await polled.known.get() == {MATCH: Known(5, 5)}


async def test_presence_that_comes_late_is_not_told() -> None:
    polled = Polled()
    ears = Ears()
    polled.hub.join_match(MATCH, ears)
    polled.hub.begin(MATCH, Known(5, 5), None)
    async with polled.running():
        await polled.known.get()  # it listens
        for news in (7, 6, 8):
            await asyncio.to_thread(publish, [presence(news)])
        assert [await ears.heard.get() for _ in range(2)] == ["presence 7", "presence 8"]
