"""Somebody clears the browser's storage while a page of ours is open."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page

from accounts.models import Player
from tests.browser import play
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
