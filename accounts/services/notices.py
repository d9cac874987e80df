"""Notices: telling a player something, and noting that it was read."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from itertools import islice
from typing import Final
from uuid import UUID

from accounts.models import Notice, NoticeKind, NoticeLevel


def tell(
    *,
    player_id: UUID,
    kind: NoticeKind,
    now: datetime,
    level: NoticeLevel = NoticeLevel.INFO,
    values: Mapping[str, object] | None = None,
    text: str = "",
    until: datetime | None = None,
) -> Notice:
    """Leave a notice for a player; `text` is staff's own, otherwise the kind's text is said."""
    return Notice.objects.create(
        player_id=player_id,
        kind=kind,
        level=level,
        values=dict(values or {}),
        text=text,
        until=until,
        created_at=now,
    )


_AT_ONCE: Final = 1_000


def tell_many(*, player_ids: Iterable[UUID], kind: NoticeKind, now: datetime) -> None:
    """Leave the same notice for many players."""
    rest = iter(player_ids)
    while some := list(islice(rest, _AT_ONCE)):
        Notice.objects.bulk_create(
            Notice(player_id=player_id, kind=kind, created_at=now) for player_id in some
        )


def mark_read(*, player_id: UUID, notice_ids: Collection[UUID] | None, now: datetime) -> int:
    """Mark the given notices of the player as read, or all; give how many stay unread."""
    unread = Notice.objects.filter(player_id=player_id, read_at__isnull=True)
    (unread if notice_ids is None else unread.filter(pk__in=notice_ids)).update(read_at=now)
    return unread.count()
