"""The ranked queue: entering it alone or as a party, leaving it, closing it (matchmaking.md 1)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import IntegrityError, transaction

from accounts.models import Device, Player
from accounts.selectors import UNUSED_ENDS, PlayerNotFound
from tables.models import Party, PartyMember, QueueState, Ticket, TicketMember
from tables.party_refusals import (
    InMatch,
    NotEveryoneReady,
    NotHost,
    PlayerBanned,
    Searching,
)
from tables.queue_refusals import OutOfQueue, PartyTooLarge, QueueClosed
from tables.queue_view import TicketEnd
from tables.selectors.queue import is_closed, penalties_of, ranked_matches_of
from tables.services.presence import Place, touch
from tables.services.queue_news import announce_on_commit
from tables.services.ready_checks import withdraw_from_check
from tables.services.ticket_ends import end_ticket, hold_ticket
from tables.tickets import LARGEST_PARTY

AT_ONCE: Final = 500


@transaction.atomic
def enter(*, player_id: UUID, now: datetime) -> None:
    """Take a ticket for the player, or as the host for their whole party; with one, do nothing.

    Raises `NotHost`, `PartyTooLarge`, `NotEveryoneReady`, `PlayerBanned`, `OutOfQueue`, `InMatch`
    (a live ranked match), `Searching` (a member searches alone), `QueueClosed`.
    """
    party = _locked_party_of(player_id)
    if TicketMember.objects.filter(player=player_id).exists():
        touch(player_id=player_id, place=Place.QUEUE)
        return
    members = [player_id] if party is None else _party_for_queue(party, player_id)
    _refuse_barred(members, asking=player_id, now=now)
    try:
        with transaction.atomic():
            ticket = Ticket.objects.create(party=party, since=now)
            browsers = _browsers_of(members, now)
            for each in members:  # in order of joining
                TicketMember.objects.create(ticket=ticket, player_id=each, browsers=browsers[each])
    except IntegrityError as error:
        raise Searching from error
    touch(player_id=player_id, place=Place.QUEUE)
    announce_on_commit(members)


@transaction.atomic
def leave(
    *, player_id: UUID, reason: TicketEnd = TicketEnd.CANCELLED, blameless: bool = False
) -> None:
    """Take the player's ticket out, the whole party's with it; without one, do nothing.

    In a ready check this declines it (api.md, queue/), unless it is `blameless`.
    """
    held = hold_ticket(player_id)
    if held is None:
        return
    if held.own.ready_check_id is None:
        end_ticket(held.own, reason)
    else:
        withdraw_from_check(held, player_id=player_id, reason=reason, blameless=blameless)


def note_request(*, player_id: UUID) -> None:
    """Note that a player asked for their ticket: they are connected to the queue."""
    if TicketMember.objects.filter(player=player_id).exists():
        touch(player_id=player_id, place=Place.QUEUE)


def close_queue() -> None:
    """As staff, let nobody in, and send everybody home with the reason; ready checks that run end
    as they end."""
    QueueState.objects.update_or_create(id=1, defaults={"closed": True})
    while True:
        with transaction.atomic():
            waiting = Ticket.objects.select_for_update(no_key=True, skip_locked=True)
            tickets = list(waiting.filter(ready_check__isnull=True).order_by("pk")[:AT_ONCE])
            for ticket in tickets:
                end_ticket(ticket, TicketEnd.CLOSED)
        if not tickets:
            return


def open_queue() -> None:
    """As staff, let people search again."""
    QueueState.objects.update_or_create(id=1, defaults={"closed": False})


def _locked_party_of(player_id: UUID) -> Party | None:
    """Hold the party that the player is in, so that nobody joins or leaves meanwhile."""
    while True:
        place = PartyMember.objects.filter(player=player_id).first()
        if place is None:
            return None
        party = Party.objects.select_for_update(no_key=True).filter(pk=place.party_id).first()
        if party is not None and party.members.filter(player=player_id).exists():
            return party


def _party_for_queue(party: Party, player_id: UUID) -> list[UUID]:
    """The members of a held party that may search. Raises what keeps it from searching."""
    if party.host_id != player_id:
        raise NotHost
    members = list(party.members.all())
    if len(members) > LARGEST_PARTY:
        raise PartyTooLarge
    if not all(member.ready or member.player_id == player_id for member in members):
        raise NotEveryoneReady
    return [member.player_id for member in members]


def _refuse_barred(player_ids: Sequence[UUID], *, asking: UUID, now: datetime) -> None:
    held = Player.objects.select_for_update(no_key=True).filter(pk__in=player_ids).order_by("pk")
    for player in held:
        if player.deleted_at is not None:
            raise PlayerNotFound
        if player.is_banned(now):
            raise PlayerBanned(until=player.banned_until, reason=player.ban_reason)
    if is_closed():
        raise QueueClosed
    for penalty in penalties_of(player_ids, now).values():
        raise OutOfQueue(until=penalty.until, reason=penalty.reason)
    playing = ranked_matches_of(player_ids)
    if playing:
        raise InMatch(playing.get(asking))
    if TicketMember.objects.filter(player__in=player_ids).exists():
        raise Searching


def _browsers_of(player_ids: Sequence[UUID], now: datetime) -> dict[UUID, list[UUID]]:
    """The browsers in which each player is signed in (matchmaking.md 2)."""
    browsers: dict[UUID, set[UUID]] = {player_id: set() for player_id in player_ids}
    used = Device.objects.filter(
        player__in=player_ids, revoked_at__isnull=True, last_used_at__gt=now - UNUSED_ENDS
    )
    for player_id, browser in used.values_list("player_id", "browser"):
        browsers[player_id].add(browser)
    return {player_id: sorted(found) for player_id, found in browsers.items()}
