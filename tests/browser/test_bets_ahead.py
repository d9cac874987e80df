"""Bets put ahead while others decide: asked about, kept by key B, made by one tab alone."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, WebSocketRoute, expect

from tests.browser import play
from tests.browser.test_play_together import begin, join, make_party
from tests.browser.test_settings_at_the_table import choose
from tests.conftest import Service

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

VIEW = "document.querySelector('taku-table').view"


@pytest.fixture
def second(page: Page, service: Service, other_browser: BrowserContext) -> Page:
    """At the table after `page`'s player, who is to bet first."""
    other = other_browser.new_page()
    join(other, make_party(page, service))
    begin(page, other)
    return other


def to_round(number: int, *pages: Page) -> None:
    """Play until the bets of a round are asked for."""
    for _ in range(200):
        if all(one.evaluate(f"{VIEW}.round") == number for one in pages):
            return
        for one in pages:
            if one.evaluate(f"{VIEW}.round") < number:
                play.decide_once(one)
    raise AssertionError("The round does not come.")


def test_a_large_bet_put_ahead_is_asked_about(page: Page, second: Page) -> None:
    choose(second, confirm_over=10)
    second.get_by_label("置く額").fill("200")
    second.get_by_role("button", name="先に置く").click()
    dialog = second.get_by_role("dialog", name="この額を置きますか")
    expect(dialog).to_contain_text("持ち点1,000点のうち200点を置きます。")
    dialog.get_by_role("button", name="やめる").click()
    expect(dialog).to_have_count(0)
    expect(second.get_by_role("button", name="先に置く")).to_be_visible()
    second.get_by_role("button", name="先に置く").click()
    dialog.get_by_role("button", name="置く").click()
    expect(second.get_by_role("button", name="取り消す")).to_be_visible()
    play.bet_button(page).click()
    second.wait_for_function(f"() => {VIEW}.seats[1].bet === 200")


def test_a_question_that_outlives_its_round_puts_nothing_ahead(page: Page, second: Page) -> None:
    choose(second, confirm_over=10)
    twin = second.context.new_page()
    twin.goto(second.url)
    twin.wait_for_selector("html[data-ready]")
    second.get_by_label("置く額").fill("200")
    second.get_by_role("button", name="先に置く").click()
    dialog = second.get_by_role("dialog", name="この額を置きますか")
    expect(dialog).to_be_visible()
    to_round(2, page, twin)
    second.wait_for_function(f"() => {VIEW}.round === 2")
    dialog.get_by_role("button", name="置く").click()
    expect(dialog).to_have_count(0)
    expect(second.get_by_role("button", name="先に置く")).to_be_visible()


def test_key_b_pressed_again_leaves_the_bet_ahead_and_says_so(page: Page, second: Page) -> None:
    to_round(2, page, second)
    second.locator("body").press("b")
    back = second.get_by_role("button", name="取り消す")
    expect(back).to_be_visible()
    second.locator("body").press("b")
    expect(second.locator(".say")).to_contain_text("すでに先に置いています")
    expect(back).to_be_visible()
    second.get_by_role("button", name="クリア").click(force=True)
    expect(second.locator(".say")).to_contain_text("すでに先に置いています")
    second.get_by_role("button", name="同じ額").click(force=True)
    expect(second.locator(".say")).to_contain_text("すでに先に置いています")
    choose(second, confirm_over=1)
    second.wait_for_function(
        """() => performance.getEntriesByType("resource")
          .some(({ name }) => name.includes("match-sheets"))"""
    )
    expect(second.get_by_role("button", name="先に置く")).to_be_visible()
    second.locator("body").press("b")
    expect(second.get_by_role("dialog", name="この額を置きますか")).to_be_visible()


def test_of_two_tabs_with_bets_ahead_one_bets_and_the_other_is_not_blamed(
    page: Page, second: Page
) -> None:
    late = second.context.new_page()
    held: list[str | bytes] = []
    refusals: list[str] = []
    servers: list[WebSocketRoute] = []

    def connected(route: WebSocketRoute) -> None:
        server = route.connect_to_server()
        servers.append(server)

        def up(text: str | bytes) -> None:
            if '"type":"action"' in str(text):
                held.append(text)
            else:
                server.send(text)

        def down(text: str | bytes) -> None:
            if '"type":"error"' in str(text):
                refusals.append(str(text))
            route.send(text)

        route.on_message(up)
        server.on_message(down)

    late.route_web_socket("**/ws/v1/", connected)
    late.goto(second.url)
    late.wait_for_selector("html[data-ready]")
    late.evaluate(
        """() => {
          globalThis.said = [];
          const line = document.querySelector(".say");
          new MutationObserver(() => said.push(line.textContent))
            .observe(line, { childList: true, subtree: true, characterData: true });
        }"""
    )
    for tab, amount in ((late, "20"), (second, "30")):
        tab.get_by_label("置く額").fill(amount)
        tab.get_by_role("button", name="先に置く").click()
        expect(tab.get_by_role("button", name="取り消す")).to_be_visible()
    play.bet_button(page).click()
    second.wait_for_function(f"() => {VIEW}.seats[1].bet === 30")
    late.wait_for_function(f"() => {VIEW}.seats[1].bet === 30")
    assert len(held) == 1
    servers[-1].send(held[0])
    while not refusals:
        late.wait_for_timeout(50)
    late.wait_for_timeout(300)
    assert "stale_version" in refusals[0]
    assert not [text for text in late.evaluate("said") if "卓が進みました" in text]
    assert late.evaluate(f"{VIEW}.seats[1].bet") == 30
