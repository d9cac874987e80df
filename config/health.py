"""What orchestrators ask: is the process alive, may it get traffic, which version is it."""

import contextlib
import functools
import time

import redis
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache

_stopping = False
_migrated = False


def stop() -> None:
    """From now on this process is not ready: a proxy sends it nothing new."""
    global _stopping
    _stopping = True


@never_cache
def alive(request: HttpRequest) -> HttpResponse:
    """`/healthz`: the process answers. Touches nothing else."""
    return JsonResponse({"status": "ok"})


@never_cache
def ready(request: HttpRequest) -> HttpResponse:
    """`/readyz`: 200 when the database answers, its migrations are applied and the process is not
    stopping, else 503. Without Valkey still 200, `degraded` says so (api.md)."""
    faults = []
    if _stopping:
        faults.append("stopping")
    try:
        if not _migrations_applied():
            faults.append("migrations")
    except DatabaseError:
        faults.append("database")
    degraded = [] if _valkey_answers() else ["valkey"]
    return JsonResponse(
        {
            "status": "unavailable" if faults else "ok",
            "faults": faults,
            "degraded": degraded,
        },
        status=503 if faults else 200,
    )


@never_cache
def version(request: HttpRequest) -> HttpResponse:
    """`/version`: what runs here."""
    return JsonResponse({"version": settings.VERSION, "commit": settings.COMMIT or None})


def _migrations_applied() -> bool:
    """Whether nothing is left to migrate; once true it stays so, and only the connection is tried.

    Errors: DatabaseError.
    """
    global _migrated
    if _migrated:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return True
    executor = MigrationExecutor(connection)
    _migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    return _migrated


@functools.cache
def _valkey(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=1, socket_connect_timeout=1)


def _valkey_answers() -> bool:
    try:
        return bool(_valkey(settings.REDIS_URL).ping())
    except redis.RedisError:
        return False


def record_heartbeat(queue: str) -> None:
    """A worker of this queue completed a task now."""
    _valkey(settings.REDIS_URL).set(_heartbeat_key(queue), int(time.time()), ex=60)


def worker_is_working(queue: str) -> bool:
    """Whether a worker of this queue completed a task within the last minute."""
    with contextlib.suppress(redis.RedisError):
        return bool(_valkey(settings.REDIS_URL).exists(_heartbeat_key(queue)))
    return False


def _heartbeat_key(queue: str) -> str:
    return f"{settings.REDIS_PREFIX}heartbeat:{queue}"
