"""What a host presses in the lobby takes effect, however slow the answers are."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.browser.conftest import Watched
from tests.browser.test_play_together import join, make_party
from tests.conftest import Service

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]


def test_start_follows_the_number_that_was_typed_before_it(page: Page, service: Service) -> None:
    make_party(page, service)
    page.wait_for_selector("html[data-ready]")
    rounds = page.get_by_label("ラウンド数")
    rounds.fill("3")
    page.get_by_role("button", name="1人で始める").click()
    page.wait_for_url("**/m/*/")
    page.wait_for_selector("html[data-ready]")
    rules = page.locator("taku-table").evaluate("(table) => table.view.rules")
    assert rules["rounds"] == 3


def test_start_is_kept_back_by_a_number_that_is_refused(
    page: Page, service: Service, watched: Watched
) -> None:
    watched.expect("400")
    make_party(page, service)
    page.wait_for_selector("html[data-ready]")
    rounds = page.get_by_label("ラウンド数")
    rounds.fill("999")
    page.get_by_role("button", name="1人で始める").click()
    expect(page.locator("#rule-rounds-fault")).to_be_visible()
    assert "/p/" in page.url


def test_changes_made_while_one_is_under_way_all_arrive(page: Page, service: Service) -> None:
    make_party(page, service)
    page.wait_for_selector("html[data-ready]")
    held: list[Route] = []
    sent: list[object] = []

    def hold(route: Route) -> None:
        if route.request.method != "PATCH":
            route.continue_()
            return
        sent.append(json.loads(route.request.post_data or ""))
        if len(sent) == 1:
            held.append(route)
        else:
            route.continue_()

    page.route("**/api/v1/parties/*/", hold)
    soft, pays = page.locator("#rule-soft17"), page.locator("#rule-blackjack_pays")
    usual = soft.evaluate("(select) => select.selectedIndex")
    assert usual == 0
    with page.expect_request(lambda request: request.method == "PATCH"):
        soft.select_option(index=1)
    pays.select_option(index=1)
    with page.expect_response(
        lambda answer: (
            answer.request.method == "PATCH"
            and "blackjack_pays" in (answer.request.post_data or "")
        )
    ):
        held[0].continue_()
    assert [list(body["rules"]) for body in sent] == [["soft17"], ["blackjack_pays"]]  # type: ignore[index]
    page.reload()
    assert soft.evaluate("(select) => select.selectedIndex") == 1
    assert pays.evaluate("(select) => select.selectedIndex") == 1


def test_another_tab_of_who_left_says_so_in_words(
    page: Page, service: Service, other_browser: BrowserContext
) -> None:
    link = make_party(page, service)
    guest, second = other_browser.new_page(), other_browser.new_page()
    join(guest, link)
    second.goto(link)
    second.wait_for_selector("html[data-ready]")
    guest.get_by_role("button", name="抜ける", exact=True).click()
    guest.wait_for_url(service.url + "/")
    expect(second.get_by_role("heading", level=1)).to_have_text("パーティーを抜けています")
