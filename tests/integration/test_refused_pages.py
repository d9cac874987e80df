"""What a browser is shown where a page refuses: in the site's own design, with the way on."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import pytest
from django.test import Client, RequestFactory, override_settings

from api.views import pages

pytestmark = pytest.mark.django_db

FORM = {"language": "en", "next": "/rules/"}


def expect_own_page(answer: Any, status: HTTPStatus) -> None:
    text = answer.content.decode()
    assert answer.status_code == status
    assert "うまくいきませんでした" in text
    assert "taku/css/taku" in text
    assert "style=" not in text
    assert "<style" not in text


def test_language_changes_where_the_cookies_were_cleared() -> None:
    browser = Client(enforce_csrf_checks=True, headers={"Accept-Language": "ja"})
    answer = browser.post("/language/", FORM)
    assert (answer.status_code, answer["Location"]) == (302, "/rules/")
    assert '<html lang="en"' in browser.get("/rules/").content.decode()


def test_language_never_leads_to_another_site() -> None:
    browser = Client(enforce_csrf_checks=True)
    answer = browser.post("/language/", {**FORM, "next": "https://example.org/"})
    assert answer["Location"] == "/"


def test_address_of_the_language_form_leads_to_the_start() -> None:
    answer = Client().get("/language/")
    assert (answer.status_code, answer["Location"]) == (302, "/")


def test_page_that_is_posted_to_says_so() -> None:
    answer = Client().post("/rules/", {})
    expect_own_page(answer, HTTPStatus.METHOD_NOT_ALLOWED)
    assert answer["Allow"] == "GET, HEAD"
    expect_own_page(Client(enforce_csrf_checks=True).post("/rules/", {}), HTTPStatus.FORBIDDEN)


def test_bad_and_forbidden_requests_are_pages_for_people_and_problems_for_programs() -> None:
    for view, status, code in (
        (pages.bad_request, HTTPStatus.BAD_REQUEST, "parse_error"),
        (pages.forbidden, HTTPStatus.FORBIDDEN, "permission_denied"),
    ):
        expect_own_page(view(RequestFactory().get("/rules/")), status)
        problem = view(RequestFactory().get("/api/v1/rules/"))
        assert problem.status_code == status
        assert problem["Content-Type"] == "application/problem+json"
        assert code in problem.content.decode()


@override_settings(ALLOWED_HOSTS=["ours.example"])
def test_host_that_is_not_ours_gets_a_page() -> None:
    expect_own_page(
        Client().get("/rules/", headers={"Host": "elsewhere.example"}), HTTPStatus.BAD_REQUEST
    )


def test_language_of_an_account_changes_by_the_form() -> None:
    browser = Client(enforce_csrf_checks=True, headers={"Accept-Language": "ja"})
    browser.get("/rules/")
    token = browser.cookies["csrftoken"].value
    made = browser.post(
        "/api/v1/players/", {}, content_type="application/json", headers={"X-CSRFToken": token}
    )
    assert made.status_code == 201
    answer = browser.post("/language/", {**FORM, "csrfmiddlewaretoken": token})
    assert answer.status_code == 302
    assert '<html lang="en"' in browser.get("/rules/").content.decode()
