"""Announcements: putting up what everybody is told, and taking it down again."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from accounts.models import Announcement, AnnouncementLevel


class AnnouncementRefused(ValueError):
    """An announcement needs both languages, an end after its start, and a restart only where it
    is about maintenance."""


class AnnouncementNotFound(LookupError):
    """There is no such announcement."""


def put_up(
    *,
    level: AnnouncementLevel,
    text_ja: str,
    text_en: str,
    starts_at: datetime,
    ends_at: datetime | None,
    restart_at: datetime | None,
    now: datetime,
) -> Announcement:
    """Have every client show an announcement for a time, or until it is taken down.

    Raises `AnnouncementRefused`.
    """
    said = text_ja.strip(), text_en.strip()
    if not all(said) or (ends_at is not None and ends_at <= max(now, starts_at)):
        raise AnnouncementRefused
    if restart_at is not None and level is not AnnouncementLevel.MAINTENANCE:
        raise AnnouncementRefused
    return Announcement.objects.create(
        level=level,
        text_ja=said[0],
        text_en=said[1],
        starts_at=starts_at,
        ends_at=ends_at,
        restart_at=restart_at,
        created_at=now,
    )


@transaction.atomic
def take_down(*, announcement_id: UUID, now: datetime) -> Announcement:
    """End an announcement now; one that has not begun is never shown. Again changes nothing.

    Raises `AnnouncementNotFound`.
    """
    found = Announcement.objects.select_for_update().filter(pk=announcement_id).first()
    if found is None:
        raise AnnouncementNotFound
    if found.ends_at is None or found.ends_at > now:
        found.starts_at, found.ends_at = min(found.starts_at, now), now
        found.save(update_fields=["starts_at", "ends_at"])
    return found
