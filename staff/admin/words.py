"""Announcements, and what players report."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Announcement, AnnouncementLevel
from staff.models import Kind
from staff.pages import Deed, ReasonForm, Section, StaffPage, link
from staff.services import words
from tables.models import Report, ReportState


class AnnouncementForm(ReasonForm):
    """With its words and times."""

    level = forms.ChoiceField(
        label=_("Level"),
        choices=[
            (AnnouncementLevel.INFO, _("information")),
            (AnnouncementLevel.WARNING, _("warning")),
            (AnnouncementLevel.MAINTENANCE, _("maintenance")),
        ],
    )
    text_ja = forms.CharField(label=_("Japanese"), max_length=300)
    text_en = forms.CharField(label=_("English"), max_length=300)
    starts_at = forms.DateTimeField(
        label=_("Shown from (UTC)"),
        required=False,
        help_text=_("Without a time: at once."),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
    )
    ends_at = forms.DateTimeField(
        label=_("Shown until (UTC)"),
        required=False,
        help_text=_("Without a time: until it is taken down."),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
    )
    restart_at = forms.DateTimeField(
        label=_("Back at (UTC)"),
        required=False,
        help_text=_("Of maintenance: when the service is back."),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
    )


class ReportForm(ReasonForm):
    """With where it stands from now on; the reason is the note."""

    state = forms.ChoiceField(
        label=_("State"),
        choices=[
            (ReportState.WATCHING, _("watching")),
            (ReportState.CONFIRMED, _("confirmed")),
            (ReportState.DISMISSED, _("dismissed")),
        ],
    )


@admin.register(Announcement)
class AnnouncementAdmin(StaffPage):
    """What everybody is told."""

    nouns = (_("announcement"), _("announcements"))
    list_display = ("text_ja", "text_en", "level", "starts_at", "ends_at")
    list_deeds = (
        Deed(
            kind=Kind.ANNOUNCE,
            label=_("Put up an announcement"),
            explained=_("Every client shows it at once, or from the time given here."),
            act=lambda order, _, values: words.announce(
                order,
                level=AnnouncementLevel(values["level"]),
                text_ja=values["text_ja"],
                text_en=values["text_en"],
                starts_at=values["starts_at"] or order.now,
                ends_at=values["ends_at"],
                restart_at=values["restart_at"],
            ),
            form=AnnouncementForm,
        ),
    )
    deeds = (
        Deed(
            kind=Kind.WITHDRAW,
            label=_("Take it down"),
            explained=_("It disappears from every client at once."),
            act=lambda order, found, _: words.withdraw(order, announcement_id=found.pk),
            offered=lambda found: found.ends_at is None or found.ends_at > timezone.now(),
        ),
    )


@admin.register(Report)
class ReportAdmin(StaffPage):
    """What players report of others."""

    nouns = (_("report"), _("reports"))
    list_display = ("created_at", "player", "reason", "state", "note")
    list_filter = ("state", "reason")
    list_select_related = ("player",)
    find_by_id = ("pk", "player", "reporter", "match")
    search_help_text = _("Id of a report, player or match")
    fields = ("id", "reason", "text", "state", "note", "created_at")
    deeds = (
        Deed(
            kind=Kind.DECIDE_REPORT,
            label=_("Decide"),
            explained=_("The reason is kept as the note. Nothing happens to the player by it."),
            act=lambda order, report, values: words.decide_report(
                order, report_id=report.pk, state=ReportState(values["state"])
            ),
            form=ReportForm,
        ),
    )

    def sections(self, request: HttpRequest, found: Any) -> Iterable[Section]:
        """Who, whom, and where."""
        yield Section(
            title=_("Players"),
            heads=(_("Reported"), _("By")),
            rows=[
                (
                    link("accounts_player", found.player_id, found.player),
                    link("accounts_player", found.reporter_id, found.reporter),
                )
            ],
        )
        if found.match_id is not None:
            yield Section(
                title=_("Match"),
                heads=(_("Match"),),
                rows=[(link("tables_match", found.match_id, found.match_id),)],
            )
