"""How a page answers: who looks at it, in which language, and what its script is told."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any, Concatenate, Final, ParamSpec

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.utils import timezone
from django.views.decorators.csrf import ensure_csrf_cookie

from api.visitors import Visitor, visitor_of

_P = ParamSpec("_P")
_LOOKING: Final = ("GET", "HEAD")
_View = Callable[Concatenate[HttpRequest, Visitor, _P], HttpResponse]


def page(view: _View[_P]) -> Callable[Concatenate[HttpRequest, _P], HttpResponse]:
    """A page to look at: knows its visitor, is kept by no cache, brings the CSRF cookie.

    Whoever wants to change something by its address gets 405 as a page.
    """

    @wraps(view)
    def shown(request: HttpRequest, /, *args: _P.args, **kwargs: _P.kwargs) -> HttpResponse:
        visitor = visitor_of(request, timezone.now())
        if request.method in _LOOKING:
            response = view(request, visitor, *args, **kwargs)
        else:
            response = refused_page(request, visitor, HTTPStatus.METHOD_NOT_ALLOWED)
            response.headers["Allow"] = ", ".join(_LOOKING)
        response.headers.setdefault("Cache-Control", "private, no-cache")
        return response

    return ensure_csrf_cookie(shown)


def render_page(
    request: HttpRequest,
    visitor: Visitor,
    template: str,
    *,
    data: dict[str, Any] | None = None,
    status: int = 200,
    **context: Any,
) -> HttpResponse:
    """Fill a template; `data` goes to the page's script besides what every page tells it."""
    told = page_context(visitor, data)
    return render(request, f"taku/{template}.html", {**told, **context}, status=status)


def page_context(visitor: Visitor, data: dict[str, Any] | None = None) -> dict[str, Any]:
    """What a template that extends `taku/base.html` needs; `data` is as for `render_page`."""
    told = {
        "lang": visitor.language,
        "site": settings.SITE_NAME,
        "sprite": static("taku/img/sprite.svg"),
        # A worker would keep old pages alive while one changes them.
        "worker": f"/sw.js?language={visitor.language}" if settings.STATIC_MANIFEST else None,
        "settings": visitor.settings(),
        "player": visitor.player
        and {
            "id": str(visitor.player.pk),
            "display_name": visitor.player.shown_name,
            "tag": visitor.player.tag,
        },
        **(data or {}),
    }
    return {"visitor": visitor, "page": told, "site": site()}


def site() -> dict[str, str]:
    """What the pages say about who runs them."""
    return {
        "name": settings.SITE_NAME,
        "operator": settings.SITE_OPERATOR,
        "contact": settings.CONTACT_URL,
    }


def not_found_page(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """404, for people."""
    return render_page(request, visitor, "404", status=404)


def refused_page(request: HttpRequest, visitor: Visitor, status: HTTPStatus) -> HttpResponse:
    """400, 403 or 405, for people: nothing was done, and the way on."""
    return render_page(request, visitor, "refused", status=status)
