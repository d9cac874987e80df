"""Advice at the table: on one's own turn, where it is allowed and wanted, as the API gives it."""

from __future__ import annotations

from uuid import UUID

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tables.blackjack.events import MatchKind
from tables.blackjack.ruleset import DEFAULTS
from tables.models import Seat, Urgency
from tables.services import strategies
from tests.browser import play
from tests.browser.test_settings_at_the_table import choose
from tests.browser.test_table_element import WCAG
from tests.conftest import Service
from tests.play import a_match, guests

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(300)]

NAMES = {
    "bet": "置く",
    "hit": "ヒット",
    "stand": "スタンド",
    "double": "ダブル",
    "split": "スプリット",
    "surrender": "サレンダー",
    "insure": "インシュランス",
    "decline": "しない",
}


def open_menu(page: Page) -> None:
    page.get_by_role("button", name="メニュー").click()
    expect(page.get_by_role("dialog", name="メニュー")).to_be_visible()


def test_advice_follows_the_own_turns_and_says_what_the_api_says(
    page: Page, service: Service
) -> None:
    strategies.want(DEFAULTS, Urgency.PRESET)
    strategies.compute_wanted()
    page.set_viewport_size({"width": 1440, "height": 900})
    play.start_alone(page, service.url)
    open_menu(page)
    page.get_by_role("button", name="助言", exact=True).click()
    sheet = page.get_by_role("dialog", name="助言")
    met = set()
    while "playing" not in met:
        assert not play.over(page)  # ten rounds, none of them with anything to decide
        play.expect_turn(page)
        answer = page.request.get(f"{service.url}/api/v1/matches/{page.url.split('/')[-2]}/advice/")
        told = answer.json()
        met.add(told["phase"])
        expect(sheet.get_by_role("rowheader")).to_have_text(
            [NAMES[one["action"]] for one in told["actions"]]
        )
        if told["phase"] != "betting":
            expect(sheet.get_by_role("status")).to_contain_text(f"「{NAMES[told['best']]}」")
            assert Axe().run(page, options=WCAG).violations_count == 0
        play.decide_once(page)


def test_no_advice_in_ranked_matches_nor_where_it_is_not_wanted(
    page: Page, service: Service
) -> None:
    play.start_alone(page, service.url)
    me = UUID(
        page.evaluate("JSON.parse(document.getElementById('taku-page').textContent).player.id")
    )
    advice = page.get_by_role("button", name="助言", exact=True)
    open_menu(page)
    expect(advice).to_be_visible()
    page.keyboard.press("Escape")
    choose(page, advice=False)
    open_menu(page)
    expect(advice).to_have_count(0)
    page.keyboard.press("Escape")
    choose(page, advice=True)
    Seat.objects.filter(player_id=me).update(live=False)
    match = a_match([me, *guests(1)], kind=MatchKind.RANKED, turn_seconds=30)
    page.goto(f"{service.url}/m/{match.pk}/")
    page.wait_for_selector("html[data-ready]")
    open_menu(page)
    expect(advice).to_have_count(0)
