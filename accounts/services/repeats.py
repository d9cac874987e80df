"""Repeated requests: what was answered under an Idempotency-Key, kept for a day."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import connection

from accounts import tokens
from accounts.models import IdempotencyRecord, Player

ANSWERS_LAST: Final = timedelta(hours=24)


class KeyReused(Exception):
    """The key was sent before with another method, path or content."""

    code = "idempotency_key_reused"


class StillRunning(Exception):
    """The first request with this key is still being worked on."""

    code = "idempotency_key_in_use"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer as it was given: status and JSON text."""

    status: int
    body: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeatable:
    """A request under a key: who asks, and digests of the key and of what is asked."""

    player: Player
    key: bytes
    request: bytes


def repeatable(*, player: Player, key: str, method: str, path: str, content: str) -> Repeatable:
    """Name a request by its key; equal content must be equal text."""
    return Repeatable(
        player=player,
        key=tokens.digest(key),
        request=tokens.digest("\n".join((method, path, content))),
    )


def claim(*, request: Repeatable, now: datetime) -> Answer | None:
    """Take the key for the present transaction, or give what was answered under it.

    The claim ends with the transaction, by commit, refusal or crash alike, so a key is spent
    exactly when its effect is there. Raises `KeyReused`, `StillRunning`.
    """
    number = int.from_bytes(
        tokens.digest(f"{request.player.pk}")[:4] + request.key[:4], signed=True
    )
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [number])
        row = cursor.fetchone()
    if row is None or not row[0]:
        raise StillRunning
    kept = IdempotencyRecord.objects.filter(
        player=request.player, key=request.key, created_at__gt=now - ANSWERS_LAST
    ).first()
    if kept is None:
        return None
    if bytes(kept.request) != request.request:
        raise KeyReused
    return Answer(status=kept.status, body=kept.body)


def keep(*, request: Repeatable, answer: Answer, now: datetime) -> None:
    """Keep the answer, in the transaction that has the effect."""
    IdempotencyRecord.objects.update_or_create(
        player=request.player,
        key=request.key,
        defaults={
            "request": request.request,
            "status": answer.status,
            "body": answer.body,
            "created_at": now,
        },
    )
