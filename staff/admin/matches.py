"""Matches: what happened, and what staff decide about them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import msgspec
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import path, reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext_lazy as _

from api.rule_rows import rule_rows
from api.rule_texts import rules_document
from ratings.selectors.ratings import match_ratings
from staff.models import Kind, StaffAction
from staff.pages import MOST_PAGES, PER_PAGE, Deed, Section, StaffPage, as_id, ids_of_day, link
from staff.replay import FRAMED, replay
from staff.services import matches
from tables.models import Match, MatchStatus, MatchStep, Seat, StepKind
from tables.selectors.matches import rounds_of, shoes_of

MOST_STEPS = 500
WORDS: Final = {
    "bet": _("bet"),
    "insure": _("insurance"),
    "decline": _("no insurance"),
    "hit": _("hit"),
    "stand": _("stand"),
    "double": _("double"),
    "split": _("split"),
    "surrender": _("surrender"),
    "human": _("has the seat"),
    "cpu": _("the CPU"),
    "player": _("the player"),
    "timeout": _("the CPU, time was up"),
    "absent": _("absent"),
    "idle": _("idle"),
    "left": _("left"),
    "banned": _("banned"),
    "deleted": _("account deleted"),
}
"""What steps call decisions, who has a seat, and why."""
TABLE = "tables_match_table"


@admin.register(Match)
class MatchAdmin(StaffPage):
    """Matches. Of one that is played, staff see no more than a spectator: no hole card, no shoe."""

    nouns = (_("match"), _("matches"))
    list_display = ("started_at", "kind", "status", "finished_at", "id")
    list_filter = ("kind",)
    search_help_text = _("Match id, player id, or day like 2026-11-30")
    fields = (
        *("id", "kind", "status", "version", "seq", "watchable", "quality"),
        *("started_at", "finished_at"),
    )
    deeds = (
        Deed(
            kind=Kind.END_MATCH,
            label=_("Let the CPU end it"),
            explained=_(
                "The CPU takes every seat and plays to the end; the players are free, and nobody is"
                " punished for it. Whether a ranked match shall count is a second decision."
            ),
            act=lambda order, match, _: matches.end_match(order, match_id=match.pk),
            offered=lambda match: match.status == MatchStatus.PLAYING,
        ),
        Deed(
            kind=Kind.VOID_MATCH,
            label=_("Make it void"),
            explained=_(
                "The match counts no more; ratings follow within a minute. Everybody who sees the"
                " match sees this reason, and its players are told."
            ),
            act=lambda order, match, _: matches.void_match(order, match_id=match.pk),
            offered=lambda match: match.status == MatchStatus.FINISHED,
        ),
        Deed(
            kind=Kind.RESTORE_MATCH,
            label=_("Restore"),
            explained=_("The match counts again, as if it always had; its players are told."),
            act=lambda order, match, _: matches.restore_match(order, match_id=match.pk),
            offered=lambda match: match.status == MatchStatus.VOID,
        ),
    )

    def get_urls(self) -> Any:
        """With the table that a match's page frames."""
        table = self.admin_site.admin_view(replay)
        return [path("<uuid:match_id>/table/", table, name=TABLE), *super().get_urls()]

    @method_decorator(FRAMED)
    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: Any = None,
    ) -> Any:
        """The page of a match, with its table."""
        key = as_id(object_id or "")
        more = {} if key is None else {"table": reverse(f"admin:{TABLE}", args=[key])}
        return super().changeform_view(
            request, object_id, form_url, {**(extra_context or {}), **more}
        )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Without what could be used to cheat."""
        return super().get_queryset(request).defer("state", "seating")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """By the id of a match or player, or by day: each by an index."""
        if not search_term:
            return queryset, False
        key, day = as_id(search_term), ids_of_day(search_term)
        if key is not None:
            played = Seat.objects.filter(player=key).order_by("-started_at", "-match")
            latest = played.values_list("match", flat=True)[: PER_PAGE * MOST_PAGES]
            return queryset.filter(pk__in=[key, *latest]), False
        return (queryset.none() if day is None else queryset.filter(pk__range=day)), False

    def sections(self, request: HttpRequest, found: Any) -> Iterable[Section]:
        """Seats, rounds, decisions, shoes once it is over, transfers, and what staff did."""
        over = found.status != MatchStatus.PLAYING
        seats = list(found.seats.select_related("player").order_by("number"))
        yield Section(
            title=_("Seats"),
            heads=(_("Seat"), _("Player"), _("Place"), _("Chips"), _("Own / CPU")),
            rows=[
                (
                    each.number,
                    link("accounts_player", each.player_id, each.player),
                    each.place,
                    each.chips,
                    f"{each.own_decisions} / {each.cpu_decisions}",
                )
                for each in seats
            ],
        )
        names = {each.player_id: str(each.player) for each in seats}
        yield _transfers(found, names)
        rounds = [msgspec.json.decode(each) for each in rounds_of(found)]
        yield Section(
            title=_("Rounds as they were settled"),
            heads=(_("Round"), _("Dealer"), *(str(each.player) for each in seats)),
            rows=[_round(at, each, len(seats)) for at, each in enumerate(rounds, start=1)],
        )
        yield _decisions(found)
        yield rules_section(found.rules)
        if over:
            yield Section(
                title=_("Shoes and fairness"),
                heads=(_("Shoe"), _("Commitment"), _("Seed"), _("Cards")),
                rows=[
                    (each.shoe, each.commitment, each.seed, " ".join(each.cards or ()))
                    for each in shoes_of(Match.objects.get(pk=found.pk))
                ],
            )
            address = f"/m/{found.pk}/"
            yield Section(
                title=_("On the site"),
                heads=(_("Page"),),
                rows=[((_("The match as players see it"), address),)],
            )
        yield Section(
            title=_("What staff did"),
            heads=(_("Time"), _("By"), _("Action"), _("Reason")),
            rows=[
                (
                    link("staff_staffaction", each.pk, f"{each.at:%Y-%m-%d %H:%M}"),
                    each.actor_name,
                    each.get_kind_display(),
                    each.reason,
                )
                for each in StaffAction.objects.filter(match=found.pk).order_by("-id")
            ],
        )


def _word(code: str | None) -> Any:
    return WORDS.get(code or "", code)


def rules_section(rules: str) -> Section:
    """The options in force, in words."""
    rows = rule_rows(rules_document({}), msgspec.json.decode(rules))
    return Section(
        title=_("Rules"),
        heads=(_("Option"), _("Here"), _("Default")),
        rows=[(row.name, row.here, row.default) for row in rows],
    )


def _transfers(found: Match, names: dict[Any, str]) -> Section:
    rated = match_ratings([found.pk]).get(found.pk)
    pairs = () if rated is None else rated.pairs
    return Section(
        title=_("Rating transfers"),
        heads=(_("From whom"), _("To whom"), _("Ratings"), _("Expected"), _("Score"), _("Points")),
        rows=[
            (
                names[pair.players[1]],
                names[pair.players[0]],
                " : ".join(f"{rating / 1000:.3f}" for rating in pair.ratings),
                f"{pair.expectation:.6f}",
                pair.score,
                f"{pair.points / 1000:+.3f}",
            )
            for pair in pairs
        ],
    )


def _round(at: int, record: dict[str, Any], seats: int) -> list[Any]:
    """A settled round: the dealer's cards, and for each seat its hands and what they returned."""
    by_seat = {each["seat"]: each for each in record["seats"]}
    cells = []
    for number in range(1, seats + 1):
        hands = by_seat.get(number, {}).get("hands", [])
        cells.append(
            " / ".join(
                f"{' '.join(hand['cards'])} {hand['outcome']} {hand['bet']}→{hand['returned']}"
                for hand in hands
            )
        )
    return [at, " ".join(record["dealer"]["cards"]), *cells]


def _decisions(found: Match) -> Section:
    steps = MatchStep.objects.filter(
        match=found, kind__in=(StepKind.DECISION, StepKind.CONTROL)
    ).order_by("first_seq")
    rows = []
    for step in steps.defer("seeds", "events")[:MOST_STEPS]:
        done = msgspec.json.decode(step.payload)
        what = _word(done.get("action") or done.get("controller") or step.kind)
        amount = done.get("amount")
        rows.append(
            (
                step.version,
                step.at,
                step.seat,
                what if amount is None else f"{what} {amount}",
                _word(done.get("by") or done.get("reason")),
            )
        )
    return Section(
        title=_("Decisions"),
        heads=(_("Version"), _("Time"), _("Seat"), _("Decision"), _("Whose")),
        rows=rows,
    )
