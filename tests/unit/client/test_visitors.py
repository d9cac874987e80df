"""Visitors' settings in a cookie: anybody may have written it, and nothing in it may hurt."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from urllib.parse import quote, unquote

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from accounts.preferences import Theme
from api.visitors import COOKIE, chosen_in, remember, visitor_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def asking(cookie: str | None = None, language: str = ""):  # type: ignore[no-untyped-def]
    request = RequestFactory().get("/", headers={"Accept-Language": language})
    if cookie is not None:
        request.COOKIES[COOKIE] = cookie
    return visitor_of(request, NOW)


@pytest.mark.parametrize(
    ("header", "language"),
    [("", "ja"), ("en-GB,en;q=0.9", "en"), ("fr", "ja"), ("en;q=0.4,ja;q=0.5", "ja")],
)
def test_language_of_a_browser_that_chose_none(header: str, language: str) -> None:
    visitor = asking(language=header)
    assert visitor.language == language
    assert visitor.settings()["language"] == language


def test_what_was_chosen_comes_before_the_browsers_language() -> None:
    visitor = asking(quote(json.dumps({"language": "en", "theme": "dark"})), "ja")
    assert visitor.language == "en"
    assert visitor.preferences.theme is Theme.DARK


@pytest.mark.parametrize(
    "cookie",
    [
        "",
        "%",
        "null",
        "[]",
        "5",
        "%7B",
        quote('{"theme": 5, "x": 1}'),
        quote('{"theme": null}'),
        "[" * 4000,
        '{"theme":' * 4000,
        quote('{"theme": ' + "[" * 900 + "]" * 900 + "}"),
        quote('{"volume": ' + "9" * 3000 + "}"),
        quote('{"volume": NaN, "confirm_over": Infinity}'),
        quote(r'{"theme": "\ud800", "\ud800": 1}'),
    ],
)
def test_a_cookie_that_is_no_settings_changes_nothing(cookie: str) -> None:
    visitor = asking(cookie)
    assert visitor.preferences.theme is Theme.SYSTEM
    request = RequestFactory().get("/")
    request.COOKIES[COOKIE] = cookie
    response = HttpResponse()
    remember(response, request, theme="dark")
    assert chosen_in(response.cookies[COOKIE].value)["theme"] == "dark"


def test_one_bad_setting_does_not_take_the_others_with_it() -> None:
    visitor = asking(quote(json.dumps({"theme": "dark", "volume": 9000, "nonsense": True})))
    assert visitor.preferences.theme is Theme.DARK
    assert visitor.preferences.volume == 0


def test_remembering_keeps_what_was_there() -> None:
    request = RequestFactory().get("/")
    request.COOKIES[COOKIE] = quote(json.dumps({"theme": "dark"}))
    response = HttpResponse()
    remember(response, request, language="en")
    kept = chosen_in(response.cookies[COOKIE].value)
    assert kept == {"theme": "dark", "language": "en"}
    assert json.loads(unquote(response.cookies[COOKIE].value)) == kept
