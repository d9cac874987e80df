"""What staff say to everybody, and what they decide about reports and flags."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from uuid import UUID

from django.db import transaction

from accounts.models import Announcement, AnnouncementLevel
from accounts.services import announcements
from ratings.models import Flag, FlagState
from staff.models import Kind, StaffAction
from staff.services.orders import Change, NothingToDo, Order, carry_out
from tables.hub import Poke, poke, publish
from tables.models import Report, ReportState


class FlagNotFound(LookupError):
    """There is no such flag."""


class ReportNotFound(LookupError):
    """There is no such report."""


def announce(
    order: Order,
    *,
    level: AnnouncementLevel,
    text_ja: str,
    text_en: str,
    starts_at: datetime,
    ends_at: datetime | None,
    restart_at: datetime | None,
) -> StaffAction:
    """Put up an announcement, which every client shows at once. Raises `AnnouncementRefused`."""

    def change(_: str) -> Change:
        made = announcements.put_up(
            level=level,
            text_ja=text_ja,
            text_en=text_en,
            starts_at=starts_at,
            ends_at=ends_at,
            restart_at=restart_at,
            now=order.now,
        )
        return _said(made)

    return carry_out(order, Kind.ANNOUNCE, change)


def withdraw(order: Order, *, announcement_id: UUID) -> StaffAction:
    """Take an announcement down. Raises `AnnouncementNotFound`, `NothingToDo`."""

    def change(_: str) -> Change:
        found = Announcement.objects.filter(pk=announcement_id).first()
        if found is not None and found.ends_at is not None and found.ends_at <= order.now:
            raise NothingToDo
        return _said(announcements.take_down(announcement_id=announcement_id, now=order.now))

    return carry_out(order, Kind.WITHDRAW, change)


def decide_report(order: Order, *, report_id: UUID, state: ReportState) -> StaffAction:
    """Say where a report stands; the order's reason is its note. Raises `ReportNotFound`."""

    def change(reason: str) -> Change:
        report = Report.objects.select_for_update(no_key=True).filter(pk=report_id).first()
        if report is None:
            raise ReportNotFound
        before = {"state": report.state, "note": report.note}
        report.state, report.note = state, reason
        report.save(update_fields=["state", "note"])
        return Change(
            target=f"report {report.pk}",
            player=report.player_id,
            match=report.match_id,
            before=before,
            after={"state": report.state, "note": report.note},
        )

    return carry_out(order, Kind.DECIDE_REPORT, change)


def decide_flag(order: Order, *, flag_id: UUID, state: FlagState) -> StaffAction:
    """Say where a flag stands; the order's reason is its note. Raises `FlagNotFound`."""

    def change(reason: str) -> Change:
        flag = Flag.objects.select_for_update(no_key=True).filter(pk=flag_id).first()
        if flag is None:
            raise FlagNotFound
        before = {"state": flag.state, "note": flag.note}
        flag.state, flag.note = state, reason
        flag.save(update_fields=["state", "note"])
        return Change(
            target=f"flag {flag.pk}",
            match=flag.match,
            before=before,
            after={
                "state": flag.state,
                "note": flag.note,
                "players": [str(player) for player in flag.players],
            },
        )

    return carry_out(order, Kind.DECIDE_FLAG, change)


def _said(announcement: Announcement) -> Change:
    transaction.on_commit(partial(publish, [poke(None, Poke.ANNOUNCEMENT)]))
    ends = announcement.ends_at
    return Change(
        target=announcement.text_en[:100],
        after={
            "announcement": str(announcement.pk),
            "level": announcement.level,
            "text_ja": announcement.text_ja,
            "text_en": announcement.text_en,
            "starts_at": announcement.starts_at.isoformat(),
            "ends_at": None if ends is None else ends.isoformat(),
        },
    )
