"""A web process: its heartbeat, its hub of sockets, and its own sweep, beside serving requests."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone
from prometheus_client import Gauge

from api.consumers.announcements import Announcements
from api.consumers.database import in_database
from api.consumers.personal import PersonalNews
from tables.batcher import batcher
from tables.clocks import HEARTBEAT_SECONDS
from tables.hub import Hub
from tables.selectors.matches import news_of
from tables.selectors.strategies import is_overdue
from tables.services.batch import Wake
from tables.services.party_upkeep import keep_parties
from tables.services.presence import (
    heartbeat,
    is_attended,
    join_process,
    keep_connections,
    leave_process,
)
from tables.services.sweep import sweep
from tables.services.waves import tick

logger = logging.getLogger(__name__)

SOCKETS = Gauge("taku_sockets", "Open sockets of this process.")
LAG = Gauge("taku_event_loop_lag_seconds", "How late this process's event loop is.")
LAG_EVERY = 1.0

STRATEGIES_EVERY = 2.0
"""How often to look, in seconds, whether the strategies' workers are there."""


class WebProcess:
    """What lives as long as the process does; made once per event loop."""

    def __init__(self) -> None:
        self.id: UUID = uuid4()
        self.personal = PersonalNews()
        self.hub = Hub(
            read_matches=lambda known: in_database(news_of, known),
            read_players=self.personal.read,
            wake=self._wake,
        )
        self.announcements = Announcements(lambda: self.hub.sockets)
        SOCKETS.set_function(lambda: len(self.hub.sockets))
        self._tasks: list[asyncio.Task[None]] = []
        # The session that joined holds the lock that says this process lives: one thread keeps it.
        self._heart = ThreadPoolExecutor(max_workers=1, thread_name_prefix="heart")

    async def start(self) -> None:
        """Join the living processes, and begin to listen, to sweep and to beat."""
        await self._on_heart(self._join)
        await self.hub.start()
        self._tasks = [
            asyncio.create_task(self._every(HEARTBEAT_SECONDS, self.beat), name="heartbeat"),
            asyncio.create_task(self._every(settings.WEB_SWEEP_EVERY, self._sweep), name="sweep"),
            asyncio.create_task(self._measure_lag(), name="lag"),
            asyncio.create_task(self.announcements.keep(), name="announcements"),
            asyncio.create_task(
                self._every(STRATEGIES_EVERY, self._compute_overdue), name="strategies"
            ),
        ]

    async def stop(self) -> None:
        """Finish what is in flight and take the process out; its sockets were told before."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await batcher().drain()
        await self._on_heart(self._leave)
        await self.hub.stop()

    def _wake(self, match_id: UUID) -> None:
        batcher().post(Wake(match_id))

    async def _every(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            await asyncio.sleep(seconds)
            try:
                await work()
            except Exception:
                logger.exception("a web process's regular work failed")

    async def _measure_lag(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            before = loop.time()
            await asyncio.sleep(LAG_EVERY)
            LAG.set(max(0.0, loop.time() - before - LAG_EVERY))

    async def _on_heart(self, work: Callable[[], None]) -> None:
        await asyncio.get_running_loop().run_in_executor(self._heart, work)

    async def beat(self) -> None:
        """Say that this process lives, at once."""
        sockets = {
            socket.socket_id: socket.player_id
            for socket in self.hub.sockets
            if socket.player_id is not None
        }
        concerned: list[UUID] = []
        await self._on_heart(lambda: concerned.extend(self._beat_or_join(sockets)))
        for match_id in concerned:
            self._wake(match_id)

    def _beat_or_join(self, sockets: Mapping[UUID, UUID]) -> list[UUID]:
        try:
            if not heartbeat(process_id=self.id):
                self._join()  # a new session: whether there was an outage, joining says
            return keep_connections(process_id=self.id, sockets=sockets)
        except DatabaseError:
            connection.close()  # the session is lost, and with it the lock; the next beat joins
            raise

    def _join(self) -> None:
        outage = join_process(process_id=self.id)
        if outage is not None:
            logger.warning("nobody could play from %s to %s", outage.began_at, outage.ended_at)

    def _leave(self) -> None:
        leave_process(process_id=self.id)
        connection.close()

    async def _sweep(self) -> None:
        if not await in_database(is_attended):
            await self.beat()  # the database is back: join again at once, so that clocks go on
        await in_database(sweep)
        await in_database(keep_parties, now=timezone.now())
        await in_database(tick)

    async def _compute_overdue(self) -> None:
        """Have strategies computed that no worker computes.

        By a process of its own: a second of arithmetic on a thread would hold up every socket.
        """
        if not await in_database(is_overdue):
            return
        logger.warning("no worker computes strategies: it is done here")
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            settings.BASE_DIR / "manage.py",
            "compute_strategies",
            stdin=asyncio.subprocess.DEVNULL,
            env={**os.environ, "PROCESS": "command"},
        )
        try:
            await process.wait()
        finally:
            if process.returncode is None:
                process.kill()


_processes: WeakKeyDictionary[asyncio.AbstractEventLoop, WebProcess] = WeakKeyDictionary()


def web_process() -> WebProcess:
    """The web process of the running event loop."""
    loop = asyncio.get_running_loop()
    found = _processes.get(loop)
    if found is None:
        found = _processes[loop] = WebProcess()
    return found
