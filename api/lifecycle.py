"""What a web process does when it starts and before it stops."""

import asyncio
import gc
import logging

from api.consumers.socket import say_restart
from api.web_process import web_process

logger = logging.getLogger(__name__)

STOP_SECONDS = 3.0
"""How long what is in flight may take, also where the database does not answer any more."""

CLOSING_SECONDS = 0.3
"""How long the sockets have to carry the word that the process stops."""


async def started() -> None:
    """The process is about to accept connections; runs in its event loop."""
    spare_the_collector()
    await web_process().start()


def spare_the_collector() -> None:
    """Keep what was loaded for good out of garbage collections, which hold up every socket: a full
    one takes a fifth of a second with it, and next to nothing without."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


async def stopping() -> None:
    """The process was told to stop and is not ready any more; its sockets are still open."""
    say_restart(web_process())
    await asyncio.sleep(CLOSING_SECONDS)
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await web_process().stop()
    except Exception:  # whatever it is, the process must end; others notice by its lost session
        logger.exception("the process could not be taken out in order")
