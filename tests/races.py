"""Threads for race tests, whose database connections end with them."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier

from django.db import connections


@contextmanager
def threads(number: int) -> Iterator[ThreadPoolExecutor]:
    """So many threads; each closes its connections at the end, or the database could not go."""
    together = Barrier(number)

    def close() -> None:
        together.wait()
        connections.close_all()

    with ThreadPoolExecutor(number) as pool:
        yield pool
        for closed in [pool.submit(close) for _ in range(number)]:
            closed.result()
