"""Waves of the ranked queue: who has gone is taken out, who fits together is asked
(matchmaking.md 3, 6)."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F

from tables.clocks import PROCESS_DEAD_AFTER
from tables.matchmaking import pair
from tables.models import MatchedWait, Penalty, QueueState, ReadyCheck, Ticket
from tables.queue_view import TicketEnd
from tables.selectors.clock import database_now
from tables.selectors.queue import absent_members, policy
from tables.selectors.waiting import Standing, as_waiting
from tables.services.presence import is_attended
from tables.services.queue_news import announce_on_commit
from tables.services.ready_checks import settle_due
from tables.services.ticket_ends import end_ticket, lock_tickets
from tables.tickets import Group

logger = logging.getLogger(__name__)

_WAVE_LOCK: Final = 0x7461_6B75_04
KEEP: Final = timedelta(days=1)
"""How long waits and penalties are kept that nobody counts any more."""


def tick() -> None:
    """Do what is due in the queue: end ready checks, take out who has gone, and run a wave.

    Safe to run at any time, and several at once: waves come no faster than they should. While no
    web process lives nobody could be connected or answer, and nothing is done.
    """
    if not is_attended():
        return
    now = database_now()
    settle_due(now=now)
    take_out_absent(now=now)
    half = timedelta(seconds=settings.WAVE_EVERY / 2)
    if not QueueState.objects.filter(wave_at__gt=now - half).exists():
        run_wave()


def take_out_absent(*, now: datetime) -> None:
    """Take tickets out of which a member is not connected for too long, and tell why."""
    for ticket_id in sorted(absent_members(now, dead_after=PROCESS_DEAD_AFTER)):
        with transaction.atomic():
            held = [t for t in lock_tickets([ticket_id]) if t.ready_check_id is None]
            still = ticket_id in absent_members(now, dead_after=PROCESS_DEAD_AFTER)
            for ticket in held if still else ():
                end_ticket(ticket, TicketEnd.ABSENT)


@transaction.atomic
def run_wave() -> int:
    """Pair those who wait, and ask each group whether it is ready; gives how many groups.

    One runs at a time, any other does nothing. Tickets that somebody else holds are left alone.
    """
    if not _only_runner():
        return 0
    began = time.perf_counter()
    now = database_now()
    rows = (
        Ticket.objects.select_for_update(no_key=True, skip_locked=True)
        .filter(ready_check__isnull=True)
        .order_by("pk")
        .values_list("pk", "since", "front")
    )
    standing = [Standing(*row) for row in rows]
    absent = absent_members(now, dead_after=PROCESS_DEAD_AFTER)
    waiting = as_waiting([ticket for ticket in standing if ticket.id not in absent], now)
    groups = pair(waiting, policy()).groups
    _ask(groups, now)
    _note(groups, waiting=len(waiting), now=now, seconds=time.perf_counter() - began)
    return len(groups)


def _only_runner() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_WAVE_LOCK])
        return bool(cursor.fetchone()[0])


# Statements of arrays: one of ten thousand parameters takes seconds to read.
_ASK: Final = """
    UPDATE tables_ticket AS ticket SET ready_check_id = asked.check_id
    FROM unnest(%s::uuid[], %s::uuid[]) AS asked (ticket_id, check_id)
    WHERE ticket.id = asked.ticket_id
"""
_FORGET_ANSWERS: Final = """
    UPDATE tables_ticketmember SET accepted = false WHERE accepted AND ticket_id = ANY(%s)
"""


def _ask(groups: Sequence[Group], now: datetime) -> None:
    """Begin a ready check for each group; everybody is told."""
    deadline = now + timedelta(seconds=settings.READY_CHECK_TIME)
    checks = ReadyCheck.objects.bulk_create(
        ReadyCheck(opened_at=now, deadline=deadline, size=group.size, quality=group.quality)
        for group in groups
    )
    of_ticket: dict[UUID, ReadyCheck] = {
        ticket.id: check
        for check, group in zip(checks, groups, strict=True)
        for ticket in group.tickets
    }
    with connection.cursor() as cursor:
        checked = [check.pk for check in of_ticket.values()]
        cursor.execute(_ASK, [list(of_ticket), checked])
        cursor.execute(_FORGET_ANSWERS, [list(of_ticket)])
    announce_on_commit(player for group in groups for t in group.tickets for player in t.players)


def _note(groups: Sequence[Group], *, waiting: int, now: datetime, seconds: float) -> None:
    """Keep the wave's figures (matchmaking.md 3), and forget what nobody counts any more."""
    waits = [ticket.waited for group in groups for ticket in group.tickets]
    state, _ = QueueState.objects.get_or_create(id=1)
    QueueState.objects.filter(pk=state.pk).update(
        wave_at=now,
        waves=F("waves") + 1,
        waiting=waiting,
        matched=len(waits),
        missed=waiting - len(waits),
        mean_wait=sum(waits) / len(waits) if waits else F("mean_wait"),
        mean_spread=sum(g.spread for g in groups) / len(groups) / 1000
        if groups
        else F("mean_spread"),
        seconds=seconds,
        matched_total=F("matched_total") + len(waits),
    )
    if state.waves % 1000 == 0:
        MatchedWait.objects.filter(at__lt=now - KEEP).delete()
        Penalty.objects.filter(until__lt=now - KEEP).delete()
