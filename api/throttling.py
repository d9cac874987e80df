"""How often somebody may ask: token buckets per player, or per address for guests (api.md).

`spend` takes one token and gives 0.0, or the seconds until there is one again; it is a plain
function for views and threads, `spend_async` the same for the event loop. `PlayerRateThrottle` is
DRF's throttle on every view: reading spends from READS, the rest from ACTIONS, and a view may name
another `limit` of its own.

Buckets are kept in Valkey by one script per request (the cell rate algorithm, so a bucket is a
single number). While Valkey does not answer, each process counts for itself.
"""

import asyncio
import ipaddress
import time
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any, Final, cast
from weakref import WeakKeyDictionary

import redis
import redis.asyncio
from django.conf import settings
from django.utils.crypto import salted_hmac
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.retry import Retry
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from accounts.models import Player

_ANSWER_WITHIN: Final = 0.25
_LEAVE_ALONE: Final = 2.0
_MOST_BUCKETS: Final = 50_000
_IPV6_NETWORK: Final = 64


@dataclass(frozen=True, slots=True)
class Limit:
    """A bucket's name, how many tokens come a second, and how many it holds."""

    name: str
    per_second: float
    burst: int

    @classmethod
    def of(cls, name: str) -> "Limit":
        """The limit of the setting `RATE_NAME`."""
        per_second, burst = getattr(settings, f"RATE_{name}")
        return cls(name.lower(), per_second, burst)


class TooOften(Exception):
    """Somebody asks more often than they may; `retry_after` in seconds."""

    code = "throttled"

    def __init__(self, wait: float) -> None:
        super().__init__(self.code)
        self.retry_after = wait


def after_one(limit: Limit, full_at: float, now: float) -> tuple[float, float]:
    """Take one token from a bucket that would be full at a time: the new such time, and the wait.

    All in seconds. With a wait above 0 nothing was taken.
    """
    interval = 1 / limit.per_second
    later = max(full_at, now) + interval
    wait = later - limit.burst * interval - now
    return (full_at, wait) if wait > 1e-9 else (later, 0.0)


_SCRIPT: Final = """
local clock = redis.call('TIME')
local now = clock[1] + clock[2] / 1000000
local interval, burst = 1 / ARGV[1], ARGV[2]
local later = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now) + interval
local wait = later - burst * interval - now
if wait > 0.000001 then return tostring(wait) end
redis.call('SET', KEYS[1], string.format('%.6f', later), 'PX', math.ceil((later - now) * 1000))
return '0'
"""


class _Local:
    """Buckets of this process alone, for as long as Valkey does not answer."""

    def __init__(self) -> None:
        self._full_at: dict[str, float] = {}
        self._lock = Lock()
        self._valkey_from = 0.0

    def is_needed(self) -> bool:
        """Whether Valkey has just failed and is left alone."""
        return time.monotonic() < self._valkey_from

    def leave_valkey_alone(self) -> None:
        """Ask Valkey again in a while."""
        self._valkey_from = time.monotonic() + _LEAVE_ALONE

    def spend(self, limit: Limit, key: str) -> float:
        """Take one token, or tell the wait."""
        now = time.monotonic()
        with self._lock:
            if len(self._full_at) >= _MOST_BUCKETS:
                self._full_at = {k: at for k, at in self._full_at.items() if at > now}
            full_at, wait = after_one(limit, self._full_at.get(key, 0.0), now)
            self._full_at[key] = full_at
        return wait


_local = _Local()


def spend(limit: Limit, who: str) -> float:
    """Take one token of `who`; give 0.0, or the seconds until there is one."""
    key = _key(limit, who)
    if not _local.is_needed():
        try:
            return float(_script()(keys=[key], args=[limit.per_second, limit.burst]))
        except (redis.RedisError, OSError):
            _local.leave_valkey_alone()
    return _local.spend(limit, key)


async def spend_async(limit: Limit, who: str) -> float:
    """The same as `spend`, for the event loop."""
    key = _key(limit, who)
    if not _local.is_needed():
        try:
            answer = _async_script()(keys=[key], args=[limit.per_second, limit.burst])
            return float(await cast("Awaitable[bytes]", answer))
        except (redis.RedisError, OSError):
            _local.leave_valkey_alone()
    return _local.spend(limit, key)


async def close() -> None:
    """Close this event loop's connections, before it ends."""
    script = _async_scripts.pop(asyncio.get_running_loop(), None)
    if script is not None:
        await script.registered_client.aclose()


def spend_or_refuse(limit: Limit, who: str) -> None:
    """Take one token of `who`, or raise `TooOften`."""
    if wait := spend(limit, who):
        raise TooOften(wait)


def who_of(player: Player | None, meta: Mapping[str, Any]) -> str:
    """Name whose bucket it is: a player's, or for a guest the address's."""
    return f"player:{player.pk}" if player is not None else f"address:{address_of(meta)}"


def address_of(meta: Mapping[str, Any]) -> str:
    """The client's address, of IPv6 the network that one household has.

    `X-Forwarded-For` counts only as far as our own proxies have written it (TRUSTED_PROXIES).
    """
    address = str(meta.get("REMOTE_ADDR") or "")
    proxies: int = settings.TRUSTED_PROXIES
    if proxies:
        hops = [hop.strip() for hop in str(meta.get("HTTP_X_FORWARDED_FOR", "")).split(",")]
        address = hops[-min(proxies, len(hops))] or address
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address or "unknown"
    if parsed.version == 6 and parsed.ipv4_mapped is None:
        return str(ipaddress.ip_network((parsed, _IPV6_NETWORK), strict=False))
    return str(getattr(parsed, "ipv4_mapped", None) or parsed)


def network_digest(meta: Mapping[str, Any]) -> bytes | None:
    """A keyed digest of the client's address, from which nobody can tell it; None on this host."""
    address = address_of(meta)
    try:
        if ipaddress.ip_address(address).is_loopback:
            return None
    except ValueError:  # a network of IPv6, or unknown
        if "/" not in address:
            return None
    return salted_hmac("network", address, algorithm="sha256").digest()


class PlayerRateThrottle(BaseThrottle):
    """DRF's throttle by the buckets above."""

    wait_for = 0.0

    def allow_request(self, request: Request, view: Any) -> bool:
        """Take one token for the request."""
        reads = request.method in SAFE_METHODS
        limit = getattr(view, "limit", None) or Limit.of("READS" if reads else "ACTIONS")
        player = request.user if isinstance(request.user, Player) else None
        self.wait_for = spend(limit, who_of(player, request.META))
        return not self.wait_for

    def wait(self) -> float:
        """Seconds until the next request is let in."""
        return self.wait_for


def _key(limit: Limit, who: str) -> str:
    return f"{settings.REDIS_PREFIX}rate:{limit.name}:{who}"


_OPTIONS: Final[dict[str, Any]] = {
    "socket_timeout": _ANSWER_WITHIN,
    "socket_connect_timeout": _ANSWER_WITHIN,
}


@cache
def _script() -> Any:
    client = redis.Redis.from_url(settings.REDIS_URL, retry=Retry(NoBackoff(), 1), **_OPTIONS)
    return client.register_script(_SCRIPT)


_async_scripts: "WeakKeyDictionary[asyncio.AbstractEventLoop, Any]" = WeakKeyDictionary()


def _async_script() -> Any:
    """One client per event loop, to which its connections belong."""
    loop = asyncio.get_running_loop()
    if loop not in _async_scripts:
        client = redis.asyncio.Redis.from_url(
            settings.REDIS_URL, retry=AsyncRetry(NoBackoff(), 1), **_OPTIONS
        )
        _async_scripts[loop] = client.register_script(_SCRIPT)
    return _async_scripts[loop]
