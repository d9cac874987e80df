"""Pages for what went wrong, and problems for programs."""

from __future__ import annotations

import json

from django.test import RequestFactory

from api.views import pages


def test_server_error_is_a_page_for_people_in_both_languages() -> None:
    answer = pages.server_error(RequestFactory().get("/m/x/"))
    assert answer.status_code == 500
    text = answer.content.decode()
    assert "うまく表示できませんでした" in text
    assert "This page could not be shown." in text


def test_server_error_is_a_problem_for_programs() -> None:
    answer = pages.server_error(RequestFactory().get("/api/v1/rules/"))
    assert answer.status_code == 500
    assert answer["Content-Type"] == "application/problem+json"
    assert json.loads(answer.content)["code"] == "internal_error"


def test_unknown_address_of_the_api_is_a_problem() -> None:
    answer = pages.not_found(RequestFactory().get("/api/v9/"))
    assert answer.status_code == 404
    assert json.loads(answer.content)["code"] == "not_found"
