"""What everybody is told, as the sockets of one web process have been told it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Final, Protocol, runtime_checkable
from uuid import UUID

from django.utils import timezone

from accounts.languages import Language
from accounts.models import Announcement, AnnouncementLevel, NoticeKind
from accounts.selectors import announcements_in_force
from api.consumers.database import in_database
from api.consumers.frames import NoticeFrame
from tables.envelope import iso

logger = logging.getLogger(__name__)

LOOK_EVERY: Final = 2.0
"""How often to look, in seconds: an announcement may begin or end by itself, and news be lost."""
MOST_SHOWN: Final = 20


@runtime_checkable
class Listener(Protocol):
    """A socket that can be told of an announcement."""

    def deliver_announcement(self, announcement: Announcement) -> None:
        """Show it, or that it has ended."""


class Announcements:
    """Compares what the sockets were told with what is in force, and tells them what is new."""

    def __init__(self, sockets: Callable[[], Iterable[object]]) -> None:
        self._sockets = sockets
        self._shown: dict[UUID, Announcement] = {}
        self._hurry = asyncio.Event()

    @property
    def shown(self) -> tuple[Announcement, ...]:
        """What is in force, the oldest first."""
        return tuple(self._shown.values())

    def hurry(self) -> None:
        """Something has just changed."""
        self._hurry.set()

    async def keep(self) -> None:
        """Look at once and then again and again."""
        while True:
            try:
                await self._look()
            except Exception:
                logger.exception("announcements could not be read")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_EVERY):
                    await self._hurry.wait()
            self._hurry.clear()

    async def _look(self) -> None:
        now = timezone.now()
        found = await in_database(_in_force, now)
        before, self._shown = self._shown, {each.pk: each for each in found}
        for each in found:
            if each.pk not in before:
                self._tell(each)
        for gone in before.values():
            if gone.pk not in self._shown:
                gone.ends_at = now if gone.ends_at is None else min(now, gone.ends_at)
                self._tell(gone)

    def _tell(self, announcement: Announcement) -> None:
        for socket in self._sockets():
            if isinstance(socket, Listener):
                socket.deliver_announcement(announcement)


def announcement_frame(announcement: Announcement, language: Language) -> NoticeFrame:
    """An announcement as a `notice`; one that has ended has an `until` that is past."""
    maintenance = announcement.level == AnnouncementLevel.MAINTENANCE
    return NoticeFrame(
        id=announcement.pk,
        kind=NoticeKind.MAINTENANCE if maintenance else NoticeKind.ANNOUNCEMENT,
        level=announcement.level,
        text=announcement.text(language),
        until=iso(announcement.ends_at),
    )


def _in_force(now: datetime) -> list[Announcement]:
    rows = announcements_in_force(now=now).order_by("starts_at", "id")
    return list(rows[:MOST_SHOWN])
