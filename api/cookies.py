"""The cookies that a browser gets: which account it plays as, and which browser it is."""

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from typing import Final
from uuid import UUID, uuid4

from django.http import HttpRequest
from django.http.response import HttpResponseBase

LASTS: Final = timedelta(days=400)
_SECURE_PREFIX: Final = "__Host-"


class Cookie(StrEnum):
    """A cookie by its plain name; over https it has the `__Host-` prefix."""

    DEVICE = "device"
    """The credential (api.md, Auth)."""
    BROWSER = "browser"
    """A random id kept across accounts (matchmaking.md 2)."""


def read(cookie: Cookie, cookies: Mapping[str, str], *, secure: bool) -> str | None:
    """Give the cookie's value as the browser sent it, or None."""
    return cookies.get(_name(cookie, secure)) or None


def keep(response: HttpResponseBase, request: HttpRequest, cookie: Cookie, value: str) -> None:
    """Set the cookie for the next 400 days."""
    secure = request.is_secure()
    response.set_cookie(
        _name(cookie, secure),
        value,
        max_age=LASTS,
        path="/",
        secure=secure,
        httponly=True,
        samesite="Lax",
    )


def forget(response: HttpResponseBase, request: HttpRequest, cookie: Cookie) -> None:
    """Take the cookie away."""
    secure = request.is_secure()
    name = _name(cookie, secure)
    response.delete_cookie(name, path="/", samesite="Lax")
    response.cookies[name]["secure"] = secure
    response.cookies[name]["httponly"] = True


def browser_of(request: HttpRequest) -> UUID:
    """The browser that asks, or a new one."""
    try:
        return UUID(read(Cookie.BROWSER, request.COOKIES, secure=request.is_secure()))
    except (TypeError, ValueError):
        return uuid4()


def _name(cookie: Cookie, secure: bool) -> str:
    return f"{_SECURE_PREFIX if secure else ''}{cookie.value}"
