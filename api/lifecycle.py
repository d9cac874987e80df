"""What a web process does when it starts and before it stops."""

import asyncio
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
    await web_process().start()


async def stopping() -> None:
    """The process was told to stop and is not ready any more; its sockets are still open."""
    say_restart(web_process())
    await asyncio.sleep(CLOSING_SECONDS)
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await web_process().stop()
    except Exception:  # whatever it is, the process must end; others notice by its lost session
        logger.exception("the process could not be taken out in order")
