"""Parties, tickets and penalties."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from staff.admin.matches import rules_section
from staff.models import Kind
from staff.pages import Deed, Section, StaffPage, link
from staff.services import matches
from tables.models import Party, Penalty, Ticket
from tables.selectors.queue import is_closed


@admin.register(Party)
class PartyAdmin(StaffPage):
    """Parties."""

    nouns = (_("party"), _("parties"))
    list_display = ("code", "host", "watchable", "created_at")
    list_select_related = ("host",)
    find_by_text = ("code",)
    search_help_text = _("Party code or id")
    fields = ("id", "code", "host", "watchable", "version", "created_at")
    deeds = (
        Deed(
            kind=Kind.CLOSE_PARTY,
            label=_("Close the party"),
            explained=_("Its members are told; a match that they play goes on."),
            act=lambda order, party, _: matches.close_party(order, party_id=party.pk),
        ),
    )

    def sections(self, request: HttpRequest, found: Any) -> Iterable[Section]:
        """The members."""
        yield Section(
            title=_("Members"),
            heads=(_("Player"), _("Since"), _("Ready")),
            rows=[
                (
                    link("accounts_player", each.player_id, each.player),
                    each.joined_at,
                    "✓" if each.ready else "",
                )
                for each in found.members.select_related("player")
            ],
        )
        yield rules_section(found.rules)


@admin.register(Ticket)
class TicketAdmin(StaffPage):
    """Who searches for a ranked match."""

    nouns = (_("ticket"), _("tickets"))
    list_display = ("id", "since", "party", "front", "ready_check")
    list_select_related = ("party", "ready_check")
    find_by_id = ("pk", "members__player")
    search_help_text = _("Ticket id or player id")
    list_deeds = (
        Deed(
            kind=Kind.CLOSE_QUEUE,
            label=_("Close the ranked queue"),
            explained=_("Everybody who searches is sent home with the reason; matches go on."),
            act=lambda order, _found, _values: matches.close_queue(order),
            offered=lambda _: not is_closed(),
        ),
        Deed(
            kind=Kind.OPEN_QUEUE,
            label=_("Open the ranked queue"),
            explained=_("People can search again."),
            act=lambda order, _found, _values: matches.open_queue(order),
            offered=lambda _: is_closed(),
        ),
    )

    def sections(self, request: HttpRequest, found: Any) -> Iterable[Section]:
        """Who is on it."""
        yield Section(
            title=_("Members"),
            heads=(_("Player"), _("Accepted")),
            rows=[
                (
                    link("accounts_player", each.player_id, each.player),
                    "✓" if each.accepted else "",
                )
                for each in found.members.select_related("player")
            ],
        )


@admin.register(Penalty)
class PenaltyAdmin(StaffPage):
    """Who is kept out of the queue."""

    nouns = (_("penalty"), _("penalties"))
    list_display = ("player", "offence", "at", "until")
    list_select_related = ("player",)
    find_by_id = ("player",)
    search_help_text = _("Player id")
