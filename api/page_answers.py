"""How a page answers: who looks at it, in which language, and what its script is told."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.utils import timezone
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_GET

from api.visitors import Visitor, visitor_of

_P = ParamSpec("_P")
_View = Callable[Concatenate[HttpRequest, Visitor, _P], HttpResponse]


def page(view: _View[_P]) -> Callable[Concatenate[HttpRequest, _P], HttpResponse]:
    """A page to look at: knows its visitor, is kept by no cache, brings the CSRF cookie."""

    @wraps(view)
    def shown(request: HttpRequest, /, *args: _P.args, **kwargs: _P.kwargs) -> HttpResponse:
        response = view(request, visitor_of(request, timezone.now()), *args, **kwargs)
        response.headers.setdefault("Cache-Control", "private, no-cache")
        return response

    return require_GET(ensure_csrf_cookie(shown))


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
    return render(
        request,
        f"taku/{template}.html",
        {"visitor": visitor, "page": told, "site": site(), **context},
        status=status,
    )


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
