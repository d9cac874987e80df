"""What waits to be sent to one client, so that a slow one holds up nobody else."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Final

ROOM: Final = 256
"""So many messages may wait; match news beyond is dropped and made good for later."""

MOST: Final = 4 * ROOM
FULL_SECONDS: Final = 10.0


class Mailbox:
    """Messages in order. `on_room` is called when it has been emptied after news was dropped,
    `on_too_slow` when it has been full for too long."""

    def __init__(self, *, on_room: Callable[[], None], on_too_slow: Callable[[], None]) -> None:
        self._on_room = on_room
        self._on_too_slow = on_too_slow
        self._waiting: deque[str] = deque()
        self._mail = asyncio.Event()
        self._full_since: float | None = None
        self._dropped = False

    def __len__(self) -> int:
        return len(self._waiting)

    def post(self, text: str) -> None:
        """Put in what must arrive: answers, and news that nobody could ask for again."""
        self._judge()
        if len(self._waiting) < MOST:
            self._append(text)
        else:
            self._on_too_slow()

    def offer(self, text: str) -> bool:
        """Put in news that can be read again later; tells whether there was room for it."""
        self._judge()
        if len(self._waiting) >= ROOM:
            self._dropped = True
            return False
        self._append(text)
        return True

    def _append(self, text: str) -> None:
        self._waiting.append(text)
        self._mail.set()

    def _judge(self) -> None:
        if len(self._waiting) < ROOM:
            self._full_since = None
            return
        now = time.monotonic()
        if self._full_since is None:
            self._full_since = now
        elif now - self._full_since > FULL_SECONDS:
            self._on_too_slow()

    async def carry(self, send: Callable[[str], Awaitable[None]]) -> None:
        """Send what comes in, as fast as the client takes it; until cancelled."""
        while True:
            await self._mail.wait()
            while self._waiting:
                await send(self._waiting[0])
                if self._waiting:
                    self._waiting.popleft()
            self._mail.clear()
            if self._dropped:
                self._dropped = False
                self._on_room()
