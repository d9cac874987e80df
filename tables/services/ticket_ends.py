"""Holding tickets, and taking them out of the queue.

A ticket in a ready check is held together with all others of that check, in order of id, so that
answers, timeouts and withdrawals take turns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple
from uuid import UUID

from django.db import transaction

from tables.models import Ticket, TicketMember
from tables.queue_view import TicketEnd
from tables.services.queue_news import announce_on_commit


class Held(NamedTuple):
    """A player's ticket and, in a ready check, all tickets of it, that one included."""

    own: Ticket
    tickets: list[Ticket]


class _Moved(Exception):
    """The ticket was taken into or out of a ready check before it was held."""


def lock_tickets(ticket_ids: Iterable[UUID]) -> list[Ticket]:
    """Hold these tickets, as far as they are still there, in order of id."""
    held = Ticket.objects.select_for_update(no_key=True).filter(pk__in=list(ticket_ids))
    return list(held.order_by("pk"))


def lock_check(check_id: UUID) -> list[Ticket]:
    """Hold the tickets of a ready check; none if it is over. No ticket joins one later."""
    ids = Ticket.objects.filter(ready_check=check_id).values_list("pk", flat=True)
    return [ticket for ticket in lock_tickets(ids) if ticket.ready_check_id == check_id]


def hold_ticket(player_id: UUID) -> Held | None:
    """Hold a player's ticket, if they have one; call it in a transaction."""
    while True:
        found = TicketMember.objects.filter(player=player_id).select_related("ticket").first()
        if found is None:
            return None
        try:
            with transaction.atomic():  # a wrong guess gives its locks back
                return _hold(found.ticket)
        except _Moved:
            continue


def _hold(seen: Ticket) -> Held:
    check_id = seen.ready_check_id
    tickets = lock_tickets([seen.pk]) if check_id is None else lock_check(check_id)
    own = next((ticket for ticket in tickets if ticket.pk == seen.pk), None)
    if own is None or own.ready_check_id != check_id:
        raise _Moved
    return Held(own, tickets)


def end_ticket(
    ticket: Ticket, reason: TicketEnd, own_reasons: Mapping[UUID, TicketEnd] | None = None
) -> None:
    """Take a held ticket out of the queue, and tell its members why; some have a reason of their
    own."""
    players = list(ticket.members.values_list("player_id", flat=True))
    ticket.delete()
    announce_on_commit(players, {**dict.fromkeys(players, reason), **(own_reasons or {})})


def send_back(tickets: Iterable[Ticket], reason: TicketEnd) -> None:
    """Let held tickets wait again, in front, with the time that they have waited."""
    for ticket in tickets:
        ticket.ready_check_id, ticket.front = None, True
        ticket.save(update_fields=["ready_check", "front"])
        ticket.members.update(accepted=False)
        players = list(ticket.members.values_list("player_id", flat=True))
        announce_on_commit(players, dict.fromkeys(players, reason))
