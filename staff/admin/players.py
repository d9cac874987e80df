"""Players, their devices, blocks and notices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Block, Device, Notice, Player
from accounts.names import name_key
from accounts.selectors import devices_in_use
from ratings.models import Flag
from ratings.selectors.boards import ranks_of
from ratings.selectors.ratings import rating_of
from staff.models import Kind, StaffAction
from staff.pages import LONGEST_TERM, Deed, ReasonForm, Section, StaffPage, as_id, link
from staff.services import players
from tables.models import PartyMember, Penalty, Report, Seat

LATEST = 25


class UntilForm(ReasonForm):
    """With an end, or none."""

    until = forms.DateTimeField(
        label=_("Until (UTC)"),
        required=False,
        help_text=_("Without a time: until it is lifted."),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}),
    )


class NameForm(ReasonForm):
    """With a name, or none."""

    display_name = forms.CharField(
        label=_("New name"),
        required=False,
        max_length=100,
        help_text=_("Without a name: a generated one."),
    )


@admin.register(Player)
class PlayerAdmin(StaffPage):
    """Players."""

    nouns = (_("player"), _("players"))
    list_display = ("display_name", "tag", "created_at", "banned_at", "deleted_at")
    search_help_text = _("Beginning of a name, name#tag, tag, id, device id or party code")
    fields = (
        *("id", "display_name", "tag", "created_at", "deleted_at"),
        *("banned_at", "banned_until", "ban_reason"),
    )
    deeds = (
        Deed(
            kind=Kind.NOTE,
            label=_("Write a note"),
            explained=_("Only staff see it; it cannot be changed afterwards."),
            act=lambda order, player, _: players.note(order, player_id=player.pk),
        ),
        Deed(
            kind=Kind.RENAME,
            label=_("Rename"),
            explained=_("The new name shows everywhere at once, and the player is told."),
            act=lambda order, player, values: players.rename(
                order, player_id=player.pk, display_name=values["display_name"]
            ),
            form=NameForm,
            offered=lambda player: player.deleted_at is None,
        ),
        Deed(
            kind=Kind.SIGN_OUT,
            label=_("Sign out all devices"),
            explained=_("The player needs the recovery key to come back."),
            act=lambda order, player, _: players.sign_out(order, player_id=player.pk),
            offered=lambda player: player.deleted_at is None,
        ),
        Deed(
            kind=Kind.LIFT_PENALTY,
            label=_("Lift the penalty"),
            explained=_("The player may search for ranked matches again at once."),
            act=lambda order, player, _: players.lift_penalty(order, player_id=player.pk),
            offered=lambda player: player.penalties.filter(until__gt=timezone.now()).exists(),
        ),
        Deed(
            kind=Kind.BAN,
            label=_("Ban"),
            explained=_(
                "The player is told this reason. Connections close; ticket, party and seat are"
                " left, and the CPU plays on."
            ),
            act=lambda order, player, values: players.ban(
                order, player_id=player.pk, until=values["until"]
            ),
            form=UntilForm,
            offered=lambda player: player.deleted_at is None,
        ),
        Deed(
            kind=Kind.UNBAN,
            label=_("Lift the ban"),
            explained=_("The player may play again at once."),
            act=lambda order, player, _: players.unban(order, player_id=player.pk),
            offered=lambda player: player.banned_at is not None,
        ),
    )

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """An id or party code exactly, a tag exactly, a name by its beginning: by index each."""
        term = search_term.strip()[:LONGEST_TERM]
        if not term:
            return queryset, False
        key = as_id(term)
        if key is not None:
            owners = Device.objects.filter(pk=key).values_list("player", flat=True)
            return queryset.filter(pk__in=[key, *owners]), False
        name, _, tag = term.rpartition("#")
        if name:
            return queryset.filter(name_key=name_key(name), tag=tag.upper()), False
        members = PartyMember.objects.filter(party__code=term.upper())
        named = Q(name_key__startswith=name_key(term)) | Q(tag=term.upper())
        in_party = Q(pk__in=list(members.values_list("player", flat=True)))
        return queryset.filter(named | in_party), False

    def sections(self, request: HttpRequest, found: Any) -> Iterable[Section]:
        """Ratings, penalties, devices, matches, reports, and what staff did."""
        now = timezone.now()
        rating = rating_of(found.pk)
        standing = ranks_of([found.pk]).get(found.pk)
        yield Section(
            title=_("Rating"),
            heads=(_("Rating"), _("Peak"), _("Rated matches"), _("Rank")),
            rows=[
                (
                    f"{rating.rating / 1000:.3f}",
                    f"{rating.peak / 1000:.3f}",
                    rating.matches,
                    None if standing is None else standing.rank,
                )
            ],
        )
        yield Section(
            title=_("Penalties"),
            heads=(_("Time"), _("Offence"), _("Until")),
            rows=[
                (each.at, each.get_offence_display(), each.until)
                for each in Penalty.objects.filter(player=found).order_by("-at")[:LATEST]
            ],
        )
        yield Section(
            title=_("Devices"),
            heads=(_("Device"), _("Since"), _("Last used")),
            rows=[
                (link("accounts_device", each.pk, each), each.created_at, each.last_used_at)
                for each in devices_in_use(player_id=found.pk, now=now).order_by("-id")
            ],
        )
        seats = Seat.objects.filter(player=found).select_related("match")
        yield Section(
            title=_("Matches"),
            heads=(_("Match"), _("Kind"), _("State"), _("Place"), _("Chips"), _("Own / CPU")),
            rows=[
                (
                    link("tables_match", each.match_id, f"{each.started_at:%Y-%m-%d %H:%M}"),
                    each.match.get_kind_display(),
                    each.match.get_status_display(),
                    each.place,
                    each.chips,
                    f"{each.own_decisions} / {each.cpu_decisions}",
                )
                for each in seats.defer("match__state", "match__seating").order_by(
                    "-started_at", "-match"
                )[:LATEST]
            ],
        )
        yield Section(
            title=_("Flags"),
            heads=(_("Time"), _("Kind"), _("State"), _("Note")),
            rows=[
                (
                    link("ratings_flag", each.pk, f"{each.updated_at:%Y-%m-%d %H:%M}"),
                    each.get_kind_display(),
                    each.get_state_display(),
                    each.note,
                )
                for each in Flag.objects.filter(players__contains=[found.pk]).order_by("-id")[
                    :LATEST
                ]
            ],
        )
        yield Section(
            title=_("Reports"),
            heads=(_("Time"), _("Reason"), _("State"), _("Note")),
            rows=[
                (
                    link("tables_report", each.pk, f"{each.created_at:%Y-%m-%d %H:%M}"),
                    each.get_reason_display(),
                    each.get_state_display(),
                    each.note,
                )
                for each in Report.objects.filter(player=found).order_by("-id")[:LATEST]
            ],
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
                for each in StaffAction.objects.filter(player=found.pk).order_by("-id")[:LATEST]
            ],
        )


@admin.register(Device)
class DeviceAdmin(StaffPage):
    """Devices; their tokens are nowhere to be seen."""

    nouns = (_("device"), _("devices"))
    list_display = ("id", "player", "label", "created_at", "last_used_at", "revoked_at")
    list_select_related = ("player",)
    search_help_text = _("Id of a device or player")
    find_by_id = ("pk", "player")
    fields = ("id", "player", "browser", "label", "created_at", "last_used_at", "revoked_at")


@admin.register(Notice)
class NoticeAdmin(StaffPage):
    """What players were told."""

    nouns = (_("notice"), _("notices"))
    list_display = ("player", "kind", "level", "created_at", "read_at")
    list_select_related = ("player",)
    search_help_text = _("Id of a notice or player")
    find_by_id = ("pk", "player")


@admin.register(Block)
class BlockAdmin(StaffPage):
    """Who blocks whom."""

    nouns = (_("block"), _("blocks"))
    list_display = ("blocker", "blocked", "created_at")
    list_select_related = ("blocker", "blocked")
    search_help_text = _("Player id")
    find_by_id = ("blocker", "blocked")
