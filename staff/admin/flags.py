"""Flags: pairs whom staff should look at."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.models import Player
from ratings.models import Flag, FlagState
from staff.models import Kind
from staff.pages import Deed, ReasonForm, Section, StaffPage, link
from staff.services import words


class DecisionForm(ReasonForm):
    """With where it stands from now on; the reason is the note."""

    state = forms.ChoiceField(
        label=_("State"),
        choices=[
            (FlagState.WATCHING, _("watching")),
            (FlagState.CONFIRMED, _("confirmed")),
            (FlagState.DISMISSED, _("dismissed")),
        ],
    )


@admin.register(Flag)
class FlagAdmin(StaffPage):
    """Pairs whom staff should look at."""

    nouns = (_("flag"), _("flags"))
    list_display = ("updated_at", "kind", "state", "note")
    list_filter = ("state", "kind")
    search_fields = ("=id",)
    fields = ("id", "kind", "match", "details", "state", "note", "created_at", "updated_at")
    deeds = (
        Deed(
            kind=Kind.DECIDE_FLAG,
            label=_("Decide"),
            explained=_("The reason is kept as the note. Nothing happens to the players by it."),
            act=lambda order, flag, values: words.decide_flag(
                order, flag_id=flag.pk, state=FlagState(values["state"])
            ),
            form=DecisionForm,
        ),
    )

    def sections(self, request: HttpRequest, found: Any) -> Iterable[Section]:
        """The pair and the match."""
        yield Section(
            title=_("Players"),
            heads=(_("Player"), _("Since")),
            rows=[
                (link("accounts_player", each.pk, each), each.created_at)
                for each in Player.objects.filter(pk__in=found.players)
            ],
        )
        yield Section(
            title=_("Match"),
            heads=(_("Match"),),
            rows=[(link("tables_match", found.match, found.match),)],
        )
