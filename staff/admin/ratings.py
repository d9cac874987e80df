"""Seasons, rated matches and rating runs."""

from __future__ import annotations

from functools import partial
from typing import Any

from celery import current_app
from django import forms
from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from ratings import elo
from ratings.models import RatedMatch, Season, SeasonStatus
from staff.models import Kind, RatingRun, RunKind
from staff.pages import Deed, ReasonForm, StaffPage
from staff.services import ratings


class SeasonForm(ReasonForm):
    """With a season's times and numbers (ratings.md RT3.4)."""

    starts_at = forms.DateTimeField(
        label=_("Begins (UTC)"), widget=forms.DateTimeInput(attrs={"type": "datetime-local"})
    )
    ends_at = forms.DateTimeField(
        label=_("Ends (UTC)"),
        required=False,
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
    )
    k = forms.IntegerField(label="K", min_value=1, max_value=100, initial=16)
    provisional_k = forms.IntegerField(
        label=_("K of the first matches"), min_value=1, max_value=200, initial=32
    )
    provisional_matches = forms.IntegerField(
        label=_("How many are first matches"), min_value=0, max_value=1000, initial=20
    )


def _start(kind: RunKind) -> Any:
    def act(order: Any, _found: Any, _values: Any) -> object:
        send = partial(current_app.send_task, ratings.RUN_TASK, queue="default", retry=False)
        return ratings.start_run(order, kind=kind, send=send)

    return act


@admin.register(RatingRun)
class RatingRunAdmin(StaffPage):
    """Rating checks and recomputations, and how far they are."""

    list_display = ("asked_at", "kind", "state", "progress", "ended_at")
    list_deeds = (
        Deed(
            kind=Kind.CHECK_RATINGS,
            label=_("Check the ratings"),
            explained=_("Every rated match is replayed and compared; nothing changes."),
            act=_start(RunKind.CHECK),
        ),
        Deed(
            kind=Kind.RECOMPUTE_RATINGS,
            label=_("Recompute the ratings"),
            explained=_("Every rating is made anew from the matches that count; play goes on."),
            act=_start(RunKind.RECOMPUTE),
        ),
    )


@admin.register(Season)
class SeasonAdmin(StaffPage):
    """Seasons; their numbers are fixed once they begin."""

    nouns = (_("season"), _("seasons"))
    list_display = ("number", "status", "starts_at", "ends_at", "k", "provisional_k", "surplus")
    ordering = ("-number",)
    deeds = (
        Deed(
            kind=Kind.CHANGE_SEASON,
            label=_("End this season now"),
            explained=_("The next season begins at once and every rating moves towards 1500."),
            act=lambda order, season, _: ratings.change_season(order, closing=season.number),
            offered=lambda season: season.status == SeasonStatus.RUNNING,
        ),
    )
    list_deeds = (
        Deed(
            kind=Kind.PLAN_SEASON,
            label=_("Plan the next season"),
            explained=_("The running season ends when the next begins."),
            act=lambda order, _, values: ratings.plan_season(
                order,
                starts_at=values["starts_at"],
                ends_at=values["ends_at"],
                pace=elo.Pace(
                    k=values["k"],
                    provisional_k=values["provisional_k"],
                    provisional_matches=values["provisional_matches"],
                ),
            ),
            form=SeasonForm,
        ),
    )


@admin.register(RatedMatch)
class RatedMatchAdmin(StaffPage):
    """Rated matches, to look at; they are voided where matches are."""

    nouns = (_("rated match"), _("rated matches"))
    list_display = ("seq", "match_id", "season_id", "finished_at", "counted")
    search_help_text = _("Match id")
    ordering = ("-seq",)
