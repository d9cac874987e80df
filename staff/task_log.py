"""When each task of the workers last ran, how long it took and what it last failed with.

Kept in Valkey, for the live page alone: it may be lost at any moment.
"""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import redis
from django.conf import settings

_ANSWER_WITHIN: Final = 0.5
_began: dict[str, float] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A task's last run, and its last failure: a type's name, nothing of what was said."""

    name: str
    at: datetime
    seconds: float
    error: str | None
    failed_at: datetime | None


def begin(name: str) -> None:
    """A task begins in this process."""
    _began[name] = time.monotonic()


def end(name: str) -> None:
    """It has ended, well or not."""
    taken = time.monotonic() - _began.pop(name, time.monotonic())
    _store("runs", name, {"at": time.time(), "seconds": round(taken, 3)})


def fail(name: str, error: BaseException) -> None:
    """It has failed."""
    _store("failures", name, {"at": time.time(), "error": type(error).__name__})


def runs() -> list[Run] | None:
    """Every task that has run, by name; None while Valkey does not answer."""
    try:
        ran, failed = (client().hgetall(_key(what)) for what in ("runs", "failures"))
    except redis.RedisError:
        return None
    return [
        _run(name.decode(), json.loads(told), json.loads(failed.get(name, b"{}")))
        for name, told in sorted(ran.items())
    ]


def _run(name: str, told: Mapping[str, Any], failure: Mapping[str, Any]) -> Run:
    failed_at = failure.get("at")
    return Run(
        name=name,
        at=datetime.fromtimestamp(told["at"], UTC),
        seconds=told["seconds"],
        error=failure.get("error"),
        failed_at=None if failed_at is None else datetime.fromtimestamp(failed_at, UTC),
    )


def _store(what: str, name: str, told: Mapping[str, object]) -> None:
    with suppress(redis.RedisError):
        client().hset(_key(what), name, json.dumps(told))


def _key(what: str) -> str:
    return f"{settings.REDIS_PREFIX}tasks:{what}"


@functools.cache
def client() -> Any:
    """Valkey, for what only hurries or informs: it answers soon or fails."""
    return redis.Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=_ANSWER_WITHIN,
        socket_connect_timeout=_ANSWER_WITHIN,
        retry=None,
    )
