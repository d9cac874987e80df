"""Somebody clears the browser's storage while a page of ours is open."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from accounts.models import Player
from tests.browser import play
from tests.browser.conftest import Watched
from tests.browser.test_play_together import make_party
from tests.conftest import Service

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]


def test_play_now_still_leads_to_a_table_and_makes_one_account(
    page: Page, context: BrowserContext, service: Service
) -> None:
    page.goto(service.url + "/")
    page.wait_for_selector("html[data-ready]")
    context.clear_cookies()
    page.get_by_role("button", name=play.FIRST["ja"]).click()
    page.wait_for_url("**/m/*/")
    page.wait_for_selector("html[data-ready]")
    play.expect_turn(page)
    assert Player.objects.count() == 1


def test_table_says_that_the_account_is_gone_and_how_to_go_on(
    page: Page, context: BrowserContext, service: Service, watched: Watched
) -> None:
    watched.expect("ERR_INTERNET_DISCONNECTED")
    play.start_alone(page, service.url)
    play.expect_turn(page)
    bar = page.get_by_role("region", name="このアカウントでは続けられません")
    expect(bar).to_have_count(0)
    context.clear_cookies()
    context.set_offline(True)
    expect(page.locator(".banner")).to_be_visible()
    context.set_offline(False)
    expect(bar).to_be_visible(timeout=60_000)
    expect(bar.get_by_role("link", name="アカウントを戻す")).to_be_visible()
    expect(page.locator("taku-actions [type=submit]:visible")).to_have_count(0)
    bar.get_by_role("link", name="新しく始める").click()
    page.get_by_role("button", name=play.FIRST["ja"]).click()
    page.wait_for_url("**/m/*/")


def test_lobby_says_that_the_account_is_gone(
    page: Page, context: BrowserContext, service: Service, watched: Watched
) -> None:
    watched.expect("401")
    make_party(page, service)
    page.wait_for_selector("html[data-ready]")
    context.clear_cookies()
    page.get_by_role("button", name="1人で始める").click()
    expect(page.get_by_role("region", name="このアカウントでは続けられません")).to_be_visible()
    expect(page.locator(".dock .why")).to_have_text("このブラウザーにアカウントがありません。")
