"""The live page: what goes on now, in numbers; it refreshes itself."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from django.conf import settings
from django.contrib import admin
from django.db.models import Count, Max, Min
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from staff import news_lag, task_log
from staff.models import RatingRun, RunState
from staff.pages import Section, link
from tables.models import Connection, Match, MatchStatus, Party, QueueState, Ticket, WebProcess
from tables.selectors.clock import database_now
from tables.selectors.queue import estimated_wait

EVERY: Final = 5
"""Seconds between two looks of the page."""
OVERDUE: Final = timedelta(seconds=2)


def live(request: HttpRequest) -> HttpResponse:
    """`/admin/live/`."""
    context = {
        **admin.site.each_context(request),
        "title": _("What goes on now"),
        "sections": [_people(), _queue(), _processes(), _tasks(), _runs()],
        "every": EVERY,
        "now": timezone.now(),
    }
    return TemplateResponse(request, "staff/live.html", context)


def _people() -> Section:
    online = Connection.objects.aggregate(
        sockets=Count("id"), players=Count("player", distinct=True)
    )
    playing = Match.objects.filter(status=MatchStatus.PLAYING)
    kinds = playing.order_by().values("kind").annotate(count=Count("id")).order_by("kind")
    now = database_now()
    late = playing.filter(wake_at__lt=now - OVERDUE).aggregate(
        count=Count("id"), since=Min("wake_at")
    )
    behind = 0.0 if late["since"] is None else (now - late["since"]).total_seconds()
    rows: list[tuple[Any, ...]] = [
        (_("Players online"), online["players"]),
        (_("Sockets"), online["sockets"]),
        (_("Parties"), Party.objects.count()),
    ]
    shown = dict(Match._meta.get_field("kind").flatchoices)
    rows += [
        (_("Live matches, %(kind)s") % {"kind": shown[each["kind"]]}, each["count"])
        for each in kinds
    ]
    rows += [
        (_("Matches whose clock is late"), late["count"]),
        (_("The latest is late by"), f"{behind:.1f} s"),
        *_news(),
        (_("Version"), " ".join((settings.VERSION, settings.COMMIT)).strip()),
    ]
    return Section(title=_("Players and tables"), heads=(_("What"), _("How many")), rows=rows)


def _news() -> list[tuple[Any, ...]]:
    """How late events come, and whether every web process hears them."""
    lag = news_lag.measure()
    if lag is None:
        return [(_("Event lag"), _("Valkey does not answer."))]
    late = f"{1000 * lag.seconds:.1f} ms" if lag.seconds is not None else _("lost")
    return [(_("Event lag"), late), (_("Web processes that hear events"), lag.listeners)]


def _queue() -> Section:
    state = QueueState.objects.filter(id=1).first() or QueueState()
    now = timezone.now()
    oldest = Ticket.objects.aggregate(since=Min("since"))["since"]
    waited = 0.0 if oldest is None else (now - oldest).total_seconds()
    estimate = estimated_wait(now)
    return Section(
        title=_("Ranked queue"),
        heads=(_("What"), _("How many")),
        rows=[
            (_("Open"), _("no") if state.closed else _("yes")),
            (_("Tickets"), Ticket.objects.count()),
            (_("Longest wait now"), f"{waited:.0f} s"),
            (_("Expected wait"), None if estimate is None else f"{estimate} s"),
            (_("Last wave"), state.wave_at),
            (_("Matched since the start"), state.matched_total),
        ],
    )


def _processes() -> Section:
    processes = WebProcess.objects.filter(stopped_at__isnull=True).annotate(
        sockets=Count("connections")
    )
    return Section(
        title=_("Web processes"),
        heads=(_("Process"), _("Since"), _("Last heartbeat"), _("Sockets")),
        rows=[
            (str(each.pk)[:8], each.started_at, each.heartbeat_at, each.sockets)
            for each in processes.order_by("started_at")[:20]
        ],
    )


def _tasks() -> Section:
    heads = (_("Task"), _("Last run"), _("Seconds"), _("Last error"), _("Time of the error"))
    runs = task_log.runs()
    if runs is None:
        return Section(
            title=_("Tasks"), heads=heads, rows=[(_("Valkey does not answer."), "", "", "", "")]
        )
    return Section(
        title=_("Tasks"),
        heads=heads,
        rows=[(each.name, each.at, each.seconds, each.error, each.failed_at) for each in runs],
    )


def _runs() -> Section:
    last = RatingRun.objects.aggregate(ended=Max("ended_at"))["ended"]
    unfinished = RatingRun.objects.filter(state__in=(RunState.WAITING, RunState.RUNNING))
    rows: list[tuple[Any, ...]] = [
        (
            link("staff_ratingrun", each.pk, each.get_kind_display()),
            each.get_state_display(),
            each.progress,
        )
        for each in unfinished.order_by("id")
    ]
    return Section(
        title=_("Rating runs"),
        heads=(_("Run"), _("State"), _("Progress")),
        rows=rows or ([] if last is None else [(_("The last ended"), "", last)]),
    )
