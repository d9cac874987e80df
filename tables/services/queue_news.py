"""Telling players their place in the ranked queue, in the order in which it changed."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from uuid import UUID

import msgspec
from django.db import connection, transaction

from tables.hub import PlayerMessage, publish
from tables.queue_view import (
    QueueMessage,
    QueueStatus,
    QueueView,
    ReadyCheckMessage,
    TicketEnd,
)
from tables.selectors.clock import database_now
from tables.selectors.queue import queue_views

Reasons = Mapping[UUID, TicketEnd]

NO_REASONS: Final[Reasons] = {}
_NEWS_LOCK: Final = 0x7461_6B75_03
_encode: Final = msgspec.json.Encoder().encode


def announce_on_commit(player_ids: Iterable[UUID], reasons: Reasons = NO_REASONS) -> None:
    """Tell these players when the present transaction is committed; a failure breaks nothing."""
    who = sorted(set(player_ids))
    if who:
        transaction.on_commit(
            functools.partial(announce, player_ids=who, reasons=reasons), robust=True
        )


@transaction.atomic
def announce(*, player_ids: Sequence[UUID], reasons: Reasons = NO_REASONS) -> None:
    """Tell these players their place as it is now, and why, if something went wrong.

    One at a time, so that no older state follows a newer one.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_NEWS_LOCK])
    views = queue_views(player_ids, database_now())
    publish([message for who in player_ids for message in _messages(who, views[who], reasons)])


def message_of(player_id: UUID, view: QueueView, reason: TicketEnd | None = None) -> PlayerMessage:
    """A player's place as a socket is told."""
    members = {name: getattr(view, name) for name in QueueView.__struct_fields__}
    return PlayerMessage(player_id, _encode(QueueMessage(**members, reason=reason)))


def present_messages(player_ids: Sequence[UUID]) -> dict[UUID, PlayerMessage]:
    """The message about each player's present place; for those who have none, of that."""
    views = queue_views(player_ids, database_now())
    return {player_id: message_of(player_id, view) for player_id, view in views.items()}


def opening_message(player_id: UUID) -> PlayerMessage | None:
    """What a socket that has just opened should be told: nothing to who has no part in it."""
    view = queue_views([player_id], database_now())[player_id]
    if view.status is QueueStatus.NONE and view.penalty is None:
        return None
    return message_of(player_id, view)


def _messages(player_id: UUID, view: QueueView, reasons: Reasons) -> list[PlayerMessage]:
    messages = [message_of(player_id, view, reasons.get(player_id))]
    check = view.ready_check
    if check is not None:
        members = {name: getattr(check, name) for name in check.__struct_fields__}
        messages.append(PlayerMessage(player_id, _encode(ReadyCheckMessage(**members))))
    return messages
