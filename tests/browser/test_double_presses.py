"""Every button pressed twice in a moment: one effect (UI-12)."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Request, WebSocket, expect

from tests.browser import play
from tests.conftest import Service

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

Sent = list[str]


@pytest.fixture
def sent(context: BrowserContext, page: Page) -> Sent:
    """What the page asks the server to change, by REST and by socket."""
    asked: Sent = []

    def note(request: Request) -> None:
        if request.method != "GET" and not request.url.endswith("/players/"):
            asked.append(f"{request.method} {request.url.split('/api/v1/')[-1]}")

    def frame(payload: str | bytes) -> None:
        found = re.search(r'"type":"(action|return)"', str(payload))
        if found:
            asked.append(found[1])

    def listen(socket: WebSocket) -> None:
        socket.on("framesent", frame)

    context.on("request", note)
    page.on("websocket", listen)
    return asked


def twice(button: Locator, sent: Sent, settled: Callable[[], object]) -> Sent:
    """Press twice as quickly as can be; gives what was asked until it has had its effect."""
    sent.clear()
    button.dblclick(delay=0)
    settled()
    return list(sent)


def test_lobby(page: Page, service: Service, sent: Sent, other_browser: BrowserContext) -> None:
    page.goto(service.url + "/")
    make = page.get_by_role("button", name="パーティーを作る")
    assert twice(make, sent, lambda: page.wait_for_url("**/p/*/")) == ["POST parties/"]
    link = page.get_by_label("参加リンク").input_value()
    code = link.rstrip("/").rsplit("/", 1)[1]

    guest = other_browser.new_page()
    theirs: Sent = []
    guest.on(
        "request",
        lambda request: (
            request.method == "POST"
            and not request.url.endswith("/players/")
            and theirs.append(f"POST {request.url.split('/api/v1/')[-1]}")
        ),
    )
    guest.goto(link)
    ready = guest.get_by_role("button", name="準備OK", exact=True)
    join = guest.get_by_role("button", name="参加する")
    asked = twice(join, theirs, lambda: expect(ready).to_be_visible())
    assert asked == [f"POST parties/{code}/join/"]
    unready = guest.get_by_role("button", name="準備OKを取り消す")
    asked = twice(ready, theirs, lambda: expect(page.locator(".members")).to_contain_text("準備OK"))
    assert asked == [f"POST parties/{code}/ready/"]
    expect(unready).to_be_visible()

    start = page.get_by_role("button", name="試合を始める")
    expect(start).not_to_have_attribute("aria-disabled", "true")
    asked = twice(start, sent, lambda: page.wait_for_url("**/m/*/"))
    assert asked == [f"POST parties/{code}/start/"]


def test_table(page: Page, service: Service, sent: Sent) -> None:
    play.start_alone(page, service.url)

    def moved() -> None:
        expect(page.locator("taku-actions")).not_to_have_attribute("aria-busy", "true")

    assert twice(play.bet_button(page), sent, moved) == ["action"]
    play.play_to_the_end(page)
    match = page.url
    again = page.get_by_role("button", name="もう一度")
    asked = twice(again, sent, lambda: page.wait_for_url(lambda url: "/m/" in url and url != match))
    assert [one for one in asked if one.endswith("/rematch/")] == asked
    assert len(asked) == 1
    page.wait_for_selector("html[data-ready]")

    page.get_by_role("button", name="メニュー").dblclick(delay=0)
    expect(page.get_by_role("dialog", name="メニュー")).to_have_count(1)
    page.get_by_role("button", name="試合を抜ける").click()
    leave = page.get_by_role("dialog").get_by_role("button", name="抜ける", exact=True)
    asked = twice(leave, sent, lambda: page.wait_for_url(service.url + "/"))
    assert len(asked) == 1
    assert asked[0].endswith("/leave/")


def test_settings(page: Page, service: Service, sent: Sent) -> None:
    play.start_alone(page, service.url)
    page.goto(service.url + "/settings/")
    page.get_by_label("名前").fill("みかん")
    rename = page.get_by_role("button", name="変える", exact=True)
    saved = page.locator(".saved")
    asked = twice(rename, sent, lambda: expect(saved).to_contain_text("みかん"))
    assert asked == ["PATCH players/me/"]
