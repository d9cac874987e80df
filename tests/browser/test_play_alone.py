"""Alone at a table of the real service: from the first visit to the end, whatever comes."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from config.processes import Process
from tests.browser import play
from tests.browser.conftest import Watched
from tests.conftest import Service

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]


def test_first_visit_to_finished_match_in_one_press(page: Page, service: Service) -> None:
    page.goto(service.url + "/")
    assert [cookie["name"] for cookie in page.context.cookies()] == ["csrftoken"]
    first = page.locator("button, a, input:not([type=hidden])").first
    expect(first).to_have_text("今すぐ遊ぶ")
    first.click()
    page.wait_for_url("**/m/*/")
    play.play_to_the_end(page)
    expect(page.locator(".say")).to_contain_text("試合が終わりました。")
    match = page.url
    page.get_by_role("button", name="もう一度").click()
    page.wait_for_url(lambda url: "/m/" in url and url != match)


@pytest.mark.parametrize("locale", ["en-GB"])
def test_a_match_in_english(page: Page, service: Service, locale: str) -> None:
    play.start_alone(page, service.url, "en")
    assert page.locator("html").get_attribute("lang") == "en"
    play.play_to_the_end(page)
    expect(page.locator(".say")).to_contain_text("The match is over.")


def test_double_click_on_play_makes_one_match(page: Page, service: Service) -> None:
    made: list[str] = []
    page.on(
        "response",
        lambda answer: (
            answer.request.method == "POST"
            and answer.url.endswith("/matches/")
            and made.append(answer.url)
        ),
    )
    page.goto(service.url + "/")
    page.get_by_role("button", name="今すぐ遊ぶ").dblclick()
    page.wait_for_url("**/m/*/")
    assert len(made) == 1


def test_double_click_on_an_action_acts_once(page: Page, service: Service) -> None:
    play.start_alone(page, service.url)
    sent: list[str] = []
    page.on(
        "websocket",
        lambda socket: socket.on(
            "framesent", lambda frame: '"action"' in str(frame) and sent.append(str(frame))
        ),
    )
    page.reload()
    page.wait_for_selector("html[data-ready]")
    play.bet_button(page).dblclick()
    expect(page.locator("taku-actions")).not_to_have_attribute("aria-busy", "true")
    page.wait_for_timeout(300)
    assert len(sent) == 1


def test_offline_and_back_without_reload(page: Page, service: Service, watched: Watched) -> None:
    watched.expect("ERR_INTERNET_DISCONNECTED")
    play.start_alone(page, service.url)
    page.evaluate("globalThis.samePage = true")
    page.context.set_offline(True)
    expect(page.locator(".banner")).to_contain_text("オフラインです")
    play.bet_button(page).click()
    expect(page.locator(".say")).to_contain_text("つながり次第送ります")
    page.context.set_offline(False)
    expect(page.locator(".banner")).to_have_text("つながりました。")
    expect(page.locator("taku-table")).not_to_have_attribute("data-phase", "betting")
    assert page.evaluate("samePage")
    play.play_to_the_end(page)


def test_menu_opens_without_a_line_too(page: Page, service: Service, watched: Watched) -> None:
    watched.expect("ERR_INTERNET_DISCONNECTED")
    play.start_alone(page, service.url)
    fetched = page.wait_for_function(
        "() => performance.getEntriesByType('resource')"
        ".find(({ name }) => name.includes('match-sheets'))?.name"
    )
    page.evaluate("(sheets) => import(sheets).then(() => null)", fetched.json_value())
    page.context.set_offline(True)
    expect(page.locator(".banner")).to_contain_text("オフラインです")
    page.get_by_role("button", name="メニュー").click()
    expect(page.get_by_role("dialog", name="メニュー")).to_be_visible()


def test_menu_opens_before_the_socket_does(page: Page, service: Service) -> None:
    page.route_web_socket("**/ws/v1/", lambda _: None)  # it is taken, and no word comes
    play.start_alone(page, service.url)
    page.get_by_role("button", name="メニュー").click()
    expect(page.get_by_role("dialog", name="メニュー")).to_be_visible()


def test_menu_that_could_not_be_fetched_says_so_and_opens_later(
    page: Page, service: Service, watched: Watched
) -> None:
    watched.expect("ERR_FAILED")
    watched.expect("ERR_INTERNET_DISCONNECTED")
    page.route("**/match-sheets*", lambda route: route.abort())
    menu = page.get_by_role("button", name="メニュー")
    with page.expect_event("requestfailed", lambda request: "match-sheets" in request.url):
        play.start_alone(page, service.url)
    page.unroute("**/match-sheets*")
    page.context.set_offline(True)
    expect(page.locator(".banner")).to_contain_text("オフラインです")
    menu.click()
    expect(page.locator(".say")).to_have_text("接続できません。通信を確かめてください。")
    page.context.set_offline(False)
    expect(page.locator(".banner")).to_have_text("つながりました。")
    with page.expect_navigation():  # a browser tries a module only once for each page
        menu.click()
    page.wait_for_selector("html[data-ready]")
    menu.click()
    expect(page.get_by_role("dialog", name="メニュー")).to_be_visible()


def test_slow_line_is_shown_and_nothing_is_done_twice(page: Page, service: Service) -> None:
    page.goto(service.url + "/")
    made: list[str] = []
    page.on(
        "request",
        lambda request: request.method == "POST" and made.append(request.url.split("/v1/")[1]),
    )
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    slow = {"latency": 1500, "downloadThroughput": 40_000, "uploadThroughput": 40_000}
    session.send("Network.emulateNetworkConditions", {"offline": False, **slow})
    button = page.get_by_role("button", name="今すぐ遊ぶ")
    button.click()
    expect(button).to_have_attribute("aria-busy", "true")
    button.click()
    page.wait_for_url("**/m/*/", wait_until="commit")
    assert made == ["players/", "matches/"]
    expect(page.locator(".say")).to_have_text("置く額を決めてください。", timeout=30_000)
    play.bet_button(page).click()  # before the socket is there: it waits for it
    expect(page.locator("taku-table")).not_to_have_attribute(
        "data-phase", "betting", timeout=30_000
    )


def test_restart_of_the_server_in_mid_match(page: Page, service: Service, watched: Watched) -> None:
    watched.expect("WebSocket")
    watched.expect("ERR_CONNECTION")
    play.start_alone(page, service.url)
    play.decide_once(page)
    before = play.version(page)
    page.evaluate("globalThis.samePage = true")
    web = service.running[Process.WEB]
    web.stop()
    expect(page.locator(".banner")).to_be_visible()
    web.restart()
    service.wait_ready()
    expect(page.locator(".banner")).to_have_text("つながりました。", timeout=20000)
    assert play.version(page) == before
    play.play_to_the_end(page)
    assert page.evaluate("samePage")


def test_kill_of_the_server_while_a_decision_is_on_its_way(
    page: Page, service: Service, watched: Watched
) -> None:
    watched.expect("WebSocket")
    watched.expect("ERR_CONNECTION")
    play.start_alone(page, service.url)
    web = service.running[Process.WEB]
    web.kill()
    play.bet_button(page).click()
    web.restart()
    service.wait_ready()
    expect(page.locator("taku-table")).not_to_have_attribute("data-phase", "betting", timeout=20000)
    play.play_to_the_end(page)


def test_two_tabs_show_the_same_and_both_may_act(page: Page, service: Service) -> None:
    play.start_alone(page, service.url)
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector("html[data-ready]")
    play.decide_once(other)
    page.wait_for_function(
        "(version) => document.querySelector('taku-table').view.version >= version",
        arg=other.evaluate("document.querySelector('taku-table').view.version"),
    )
    assert play.version(page) == play.version(other)
    play.decide_once(page)


def test_second_tab_at_the_end_goes_where_the_first_has_gone(
    page: Page, service: Service, watched: Watched
) -> None:
    watched.expect("409")
    play.start_alone(page, service.url)
    play.play_to_the_end(page)
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector("html[data-ready]")
    ended = page.url
    page.get_by_role("button", name="もう一度").click()
    page.wait_for_url(lambda url: "/m/" in url and url != ended)
    other.get_by_role("button", name="もう一度").click()
    other.wait_for_url(page.url)


def test_continue_playing_leads_back_to_the_same_match(page: Page, service: Service) -> None:
    play.start_alone(page, service.url)
    match = page.url
    page.goto(service.url + "/")
    page.get_by_role("button", name="続きを遊ぶ").click()
    page.wait_for_selector("html[data-ready]")
    assert page.url.rstrip("?") == match


def test_back_button_from_the_table_shows_a_landing_that_works(
    page: Page, service: Service
) -> None:
    play.start_alone(page, service.url)
    match = page.url
    page.go_back()
    page.get_by_role("button", name="続きを遊ぶ").click()
    page.wait_for_url("**/m/*/**")
    assert page.url.rstrip("?") == match


def test_storage_cleared_makes_a_stranger_who_may_start_anew(
    page: Page, service: Service, context: BrowserContext, watched: Watched
) -> None:
    watched.expect("404")
    play.start_alone(page, service.url)
    context.clear_cookies()
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("このページはありません")
    page.get_by_role("link", name="トップへ").click()
    page.get_by_role("button", name="今すぐ遊ぶ").click()
    page.wait_for_url("**/m/*/")


def test_wrong_clock_of_the_device_changes_no_countdown(page: Page, service: Service) -> None:
    """The server says what is left (CK-07)."""
    page.clock.install(time="2031-01-01T00:00:00Z")
    page.clock.resume()
    play.start_alone(page, service.url)
    shown = page.evaluate(
        """async (served) => {
          const { measured, secondsTo, stamp } = await import("/static/taku/js/clock.js");
          measured(served, stamp());
          return secondsTo(new Date(Date.parse(served) + 20000).toISOString());
        }""",
        "2026-06-01T00:00:00Z",
    )
    assert abs(shown - 20) < 1


def test_a_whole_match_by_keyboard_alone(page: Page, service: Service) -> None:
    page.goto(service.url + "/")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/m/*/")
    page.wait_for_selector("html[data-ready]")
    for _ in range(400):
        if play.over(page):
            break
        before = play.version(page)
        mode = page.locator("taku-actions").get_attribute("data-mode")
        if mode == "bet":
            page.keyboard.press("1" if before.startswith("betting") else "b")
            if before.startswith("betting"):
                page.keyboard.press("Enter")
        elif mode == "insurance":
            page.get_by_role("button", name="しない").focus()
            page.keyboard.press("Enter")
        else:
            page.keyboard.press("s")
        page.wait_for_function(
            "(before) => document.querySelector('taku-table').view.version > before",
            arg=int(before.rsplit(",", 1)[1]),
        )
    assert play.over(page)
    # And on from there without a pointer: to "play again" by Tab, wherever the focus was.
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.ask") == "rematch":
            break
    match = page.url
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "/m/" in url and url != match)
