"""Who looks at a page: their account if they have one, and how they want the pages to look."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import quote, unquote

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation
from msgspec.structs import replace
from rest_framework.exceptions import APIException

from accounts.languages import Language, preferred
from accounts.models import Device, Player
from accounts.preferences import Preferences, PreferencesRefused, as_mapping, changed
from api.authentication import identify
from api.cookies import LASTS
from api.language import HEADER

COOKIE: Final = "prefs"
"""A visitor's settings: the URL-quoted JSON of those that were chosen; our script reads it too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Somebody who looks at a page."""

    player: Player | None
    device: Device | None
    preferences: Preferences
    language: Language

    def settings(self) -> dict[str, object]:
        """Every setting in force, as `players/me/` shows them."""
        return as_mapping(self.preferences)


def visitor_of(request: HttpRequest, now: datetime) -> Visitor:
    """Tell who asks, and answer in their language from here on.

    An account's settings count for whoever has one, else the cookie's; the language of whoever
    has chosen none is the browser's (`accounts.languages.preferred`).
    """
    try:
        identity = identify(request, now)
    except APIException:  # a bearer token that is not valid: a page is for guests too
        identity = None
    player = None if identity is None else identity.player
    chosen = chosen_in(request.COOKIES.get(COOKIE, ""))
    if player is not None:
        preferences = player.preferences
        language = preferences.language
    else:
        preferences = _lenient(chosen)
        if "language" not in chosen:
            preferences = replace(preferences, language=_browsers(request))
        language = preferences.language
    translation.activate(language)
    request.LANGUAGE_CODE = language
    return Visitor(
        player=player,
        device=None if identity is None else identity.device,
        preferences=preferences,
        language=language,
    )


def chosen_in(cookie: str) -> dict[str, Any]:
    """The settings in a `prefs` cookie; nothing where it cannot be read."""
    try:
        chosen = json.loads(unquote(cookie))
        json.dumps(chosen, ensure_ascii=False).encode()  # half of a surrogate pair is no text
    except (ValueError, RecursionError):
        return {}
    if not isinstance(chosen, dict):
        return {}
    return {key: value for key, value in chosen.items() if not isinstance(value, dict | list)}


def remember(response: HttpResponseBase, request: HttpRequest, **settings: object) -> None:
    """Keep a visitor's settings in the cookie, over those that it has."""
    chosen = chosen_in(request.COOKIES.get(COOKIE, "")) | settings
    text = json.dumps(chosen, separators=(",", ":"), ensure_ascii=True)
    response.set_cookie(
        COOKIE, quote(text), max_age=LASTS, path="/", secure=request.is_secure(), samesite="Lax"
    )


def _browsers(request: HttpRequest) -> Language:
    return preferred(request.META.get(HEADER, ""))


def _lenient(chosen: dict[str, Any]) -> Preferences:
    """What of the cookie is a setting: anybody may have written it."""
    try:
        return changed(Preferences(), chosen)
    except PreferencesRefused as refused:
        return changed(
            Preferences(),
            {key: value for key, value in chosen.items() if key not in refused.faults},
        )
