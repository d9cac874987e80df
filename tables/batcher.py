"""One batcher per event loop: what arrives while a commit is in flight goes into the next.

At low load a batch is one item; it grows with the load by itself, without timer or tuning.
"""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import UUID
from weakref import WeakKeyDictionary

from django.db import close_old_connections, connections

from tables.metrics import BATCH_ITEMS, BATCH_SECONDS, BUSY
from tables.services.batch import Done, Item, MatchBusy, Result, apply_batch

logger = logging.getLogger(__name__)

WRITERS = 2
MOST_ITEMS = 200
BUSY_PAUSE = 0.005
"""Seconds before a match that another process holds is tried again."""

GIVE_UP_AFTER = 10.0
"""Seconds for which an item is tried while another process holds its match."""

Entry = tuple[Item, asyncio.Future[Done], float]
"""An item, whose future gets its result, and when it came by the loop's clock."""

_executor = ThreadPoolExecutor(max_workers=WRITERS, thread_name_prefix="writer")


def _write(items: list[Item]) -> list[Result]:
    close_old_connections()
    BATCH_ITEMS.observe(len(items))
    try:
        with BATCH_SECONDS.time():
            return apply_batch(items)
    finally:
        close_old_connections()


def close_connections() -> None:
    """Close the writers' database connections, for tests that are about to drop the database."""
    together = Barrier(WRITERS)

    def close() -> None:
        together.wait()
        connections.close_all()

    for closed in [_executor.submit(close) for _ in range(WRITERS)]:
        closed.result()


class Batcher:
    """Collects items of one event loop and writes them, each match by one writer at a time."""

    def __init__(self) -> None:
        self._waiting: list[Entry] = []
        self._held: set[UUID] = set()
        self._writers: set[asyncio.Task[None]] = set()

    async def submit(self, item: Item) -> Done:
        """Have `item` applied and committed; raises what it is refused with.

        MatchBusy is raised only if somebody else held the match for ten seconds.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Done] = loop.create_future()
        self._waiting.append((item, future, loop.time()))
        self._start_writer()
        return await asyncio.shield(future)

    def post(self, item: Item) -> None:
        """Have `item` applied without waiting for it; what goes wrong is logged."""
        task = asyncio.get_running_loop().create_task(self._post(item))
        self._writers.add(task)
        task.add_done_callback(self._writers.discard)

    async def _post(self, item: Item) -> None:
        try:
            await self.submit(item)
        except Exception as error:
            if not hasattr(error, "code"):
                logger.exception("an item failed")

    async def drain(self) -> None:
        """Wait until all that was submitted is written."""
        while self._writers:
            await asyncio.gather(*tuple(self._writers), return_exceptions=True)

    def _start_writer(self) -> None:
        running = sum(task.get_name() == "writer" for task in self._writers)
        if running < WRITERS:
            task = asyncio.get_running_loop().create_task(self._run(), name="writer")
            self._writers.add(task)
            task.add_done_callback(self._writers.discard)

    def _take(self) -> list[Entry]:
        """The waiting items whose match no other writer of this process has, in order."""
        taken: list[Entry] = []
        left: list[Entry] = []
        for entry in self._waiting:
            if len(taken) < MOST_ITEMS and entry[0].match_id not in self._held:
                taken.append(entry)
            else:
                left.append(entry)
        self._waiting = left
        return taken

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while taken := self._take():
            matches = {item.match_id for item, _, _ in taken}
            self._held |= matches
            results: list[Result]
            try:
                results = await loop.run_in_executor(
                    _executor, _write, [item for item, _, _ in taken]
                )
            except Exception as error:
                results = [error] * len(taken)
            finally:
                self._held -= matches
            busy = []
            for (item, future, since), result in zip(taken, results, strict=True):
                if isinstance(result, MatchBusy) and loop.time() - since < GIVE_UP_AFTER:
                    busy.append((item, future, since))
                elif future.done():
                    continue
                elif isinstance(result, Exception):
                    future.set_exception(result)
                else:
                    future.set_result(result)
            if busy:
                BUSY.inc(len(busy))
                self._waiting = busy + self._waiting
                await asyncio.sleep(BUSY_PAUSE)


_batchers: WeakKeyDictionary[asyncio.AbstractEventLoop, Batcher] = WeakKeyDictionary()


def batcher() -> Batcher:
    """The batcher of the running event loop."""
    loop = asyncio.get_running_loop()
    found = _batchers.get(loop)
    if found is None:
        found = _batchers[loop] = Batcher()
    return found
