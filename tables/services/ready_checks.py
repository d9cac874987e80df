"""Ready checks: asking, answering, timing out, and the match when all have accepted
(matchmaking.md 4).

An answer is committed first; then the match is made in a transaction of its own, which may have to
hold parties and casual matches before it holds the tickets. Whoever comes first makes it: the one
who accepted last, or a wave that finds everybody ready.
"""

from __future__ import annotations

import functools
import logging
import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import F

from accounts.models import Player
from ratings.services import flag_networks
from tables.blackjack.actions import MatchOver
from tables.blackjack.events import MatchKind
from tables.blackjack.ruleset import RANKED
from tables.models import (
    MatchedWait,
    Offence,
    Party,
    QueueState,
    ReadyCheck,
    Seat,
    Ticket,
    TicketMember,
)
from tables.party_refusals import InMatch
from tables.queue_refusals import ReadyCheckOver
from tables.queue_view import TicketEnd
from tables.selectors.clock import database_now
from tables.selectors.queue import ranked_matches_of
from tables.services import party_news
from tables.services.batch import Leave, apply_batch
from tables.services.matches import start_match
from tables.services.penalties import punish
from tables.services.queue_news import announce_on_commit
from tables.services.ticket_ends import Held, end_ticket, hold_ticket, lock_check, send_back

logger = logging.getLogger(__name__)

BUILD_TRIES: Final = 3
"""A casual match may begin just while the ranked one is made; then it is left, too."""


class CannotBuild(Exception):
    """Somebody who accepted cannot play a ranked match any more."""


@transaction.atomic
def accept(*, player_id: UUID, check_id: UUID | None, network: bytes | None = None) -> None:
    """Accept the present ready check, or the given one; the last to do so makes the match.

    `network` is a digest of where the player is: opponents of one network are flagged for staff.
    Raises `ReadyCheckOver`.
    """
    held = _asked(player_id, check_id)
    own = held.own
    check = own.ready_check
    assert check is not None  # noqa: S101  # it is asked
    own.members.filter(player=player_id).update(accepted=True, network=network)
    if check.failed:
        if not own.members.filter(accepted=False).exists():
            send_back([own], TicketEnd.CHECK_FAILED)
            _end_if_empty(check.pk)
            return
    elif _all_accepted(check.pk):
        transaction.on_commit(functools.partial(build, check_id=check.pk), robust=True)
    announce_on_commit(_players_of(held.tickets))


@transaction.atomic
def decline(*, player_id: UUID, check_id: UUID | None) -> None:
    """Decline the present ready check, or the given one: the own ticket leaves the queue, and
    those who have accepted wait again, in front. Raises `ReadyCheckOver`."""
    withdraw_from_check(_asked(player_id, check_id), player_id=player_id, reason=TicketEnd.DECLINED)


def withdraw_from_check(
    held: Held, *, player_id: UUID, reason: TicketEnd, blameless: bool = False
) -> None:
    """Take a held ticket out of its ready check because one of its members does not go on.

    Only that member is penalised, unless it is not their doing. Who of the other tickets has not
    answered yet may still do so, and waits again then.
    """
    now = database_now()
    check_id = held.own.ready_check_id
    assert check_id is not None  # noqa: S101  # whoever calls has looked
    if not blameless:
        punish(player_ids=[player_id], offence=Offence.DECLINED, now=now)
    end_ticket(held.own, TicketEnd.DECLINED, {player_id: reason})
    others = [ticket for ticket in held.tickets if ticket.pk != held.own.pk]
    ready = [ticket for ticket in others if _is_ready(ticket)]
    send_back(ready, TicketEnd.CHECK_FAILED)
    ReadyCheck.objects.filter(pk=check_id).update(failed=True)
    announce_on_commit(_players_of([ticket for ticket in others if ticket not in ready]))
    _end_if_empty(check_id)


def settle_due(*, now: datetime) -> None:
    """Do what is due: end ready checks whose time is up, and make matches that were left.

    Safe to run at any time, and several at once.
    """
    for check in ReadyCheck.objects.order_by("deadline"):
        if not check.failed and _all_accepted(check.pk):
            build(check_id=check.pk)
        elif check.deadline <= now:
            expire(check_id=check.pk)


@transaction.atomic
def expire(*, check_id: UUID) -> None:
    """End a ready check whose time is up: who accepted goes back, who did not is penalised.

    A party goes back only as a whole; but who of it accepted is not penalised.
    """
    tickets = lock_check(check_id)
    now = database_now()
    check = ReadyCheck.objects.filter(pk=check_id, deadline__lte=now).first()
    if check is None or (not check.failed and _all_accepted(check_id)):
        return
    silent: list[UUID] = []
    for ticket in tickets:
        missing = list(ticket.members.filter(accepted=False).values_list("player_id", flat=True))
        if missing:
            silent += missing
            end_ticket(ticket, TicketEnd.NO_ANSWER)
        else:
            send_back([ticket], TicketEnd.CHECK_FAILED)
    punish(player_ids=silent, offence=Offence.NO_ANSWER, now=now)
    check.delete()


def build(*, check_id: UUID) -> None:
    """Make the match of a ready check that all have accepted; once, however many call.

    If it cannot be made, all go back without penalty.
    """
    for _ in range(BUILD_TRIES):
        try:
            _build(check_id)
        except InMatch:
            continue
        except CannotBuild:
            break
        except Exception:
            logger.exception("a ranked match could not be made")
            break
        return
    _give_up(check_id)


@transaction.atomic
def _build(check_id: UUID) -> None:
    """Make the match. Locks: parties, casual matches, tickets, players."""
    seen = list(Ticket.objects.filter(ready_check=check_id))
    players = _players_of(seen)
    party_ids = [ticket.party_id for ticket in seen if ticket.party_id is not None]
    parties = list(
        Party.objects.select_for_update(no_key=True).filter(pk__in=party_ids).order_by("pk")
    )
    if ranked_matches_of(players):
        raise CannotBuild
    _leave_casual_matches(players)
    tickets = lock_check(check_id)
    check = ReadyCheck.objects.filter(pk=check_id, failed=False).first()
    if check is None or not _all_accepted(check_id):
        transaction.set_rollback(True)  # somebody else was quicker: nobody leaves their table
        return
    seated = list(TicketMember.objects.filter(ticket__in=tickets).select_related("ticket"))
    now = database_now()
    _refuse_barred([member.player_id for member in seated], now)
    secrets.SystemRandom().shuffle(seated)  # seats are drawn (rules.md R1.1)
    match = start_match(
        kind=MatchKind.RANKED,
        ruleset=RANKED,
        player_ids=[member.player_id for member in seated],
        came_with={
            member.player_id: member.ticket.party_id
            for member in seated
            if member.ticket.party_id is not None
        },
        quality=check.quality,
    )
    _note_waits(tickets, now)
    flags = functools.partial(
        flag_networks, groups=_of_one_network(seated), match_id=match.pk, now=now
    )
    transaction.on_commit(flags, robust=True)
    for ticket in tickets:
        ticket.delete()
    check.delete()
    for party in parties:
        party.members.update(ready=False)
        party.version += 1
        party.save(update_fields=["version"])
        party_news.announce_on_commit(party.pk)
    announce_on_commit(member.player_id for member in seated)


def _leave_casual_matches(players: Sequence[UUID]) -> None:
    seats = Seat.objects.filter(player__in=players, live=True).order_by("match_id", "number")
    leaves = [Leave(seat.match_id, seat.player_id) for seat in seats]
    for result in apply_batch(leaves, wait=True) if leaves else ():
        if isinstance(result, Exception) and not isinstance(result, MatchOver):
            raise result


def _refuse_barred(players: Sequence[UUID], now: datetime) -> None:
    held = Player.objects.select_for_update(no_key=True).filter(pk__in=players).order_by("pk")
    if any(player.deleted_at is not None or player.is_banned(now) for player in held):
        raise CannotBuild


def _of_one_network(seated: Sequence[TicketMember]) -> list[list[UUID]]:
    """Players of different tickets who accepted from one network."""
    groups: dict[bytes, dict[UUID, UUID]] = {}
    for member in seated:
        if member.network is not None:
            groups.setdefault(bytes(member.network), {})[member.ticket_id] = member.player_id
    return [list(group.values()) for group in groups.values() if len(group) > 1]


def _note_waits(tickets: Sequence[Ticket], now: datetime) -> None:
    MatchedWait.objects.bulk_create(
        MatchedWait(
            at=now,
            seconds=max(0.0, (now - ticket.since).total_seconds()),
            players=ticket.members.count(),
        )
        for ticket in tickets
    )


@transaction.atomic
def _give_up(check_id: UUID) -> None:
    tickets = lock_check(check_id)
    if tickets:
        send_back(tickets, TicketEnd.NO_MATCH)
        QueueState.objects.get_or_create(id=1)
        QueueState.objects.update(failed_builds=F("failed_builds") + 1)
    ReadyCheck.objects.filter(pk=check_id).delete()


def _asked(player_id: UUID, check_id: UUID | None) -> Held:
    """The held tickets of the ready check in which the player is asked, and has time left."""
    held = hold_ticket(player_id)
    present = None if held is None else held.own.ready_check_id
    if held is None or present is None or check_id not in (None, present):
        raise ReadyCheckOver
    if not ReadyCheck.objects.filter(pk=present, deadline__gt=database_now()).exists():
        raise ReadyCheckOver
    return held


def _all_accepted(check_id: UUID) -> bool:
    """Whether everybody who was asked is still there and has accepted."""
    check = ReadyCheck.objects.filter(pk=check_id).first()
    accepted = TicketMember.objects.filter(ticket__ready_check=check_id, accepted=True).count()
    return check is not None and accepted == check.size


def _is_ready(ticket: Ticket) -> bool:
    return not ticket.members.filter(accepted=False).exists()


def _players_of(tickets: Sequence[Ticket]) -> list[UUID]:
    members = TicketMember.objects.filter(ticket__in=[ticket.pk for ticket in tickets])
    return list(members.values_list("player_id", flat=True))


def _end_if_empty(check_id: UUID) -> None:
    if not Ticket.objects.filter(ready_check=check_id).exists():
        ReadyCheck.objects.filter(pk=check_id).delete()
