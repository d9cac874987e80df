"""What makes the pages an app: its description, and a worker for when nothing can be reached."""

import hashlib
import json
from dataclasses import replace
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from accounts.languages import Language
from api.page_answers import page, render_page, site
from api.visitors import Visitor, visitor_of

PAPER: Final = "#f5f3ee"
"""The ground of the pages in the light theme, as in tokens.css."""
OFFLINE_FILES: Final = (
    "taku/css/tokens.css",
    "taku/css/taku.css",
    "taku/css/pages.css",
    "taku/img/favicon.svg",
    "taku/js/pages/offline.js",
)
"""All that the offline page needs."""
ICONS: Final = (("192", "any"), ("512", "any"), ("maskable", "maskable"))


@page
def offline(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """`/offline/`: shown where nothing can be reached. `?language=` comes before the visitor's."""
    language = _language(request, visitor)
    translation.activate(language)
    return render_page(request, replace(visitor, language=language), "offline")


@require_GET
def manifest(request: HttpRequest) -> HttpResponse:
    """`/manifest.webmanifest`: name, colours and icons of the installed app."""
    language = _language(request, visitor_of(request, timezone.now()))
    translation.activate(language)
    answer = JsonResponse(
        {
            "id": "/",
            "start_url": "/",
            "scope": "/",
            "name": settings.SITE_NAME,
            "short_name": settings.SITE_NAME,
            "description": gettext(
                "Blackjack for one to six people, about 15 minutes, free, without registration."
            ),
            "lang": language,
            "dir": "ltr",
            "display": "standalone",
            "background_color": PAPER,
            "theme_color": PAPER,
            "categories": ["games"],
            "icons": [
                {
                    "src": static(f"taku/img/icon-{name}.png"),
                    "sizes": "512x512" if name == "maskable" else f"{name}x{name}",
                    "type": "image/png",
                    "purpose": purpose,
                }
                for name, purpose in ICONS
            ],
        },
        content_type="application/manifest+json",
    )
    answer["Cache-Control"] = "private, no-cache"
    return answer


@require_GET
def worker(request: HttpRequest) -> HttpResponse:
    """`/sw.js`: keeps the offline page in `?language=`, and nothing else.

    A change of that page changes the worker, so that the browser fetches both anew.
    """
    language = _language(request, visitor_of(request, timezone.now()))
    files = [static(name) for name in OFFLINE_FILES]
    text = render_to_string("taku/offline.html", {"site": site()}) + "".join(files)
    kept = {
        "cache": f"offline-{hashlib.sha256(text.encode()).hexdigest()[:12]}-{language}",
        "page": f"{reverse('offline')}?language={language}",
        "files": files,
    }
    script = render_to_string("taku/sw.js", {"kept": json.dumps(kept)})
    answer = HttpResponse(script, content_type="text/javascript; charset=utf-8")
    answer["Cache-Control"] = "private, no-cache"
    return answer


def _language(request: HttpRequest, visitor: Visitor) -> Language:
    """The language asked for in the address, else the visitor's."""
    try:
        return Language(request.GET.get("language", ""))
    except ValueError:
        return visitor.language
