"""What there is to read about the ranked queue: each player's place in it, and how it goes."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from statistics import median
from typing import Final, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Count

from tables.clocks import note_lasts
from tables.models import (
    MatchedWait,
    MatchKind,
    Outage,
    Penalty,
    QueueState,
    Seat,
    TicketMember,
)
from tables.queue_view import PenaltyView, QueueStatus, QueueView, ReadyCheckView
from tables.selectors.among import among
from tables.tickets import Policy, window

ESTIMATE_OF: Final = 30
"""An estimate is the median of so many tickets that were matched last,"""
ESTIMATE_FROM: Final = timedelta(hours=1)
"""not longer ago than this."""


def policy() -> Policy:
    """The numbers of matchmaking.md 2 in force."""
    return Policy(
        first_window=round(1000 * settings.WINDOW_POINTS),
        window_growth=round(1000 * settings.WINDOW_POINTS_PER_SECOND),
        unlimited_after=settings.WINDOW_UNLIMITED_AFTER,
        three_after=settings.THREE_ARE_ENOUGH_AFTER,
        two_after=settings.TWO_ARE_ENOUGH_AFTER,
    )


def is_closed() -> bool:
    """Whether nobody may search at present."""
    return QueueState.objects.filter(closed=True).exists()


def penalties_of(player_ids: Sequence[UUID], now: datetime) -> dict[UUID, PenaltyView]:
    """The penalty in force of each player who has one; of several the one that ends last."""
    rows = Penalty.objects.filter(player__in=among(player_ids), until__gt=now).order_by("until")
    return {row.player_id: PenaltyView(until=row.until, reason=row.offence) for row in rows}


def is_pardoned(at: datetime) -> bool:
    """Whether an outage has ended so lately that nothing is an offence (matchmaking.md 5)."""
    since = at - timedelta(seconds=settings.OUTAGE_PARDON)
    return Outage.objects.filter(ended_at__gt=since, ended_at__lte=at).exists()


def next_penalties(player_ids: Sequence[UUID], now: datetime) -> dict[UUID, float]:
    """Seconds out of the queue that an offence now would cost each player (matchmaking.md 5)."""
    if not player_ids or is_pardoned(now):
        return dict.fromkeys(player_ids, 0.0)
    remembered = now - timedelta(seconds=settings.PENALTY_MEMORY)
    rows = Penalty.objects.filter(player__in=among(player_ids), at__gt=remembered)
    before = dict(rows.values_list("player").annotate(count=Count("pk")).order_by())
    most = len(settings.PENALTIES) - 1
    return {
        player_id: settings.PENALTIES[min(before.get(player_id, 0), most)]
        for player_id in player_ids
    }


def ranked_matches_of(player_ids: Sequence[UUID]) -> dict[UUID, UUID]:
    """The live ranked match of each player who has one."""
    seats = Seat.objects.filter(player__in=among(player_ids), live=True, kind=MatchKind.RANKED)
    return dict(seats.values_list("player_id", "match_id"))


def estimated_wait(now: datetime) -> int | None:
    """Seconds that tickets waited which were matched lately; None if there were none."""
    waits = (
        MatchedWait.objects.filter(at__gt=now - ESTIMATE_FROM)
        .order_by("-at", "-pk")
        .values_list("seconds", flat=True)[:ESTIMATE_OF]
    )
    return round(median(waits)) if waits else None


class _Place(NamedTuple):
    """A player's place on their ticket, and the ready check that the ticket is in."""

    player: UUID
    answered: bool
    since: datetime
    party: str | None
    check: UUID | None
    deadline: datetime | None
    size: int | None


_PLACE: Final = (
    *("player_id", "accepted", "ticket__since", "ticket__party__code", "ticket__ready_check"),
    *("ticket__ready_check__deadline", "ticket__ready_check__size"),
)


def queue_views(player_ids: Sequence[UUID], now: datetime) -> dict[UUID, QueueView]:
    """The place in the queue of each of these players."""
    rows = TicketMember.objects.filter(player__in=among(player_ids)).values_list(*_PLACE)
    places = {place.player: place for place in map(_Place._make, rows)}
    accepted = accepted_in(place.check for place in places.values() if place.check is not None)
    matches = ranked_matches_of(player_ids)
    penalties = penalties_of(player_ids, now)
    waiting = TicketMember.objects.filter(ticket__ready_check__isnull=True).count()
    estimate, rules = estimated_wait(now), policy()
    return {
        player_id: _view(
            place=places.get(player_id),
            match=matches.get(player_id),
            penalty=penalties.get(player_id),
            accepted=accepted,
            waiting=waiting,
            estimate=estimate,
            rules=rules,
            now=now,
        )
        for player_id in player_ids
    }


def accepted_in(check_ids: Iterable[UUID]) -> dict[UUID, int]:
    """How many have accepted in each of these ready checks in which somebody has."""
    members = TicketMember.objects.filter(
        ticket__ready_check__in=among(set(check_ids)), accepted=True
    )
    counted = members.values("ticket__ready_check").annotate(count=Count("pk")).order_by()
    return dict(counted.values_list("ticket__ready_check", "count"))


def queue_view(player_id: UUID, now: datetime) -> QueueView:
    """One player's place in the queue."""
    return queue_views([player_id], now)[player_id]


def _view(
    *,
    place: _Place | None,
    match: UUID | None,
    penalty: PenaltyView | None,
    accepted: dict[UUID, int],
    waiting: int,
    estimate: int | None,
    rules: Policy,
    now: datetime,
) -> QueueView:
    if match is not None or place is None:
        return QueueView(
            status=QueueStatus.NONE if match is None else QueueStatus.MATCHED,
            waiting=waiting,
            estimate=estimate,
            match=None if match is None else str(match),
            penalty=penalty,
        )
    points = window((now - place.since).total_seconds(), rules) / 1000
    check = None
    if place.check is not None and place.deadline is not None and place.size is not None:
        check = ReadyCheckView(
            id=str(place.check),
            deadline=place.deadline,
            size=place.size,
            accepted=accepted.get(place.check, 0),
            answered=place.answered,
        )
    return QueueView(
        status=QueueStatus.WAITING if check is None else QueueStatus.READY_CHECK,
        since=place.since,
        waiting=waiting,
        estimate=estimate,
        window=None if points == float("inf") else int(points),
        party=place.party,
        ready_check=check,
        penalty=penalty,
    )


_ABSENT: Final = """
SELECT m.ticket_id, m.player_id
FROM tables_ticketmember m JOIN tables_ticket t ON t.id = m.ticket_id
LEFT JOIN tables_presence s ON s.player_id = m.player_id
WHERE t.ready_check_id IS NULL
AND NOT EXISTS (
    SELECT 1 FROM tables_connection c JOIN tables_webprocess w ON w.id = c.process_id
    WHERE c.player_id = m.player_id
    AND w.heartbeat_at > clock_timestamp() - make_interval(secs => %(dead)s))
AND GREATEST(t.since, s.gone_at, s.queue_seen_at + make_interval(secs => %(window)s), (
    SELECT max(w.heartbeat_at) FROM tables_connection c
    JOIN tables_webprocess w ON w.id = c.process_id WHERE c.player_id = m.player_id))
    <= %(now)s - make_interval(secs => %(absence)s)
"""


def absent_members(now: datetime, *, dead_after: float) -> dict[UUID, set[UUID]]:
    """The members of waiting tickets who have not been connected for too long, by ticket
    (matchmaking.md 6). A process without a heartbeat for `dead_after` seconds has no sockets."""
    absent: dict[UUID, set[UUID]] = {}
    with connection.cursor() as cursor:
        cursor.execute(
            _ABSENT,
            {
                "dead": dead_after,
                "window": note_lasts(settings.QUEUE_PRESENCE),
                "absence": settings.QUEUE_ABSENCE,
                "now": now,
            },
        )
        for ticket_id, player_id in cursor.fetchall():
            absent.setdefault(ticket_id, set()).add(player_id)
    return absent
