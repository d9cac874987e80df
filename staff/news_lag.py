"""How long news takes from whoever publishes it to who listens, for the live page alone.

Events are stored with their match and published when that is committed (there is no outbox that
could fall behind), so what may lag is the way through Valkey.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

import redis
from django.conf import settings

from staff.task_log import client
from tables.hub import EVERYBODY

LONGEST: Final = 0.5
"""Seconds after which a message counts as lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsLag:
    """Seconds that a message of our own took, None if it did not come in `LONGEST`; and how many
    web processes hear what goes to everybody."""

    seconds: float | None
    listeners: int


def measure() -> NewsLag | None:
    """Send a message and wait for it; None while Valkey does not answer."""
    valkey = client()
    topic = f"{settings.REDIS_PREFIX}lag:{uuid4()}"
    try:
        with valkey.pubsub() as heard:
            heard.subscribe(topic)
            heard.get_message(timeout=LONGEST)  # that it listens
            start = time.perf_counter()
            valkey.publish(topic, "")
            came = heard.get_message(ignore_subscribe_messages=True, timeout=LONGEST)
            taken = time.perf_counter() - start
        [(_, listeners)] = valkey.pubsub_numsub(f"{settings.REDIS_PREFIX}p:{EVERYBODY}")
    except redis.RedisError:
        return None
    return NewsLag(seconds=taken if came else None, listeners=listeners)
