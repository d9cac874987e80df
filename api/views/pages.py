"""The pages that people see; what lives on them comes from the public API."""

import contextlib
from datetime import date
from http import HTTPStatus
from typing import Final
from uuid import UUID

import msgspec
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from rest_framework.exceptions import ParseError, PermissionDenied

from accounts.languages import Language
from accounts.selectors import recovery_key_made_at
from accounts.services import players
from api.errors import UnknownAddress, response_of
from api.match_summary import summary_of
from api.page_answers import not_found_page, page, refused_page, render_page, site
from api.rule_rows import rule_rows
from api.rule_texts import rules_document
from api.visitors import Visitor, remember, visitor_of
from ratings.selectors import rating_of
from tables.blackjack.ruleset import as_mapping
from tables.match_view import MatchView
from tables.models import MatchStatus
from tables.party_refusals import PartyNotFound
from tables.selectors.edges import effects
from tables.selectors.matches import MatchNotFound, Sight, live_match_id, sight_of, view_of
from tables.selectors.parties import (
    is_member,
    party_by_code,
    party_of,
    party_preview,
    party_view,
    rules_of,
)

_API: Final = "/api/"
REPLAYED: Final = "v"
"""Asks for a version of a match in the address of its page."""
RULES_CHANGED: Final = date(2026, 11, 29)
"""When the text of `/rules/` was last changed."""


@page
def landing(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """`/`: play in one press."""
    player = visitor.player
    match = None if player is None else live_match_id(player.pk)
    party = None if player is None else party_of(player.pk)
    rating = None
    if player is not None and not visitor.preferences.hide_ratings:
        rating = rating_of(player.pk)
    return render_page(
        request, visitor, "landing", live_match=match, own_party=party, rating=rating
    )


@page
def match(request: HttpRequest, visitor: Visitor, match_id: UUID) -> HttpResponse:
    """`/m/ID/`: a match, live or over; with `?v=37` how it stood then, once it is over."""
    viewer = None if visitor.player is None else visitor.player.pk
    try:
        sight = sight_of(match_id=match_id, viewer_id=viewer)
        view = view_of(sight)
    except MatchNotFound:
        return not_found_page(request, visitor)
    if view.status != MatchStatus.PLAYING:
        if REPLAYED not in request.GET:
            return _summary(request, visitor, sight, view)
        return render_page(request, visitor, "replay", data={"view": msgspec.to_builtins(view)})
    return render_page(request, visitor, "match", data={"view": msgspec.to_builtins(view)})


def _summary(request: HttpRequest, visitor: Visitor, sight: Sight, view: MatchView) -> HttpResponse:
    summary = summary_of(sight, view)
    return render_page(
        request,
        visitor,
        "summary",
        data={"match": view.id, "kind": view.kind, "seq": view.seq},
        view=view,
        summary=summary,
        hide_ratings=visitor.preferences.hide_ratings,
    )


@page
def party(request: HttpRequest, visitor: Visitor, code: str) -> HttpResponse:
    """`/p/CODE/`: a party, or the way into it. A code is read in any case and width."""
    try:
        found = party_by_code(code)
    except PartyNotFound:
        return render_page(request, visitor, "no_party", status=404)
    if code != found.code:
        return redirect("party", code=found.code)
    viewer = None if visitor.player is None else visitor.player.pk
    origin = request.build_absolute_uri("/").rstrip("/")
    if is_member(party_id=found.pk, player_id=viewer):
        data = {"party": msgspec.to_builtins(party_view(found, origin=origin))}
    else:
        seen = party_preview(found, viewer_id=viewer, origin=origin)
        data = {"preview": msgspec.to_builtins(seen)}
    return render_page(request, visitor, "party", data=data, code=found.code)


@page
def preferences(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """`/settings/`: how the game looks and sounds, and one's account."""
    made = visitor.player and recovery_key_made_at(player_id=visitor.player.pk)
    data = {"recovery": made and made.isoformat()}
    return render_page(request, visitor, "settings", data=data)


@page
def rules(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """`/rules/`: how the game is played; `?party=CODE` with that party's rules."""
    found = None
    with contextlib.suppress(PartyNotFound):
        found = party_by_code(request.GET.get("party", ""))
    here = None if found is None else as_mapping(rules_of(found))
    rows = rule_rows(rules_document(effects()), here)
    return render_page(request, visitor, "rules", changed=RULES_CHANGED, rows=rows, party=found)


@page
def privacy(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """`/privacy/`: what is kept, and why."""
    return render_page(request, visitor, "privacy")


def choose_language(request: HttpRequest) -> HttpResponse:
    """`/language/`: remember the language, on the account or in the cookie; to look at, nothing."""
    if request.method != "POST":
        return redirect("landing")
    visitor = visitor_of(request, timezone.now())
    if visitor.player is not None:
        chosen = _chosen_language(request, visitor).value
        players.change_player(player_id=visitor.player.pk, settings={"language": chosen})
    return _in_chosen_language(request, visitor)


def _chosen_language(request: HttpRequest, visitor: Visitor) -> Language:
    try:
        return Language(request.POST.get("language", ""))
    except ValueError:
        return visitor.language


def _in_chosen_language(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """Back to the page that asked, which is in the chosen language from here on."""
    back = request.POST.get("next", "/")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        back = "/"
    response = HttpResponseRedirect(back)
    remember(response, request, language=_chosen_language(request, visitor).value)
    return response


def favicon(request: HttpRequest) -> HttpResponse:
    """`/favicon.ico`: for those who ask without looking at the page."""
    return redirect(static("taku/img/favicon.svg"), permanent=True)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """404: a page for people, a problem for programs."""
    if request.path.startswith(_API):
        return response_of(UnknownAddress())
    return not_found_page(request, visitor_of(request, timezone.now()))


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """400: a page for people, a problem for programs."""
    return _refused(request, HTTPStatus.BAD_REQUEST)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """403: a page for people, a problem for programs."""
    return _refused(request, HTTPStatus.FORBIDDEN)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form without its token: cookies were cleared under the page.

    The language is changed all the same, for this browser alone: no account is touched.
    """
    visitor = visitor_of(request, timezone.now())
    if request.path == reverse("language"):
        return _in_chosen_language(request, visitor)
    return refused_page(request, visitor, HTTPStatus.FORBIDDEN)


def _refused(request: HttpRequest, status: HTTPStatus) -> HttpResponse:
    if request.path.startswith(_API):
        refused = PermissionDenied() if status == HTTPStatus.FORBIDDEN else ParseError()
        return response_of(refused)
    return refused_page(request, visitor_of(request, timezone.now()), status)


def server_error(request: HttpRequest) -> HttpResponse:
    """500: a page that needs nothing which may just have failed."""
    if request.path.startswith(_API):
        return response_of(RuntimeError())
    return HttpResponse(render_to_string("taku/500.html", {"site": site()}), status=500)
