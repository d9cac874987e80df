"""Penalties of the ranked queue: what is an offence, and how long each keeps somebody out."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

from accounts.models import NoticeKind, NoticeLevel
from accounts.services.notices import tell
from tables.models import Offence, Penalty, Seat
from tables.selectors.queue import is_pardoned, next_penalties
from tables.services.notice_news import bring_on_commit
from tables.services.queue_news import announce_on_commit


def punish(*, player_ids: Iterable[UUID], offence: Offence, now: datetime) -> None:
    """Count an offence of each of these players: none, 1, 5, then 15 minutes within an hour.

    The players are told, by a notice where it keeps them out (matchmaking.md 5).
    """
    who = sorted(set(player_ids))
    if not who or is_pardoned(now):
        return
    for player_id, seconds in next_penalties(who, now).items():
        until = now + timedelta(seconds=seconds)
        Penalty.objects.create(player_id=player_id, offence=offence, at=now, until=until)
        if seconds > 0:
            notice = tell(
                player_id=player_id,
                kind=NoticeKind.PENALTY,
                level=NoticeLevel.WARNING,
                now=now,
                until=until,
            )
            bring_on_commit(notice)
    announce_on_commit(who)


def punish_absent(*, seats: Iterable[Seat], out: Iterable[int], now: datetime) -> None:
    """Count an offence of whoever left more than half of their decisions in a ranked match to the
    CPU; not of those who are out, by seat number (matchmaking.md 5)."""
    lost = set(out)
    punish(
        player_ids=[
            seat.player_id
            for seat in seats
            if seat.number not in lost and seat.cpu_decisions > seat.own_decisions
        ],
        offence=Offence.CPU_PLAYED,
        now=now,
    )


def lift_penalties(*, player_id: UUID, now: datetime) -> None:
    """As staff, forget the offences that keep a player out of the queue, and tell them."""
    lifted, _ = Penalty.objects.filter(player=player_id, until__gt=now).delete()
    if lifted:
        bring_on_commit(
            tell(
                player_id=player_id,
                kind=NoticeKind.PENALTY,
                values={"lifted": True},
                now=now,
            )
        )
    announce_on_commit([player_id])
