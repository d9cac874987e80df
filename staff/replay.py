"""A match on its staff page: the players' own table with the same events, in a frame of its own.

A frame, since the table's and the admin's stylesheets name the same things differently.
"""

from __future__ import annotations

from uuid import UUID

import msgspec
from csp.constants import SELF
from csp.decorators import csp_replace, csp_update
from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import get_language
from django.views.decorators.clickjacking import xframe_options_sameorigin

from accounts.languages import Language
from accounts.preferences import Preferences
from api.page_answers import page_context
from api.visitors import Visitor
from tables.models import Match
from tables.selectors.matches import Sight, told_until_now, view_of

FRAMED = csp_update({"frame-src": [SELF]})
"""For a page that holds the frame."""


@xframe_options_sameorigin
@csp_replace({"frame-ancestors": [SELF]})  # type: ignore[arg-type]  # it passes the id on
def replay(request: HttpRequest, match_id: UUID) -> HttpResponse:
    """`/admin/tables/match/{id}/table/`: what everybody at the table could see, until now.

    The view is a spectator's and the events are the public ones, whoever of the staff looks: of a
    running match there is no hole card and no shoe in them.
    """
    if not request.user.has_perm("tables.view_match"):
        raise PermissionDenied
    match = Match.objects.filter(pk=match_id).first()
    if match is None:
        raise Http404
    sight = Sight(match, match.pk, None, False)
    language = Language(get_language() or settings.LANGUAGE_CODE)
    visitor = Visitor(
        player=None, device=None, preferences=Preferences(language=language), language=language
    )
    told = {
        "view": msgspec.to_builtins(view_of(sight)),
        "events": msgspec.json.decode(told_until_now(sight, 0)),
        "worker": None,
    }
    return TemplateResponse(request, "staff/replay.html", page_context(visitor, told))
