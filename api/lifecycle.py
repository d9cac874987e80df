"""What a web process does when it starts and before it stops."""


async def started() -> None:
    """The process is about to accept connections; runs in its event loop."""


async def stopping() -> None:
    """The process was told to stop and is not ready any more; its sockets are still open."""
