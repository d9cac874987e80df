"""How every staff action is done: permitted, with a reason, once, and recorded with its effect."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.contrib.auth.models import User
from django.db import connection, transaction

from staff.models import Kind, StaffAction

logger = logging.getLogger(__name__)

LONGEST_REASON: Final = 300


class NotPermitted(PermissionError):
    """The role of whoever asks does not include this action."""


class ReasonMissing(ValueError):
    """Staff must say why, in at most `LONGEST_REASON` characters."""


class NothingToDo(Exception):
    """It is so already, or there is nobody and nothing to do it to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Who of the staff wants something done, why, and by which form: sent twice, it acts once."""

    actor: User
    request: UUID
    reason: str
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a change has made of what it found, as plain values for the record."""

    target: str
    player: UUID | None = None
    match: UUID | None = None
    before: Mapping[str, Any] = field(default_factory=dict)
    after: Mapping[str, Any] = field(default_factory=dict)


def may(actor: Any, kind: Kind) -> bool:
    """Tell whether somebody is of the staff and may do this."""
    return bool(actor.is_active and actor.is_staff and actor.has_perm(f"staff.{kind}"))


@transaction.atomic
def carry_out(order: Order, kind: Kind, change: Callable[[str], Change]) -> StaffAction:
    """Do a change and record it in one transaction; a repeated order gives the record there is.

    `change` gets the tidied reason. Raises `NotPermitted`, `ReasonMissing`, and what it raises.
    """
    if not may(order.actor, kind):
        raise NotPermitted(kind)
    reason = " ".join(order.reason.split())
    if not 0 < len(reason) <= LONGEST_REASON:
        raise ReasonMissing
    with connection.cursor() as cursor:  # whoever sends the same form at the same time waits
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [str(order.request)]
        )
    done = StaffAction.objects.filter(request=order.request).first()
    if done is not None:
        return done
    change_made = change(reason)
    action = StaffAction.objects.create(
        request=order.request,
        actor=order.actor,
        actor_name=order.actor.get_username(),
        kind=kind,
        player=change_made.player,
        match=change_made.match,
        target=change_made.target,
        reason=reason,
        before=dict(change_made.before),
        after=dict(change_made.after),
        at=order.now,
    )
    logger.info("staff action %s by %s: %s", kind, order.actor.pk, change_made.target)
    return action
