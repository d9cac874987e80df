"""What every page has: nothing is changed by hand, lists stay quick, deeds are confirmed.

A `Deed` is a staff action as a button: its confirm page says what will happen, asks for a reason,
and sends one order, whatever is clicked twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, ClassVar, Final
from uuid import UUID, uuid4

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import OperationalError, connection, transaction
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.services.announcements import AnnouncementNotFound, AnnouncementRefused
from api.errors import is_known, problem_of
from staff.models import Kind
from staff.services.orders import (
    LONGEST_REASON,
    NothingToDo,
    NotPermitted,
    Order,
    ReasonMissing,
    may,
)
from staff.services.words import FlagNotFound, ReportNotFound

Text = str | Promise

LONGEST_TERM: Final = 60
PER_PAGE: Final = 25
MOST_PAGES: Final = 100
COUNT_WITHIN_MS: Final = 100
FIELD_NAMES: Final = {"level": "importance"}
"""Where a field's own name is another word's text elsewhere."""

REFUSALS: Final[dict[type[Exception], Text]] = {
    NotPermitted: _("Your role does not include this."),
    ReasonMissing: _("Say why, in at most 300 characters."),
    NothingToDo: _("There is nothing to do: it is so already."),
    AnnouncementRefused: _("It needs both languages and an end after its start."),
    AnnouncementNotFound: _("It is gone."),
    ReportNotFound: _("It is gone."),
    FlagNotFound: _("It is gone."),
}


class ReasonForm(forms.Form):
    """Why, and which form this is."""

    request = forms.UUIDField(widget=forms.HiddenInput)
    reason = forms.CharField(
        label=_("Reason"),
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 3, "cols": 60}),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """A staff action on a page: `act` gets the order, what it is about, and the form's values."""

    kind: Kind
    label: Text
    explained: Text
    act: Callable[[Order, Any, dict[str, Any]], object]
    form: type[ReasonForm] = ReasonForm
    offered: Callable[[Any], bool] = lambda _: True


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A table on a page; a cell is a text, or a pair of a text and where it leads."""

    title: Text
    heads: Sequence[Text]
    rows: Sequence[Sequence[Any]] = field(default_factory=tuple)

    @property
    def lines(self) -> list[list[tuple[Any, str]]]:
        """The rows with every cell as a pair."""
        return [
            [cell if isinstance(cell, tuple) else (_shown(cell), "") for cell in row]
            for row in self.rows
        ]


def _shown(cell: Any) -> Any:
    if cell is None or cell == "":
        return "–"
    if isinstance(cell, datetime):
        return f"{cell.astimezone(UTC):%Y-%m-%d %H:%M:%S}"
    return cell


def link(name: str, key: object, text: object) -> tuple[str, str]:
    """A cell that leads to a model's page, like `link("tables_match", id, "…")`."""
    return str(text), reverse(f"admin:{name}_change", args=[key])


class QuickPaginator(Paginator):  # type: ignore[type-arg]  # generic in the stubs only
    """Counts by the planner's estimate where nothing is filtered, else for a short time only."""

    @cached_property
    def count(self) -> int:
        """How many rows to page through: at most those of `MOST_PAGES` pages."""
        return min(self._estimate(), PER_PAGE * MOST_PAGES)

    def _estimate(self) -> int:
        rows: Any = self.object_list
        with connection.cursor() as cursor:
            if not rows.query.where:
                cursor.execute(
                    "SELECT reltuples::bigint FROM pg_class WHERE oid = %s::regclass",
                    [rows.model._meta.db_table],
                )
                estimate = int(cursor.fetchone()[0])
                if estimate > PER_PAGE * MOST_PAGES:
                    return estimate
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(f"SET LOCAL statement_timeout = {COUNT_WITHIN_MS}")
                return len(rows.order_by().values_list("pk")[: PER_PAGE * MOST_PAGES])
        except OperationalError:
            return PER_PAGE * MOST_PAGES


class StaffPage(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """Pages of a model: to look at, with deeds; never added to, changed or deleted by hand."""

    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = PER_PAGE
    list_max_show_all = 0
    paginator = QuickPaginator
    sortable_by = ()
    actions = None
    view_on_site = False
    ordering: ClassVar[Any] = ("-id",)
    change_form_template = "staff/object.html"
    change_list_template = "staff/list.html"
    search_fields = ("pk",)  # shows the field; what it finds is said by the two below
    search_help_text: ClassVar[Any] = _("Id")
    find_by_id: ClassVar[tuple[str, ...]] = ("pk",)
    find_by_text: ClassVar[tuple[str, ...]] = ()
    deeds: tuple[Deed, ...] = ()
    list_deeds: tuple[Deed, ...] = ()

    nouns: ClassVar[tuple[Any, Any] | None] = None
    """What one and several of them are called on the pages."""

    def __init__(self, model: type[Any], admin_site: admin.AdminSite) -> None:
        super().__init__(model, admin_site)
        if self.nouns is not None:
            self.opts.verbose_name, self.opts.verbose_name_plural = self.nouns
        for each in self.opts.fields:  # what is said of them as texts of the pages' languages
            if isinstance(each.verbose_name, str):
                each.verbose_name = _(FIELD_NAMES.get(each.verbose_name, each.verbose_name))
            if isinstance(each.help_text, str) and each.help_text:
                each.help_text = _(each.help_text)
            if each.choices and all(isinstance(label, str) for _value, label in each.choices):
                each.choices = [(value, _(str(label))) for value, label in each.choices]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nothing is added by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nothing is changed by hand."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nothing is deleted by hand."""
        return False

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """By an id exactly, or by a word exactly, where a column has an index for it."""
        term = search_term.strip()[:LONGEST_TERM]
        if not term:
            return queryset, False
        key = as_id(term)
        names = self.find_by_text if key is None else self.find_by_id
        either = Q(pk__in=[])
        for name in names:
            either |= Q(**{name: key or term})
        return queryset.filter(either), False

    def sections(self, request: HttpRequest, found: Any) -> Iterable[Section]:
        """What the page of one object shows besides its fields."""
        return ()

    def get_urls(self) -> Any:
        """The pages of deeds before Django's own, which take any address for an id."""
        name = f"{self.opts.app_label}_{self.opts.model_name}"
        wrap = self.admin_site.admin_view
        return [
            path("do/<str:kind>/", wrap(self.do_view), name=f"{name}_do"),
            path("<path:object_id>/do/<str:kind>/", wrap(self.do_view), name=f"{name}_do_to"),
            *super().get_urls(),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> HttpResponse:
        """The list, with the deeds that are about nothing in particular."""
        name = f"admin:{self.opts.app_label}_{self.opts.model_name}_do"
        offered = [
            (deed.label, reverse(name, args=[deed.kind]))
            for deed in self.list_deeds
            if may(request.user, deed.kind) and deed.offered(None)
        ]
        return super().changelist_view(request, {**(extra_context or {}), "deeds": offered})

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: Any = None,
    ) -> Any:
        """The page of one object, with its sections and deeds."""
        found = None if object_id is None else self._found(request, object_id)
        more: dict[str, Any] = {}
        if found is not None:
            name = f"admin:{self.opts.app_label}_{self.opts.model_name}_do_to"
            more = {
                "sections": list(self.sections(request, found)),
                "deeds": [
                    (deed.label, reverse(name, args=[found.pk, deed.kind]))
                    for deed in self.deeds
                    if may(request.user, deed.kind) and deed.offered(found)
                ],
            }
        return super().changeform_view(
            request, object_id, form_url, {**(extra_context or {}), **more}
        )

    def do_view(
        self, request: HttpRequest, kind: str, object_id: str | None = None
    ) -> HttpResponse:
        """Say what a deed will do, ask why, and do it."""
        among = self.list_deeds if object_id is None else self.deeds
        deed = next((each for each in among if each.kind == kind), None)
        if deed is None:
            raise Http404
        if not may(request.user, deed.kind):
            raise PermissionDenied
        found = None if object_id is None else self._found(request, object_id)
        if object_id is not None and found is None:
            raise Http404
        back = self._address_of(found)
        form = deed.form(request.POST or None, initial={"request": uuid4()})
        if request.method == "POST" and form.is_valid() and self._act(request, deed, found, form):
            messages.success(request, _("Done: %(what)s.") % {"what": deed.label})
            return HttpResponseRedirect(back)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": deed.label,
            "explained": deed.explained,
            "found": found,
            "form": form,
            "back": back,
        }
        return TemplateResponse(request, "staff/confirm.html", context)

    def _act(self, request: HttpRequest, deed: Deed, found: Any, form: ReasonForm) -> bool:
        values = form.cleaned_data
        order = Order(
            actor=request.user,  # type: ignore[arg-type]  # the site lets staff in alone
            request=values["request"],
            reason=values["reason"],
            now=timezone.now(),
        )
        try:
            deed.act(order, found, values)
        except tuple(REFUSALS) as refused:
            form.add_error(None, str(REFUSALS[type(refused)]))
        except Exception as refused:
            if not is_known(refused):
                raise
            problem = problem_of(refused)
            details = [str(error["detail"]) for error in problem.errors]
            form.add_error(None, " ".join([problem.detail, *details]))
        else:
            return True
        return False

    def _found(self, request: HttpRequest, object_id: str) -> Any:
        found = self.get_object(request, object_id)
        if found is not None and not self.has_view_permission(request, found):
            raise PermissionDenied
        return found

    def _address_of(self, found: Any) -> str:
        name = f"admin:{self.opts.app_label}_{self.opts.model_name}"
        if found is None:
            return reverse(f"{name}_changelist")
        return reverse(f"{name}_change", args=[found.pk])


def as_id(text: str) -> UUID | None:
    """An id as somebody pasted it, or None."""
    try:
        return UUID(text.strip())
    except ValueError:
        return None


def ids_of_day(text: str) -> tuple[UUID, UUID] | None:
    """The first and last UUIDv7 of a day written like 2026-11-30, in UTC, or None."""
    try:
        day = datetime.strptime(text.strip(), "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return None
    low, high = (int(each.timestamp() * 1000) << 80 for each in (day, day + timedelta(days=1)))
    return UUID(int=low), UUID(int=high - 1)
