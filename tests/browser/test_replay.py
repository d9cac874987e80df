"""The replay of a match that is over: every position is the table as it was then."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest
from axe_playwright_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import Page, expect

from tables.match_view import MatchView
from tables.models import Match
from tables.services.sharing import share_match
from tables.services.verdicts import restore_match, void_match
from tests.browser import play
from tests.browser.test_table_element import WCAG
from tests.conftest import Service
from tests.play import a_match, guests, played, view_now

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

BESIDE = ("id", "you", "watchable", "watchers", "server_time")
PRESENCE = ("connected", "away_since", "takeover_at")
RICH = {"rounds": 4, "decks": 1, "split_by": "value", "surrender": "late", "rebuys": 1}


def told(view: MatchView | dict[str, Any]) -> dict[str, Any]:
    """A view less what differs between viewers or is presence (api.md, Events)."""
    plain = msgspec.json.decode(msgspec.json.encode(view))
    plain["seats"] = [
        {key: value for key, value in seat.items() if key not in PRESENCE}
        for seat in plain["seats"]
    ]
    return {key: value for key, value in plain.items() if key not in BESIDE}


def recorded(seats: int, seed: int, **rules: object) -> tuple[Match, dict[int, dict[str, Any]]]:
    """A match played to its end, and the live view of each of its versions."""
    match = a_match(guests(seats), **rules)
    views = [view_now(match), *played(match, random.Random(seed))]
    return match, {view.version: told(view) for view in views}


def now(page: Page) -> dict[str, Any]:
    """What lies on the table of the replay."""
    return told(page.evaluate("document.querySelector('taku-table').view"))


def open_at(page: Page, service: Service, match: Match, version: int | str) -> None:
    page.goto(f"{service.url}/m/{match.pk}/?v={version}")
    page.wait_for_selector("html[data-ready]")


def way(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


@pytest.mark.parametrize("seats", [1, 3])
def test_replay_at_any_position_is_the_live_view_of_that_version(
    page: Page, service: Service, seats: int
) -> None:
    match, views = recorded(seats, 7 + seats, **RICH)
    last = max(views)
    open_at(page, service, match, 0)
    for version in range(last + 1):
        assert now(page) == views[version], version
        if version < last:
            way(page, "一つ進む")
    for version in range(last, max(last - 12, 0), -1):
        assert now(page) == views[version], version
        way(page, "一つ戻る")
    for version in random.Random(seats).sample(range(last + 1), 5):
        open_at(page, service, match, version)
        assert now(page) == views[version], version
        assert page.url.endswith(f"?v={version}")


def test_first_last_rounds_place_and_what_is_past_the_end(page: Page, service: Service) -> None:
    match, views = recorded(1, 3, rounds=3)
    last = max(views)
    open_at(page, service, match, 10_000)
    assert now(page) == views[last]
    assert page.url.endswith(f"?v={last}")
    expect(page.get_by_role("button", name="一つ進む")).to_have_attribute("aria-disabled", "true")
    way(page, "最初へ")
    assert now(page) == views[0]
    way(page, "最後へ")
    assert now(page) == views[last]
    page.get_by_label("ラウンド", exact=True).select_option(label="第2ラウンド")
    begins = min(version for version, view in views.items() if view["round"] == 2)
    assert now(page) == views[begins]
    page.get_by_label("位置").fill("1")
    assert now(page) == views[1]
    open_at(page, service, match, "nonsense")
    assert now(page) == views[0]


def test_keys_move_by_steps_and_rounds(page: Page, service: Service) -> None:
    match, views = recorded(1, 3, rounds=3)
    open_at(page, service, match, 0)
    for key, version in (
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", max(views)),
        ("Home", 0),
        ("ArrowDown", min(version for version, view in views.items() if view["round"] == 2)),
        ("ArrowUp", 0),
    ):
        page.keyboard.press(key)
        assert now(page) == views[version], key


def test_it_plays_by_itself_at_the_chosen_speed_and_stops(page: Page, service: Service) -> None:
    match, views = recorded(1, 3, rounds=10)  # ten bets at least, whatever cards come
    page.clock.install()
    open_at(page, service, match, 0)
    page.clock.pause_at(page.evaluate("Date.now() + 1000"))
    way(page, "再生する")
    assert now(page)["version"] == 1
    page.clock.run_for(1400)
    assert now(page)["version"] == 2
    page.get_by_label("速さ").select_option(label="4倍")
    page.clock.run_for(1400)
    page.clock.run_for(700)
    at = now(page)["version"]
    assert at > 4
    way(page, "止める")
    page.clock.run_for(5000)
    assert now(page)["version"] == at
    way(page, "再生する")
    page.clock.run_for(350 * (max(views) + 2))
    assert now(page)["version"] == max(views)
    expect(page.get_by_role("button", name="再生する")).to_be_visible()
    assert page.url.endswith(f"?v={max(views)}")


def test_what_happened_is_read_and_heard(page: Page, service: Service) -> None:
    match, _ = recorded(1, 3, rounds=2)
    open_at(page, service, match, 0)
    expect(page.get_by_role("group", name="このとき起きたこと")).to_contain_text("第1ラウンド")
    way(page, "一つ進む")
    expect(page.locator(".said-now")).to_contain_text("を置きました。")
    expect(page.locator("#polite")).to_contain_text("を置きました。")
    way(page, "最後へ")
    expect(page.locator(".said-now")).to_contain_text("試合が終わりました。")


def test_own_match_leads_to_its_replay_by_the_menu(page: Page, service: Service) -> None:
    play.start_alone(page, service.url)
    play.play_to_the_end(page)
    page.get_by_role("button", name="メニュー").click()
    page.get_by_role("link", name="リプレイ").click()
    page.wait_for_url("**/?v=0")
    page.wait_for_selector("html[data-ready]")
    assert page.evaluate("document.querySelector('taku-table').view.you.seat") == 1
    page.get_by_role("button", name="メニュー").click()
    page.get_by_role("link", name="試合の記録").click()
    page.wait_for_url("**/history/")
    page.get_by_role("link", name="リプレイ").click()
    page.wait_for_url("**/?v=0")


def test_a_live_match_is_played_and_not_replayed(page: Page, service: Service) -> None:
    play.start_alone(page, service.url)
    page.goto(page.url + "?v=0")
    page.wait_for_selector("html[data-ready]")
    expect(play.bet_button(page)).to_be_visible()
    expect(page.locator("taku-replay-bar")).to_have_count(0)


def test_a_seat_opens_and_leads_to_its_player(page: Page, service: Service) -> None:
    match, _ = recorded(2, 3, rounds=2)
    first = match.seats.order_by("number").first()
    open_at(page, service, match, 1)
    page.locator("taku-seat button").first.click()
    sheet = page.get_by_role("dialog", name=first.player.shown_name)
    link = sheet.get_by_role("link", name="プロフィール")
    expect(link).to_have_attribute("href", f"/players/{first.player_id}/?match={match.pk}")
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    way(page, "一つ進む")


def test_a_shared_link_replays_and_checks_without_names(page: Page, service: Service) -> None:
    match, views = recorded(2, 3, rounds=2)
    seat = match.seats.order_by("number").first()
    alias, _ = share_match(match_id=match.pk, player_id=seat.player_id)
    page.goto(f"{service.url}/m/{alias}/?v=1")
    page.wait_for_selector("html[data-ready]")
    assert now(page)["dealer"] == views[1]["dealer"]
    expect(page.locator("taku-table")).to_contain_text("席1")
    page.locator("taku-seat button").first.click()
    sheet = page.get_by_role("dialog", name="席1")
    expect(sheet.get_by_role("heading")).to_be_focused()
    expect(sheet.get_by_role("link")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    way(page, "最後へ")
    for one in match.seats.select_related("player"):
        assert one.player.shown_name not in page.content()
        assert str(one.player_id) not in page.content()
    page.goto(f"{service.url}/m/{alias}/verify/")
    expect(page.locator("#check")).to_have_attribute("data-verdict", "proven")
    assert str(match.pk) not in page.content()


def test_a_match_made_void_is_replayed_and_says_so(page: Page, service: Service) -> None:
    match, views = recorded(2, 3, rounds=2)
    last = max(views)
    void_match(match_id=match.pk, reason="Trial", actor="staff", now=timezone.now())
    open_at(page, service, match, last - 1)
    assert now(page) == views[last - 1]
    way(page, "一つ進む")
    assert now(page)["status"] == "void"
    expect(page.locator(".said-now")).to_contain_text("この試合は無効になりました。")
    restore_match(match_id=match.pk, reason="Trial", actor="staff", now=timezone.now())
    open_at(page, service, match, last)
    assert {**now(page), "seq": 0} == {**views[last], "seq": 0}


@pytest.mark.parametrize(("locale", "theme"), [("ja-JP", "light"), ("en-GB", "dark")])
@pytest.mark.parametrize("size", [(360, 640), (320, 568), (844, 390), (1440, 900)])
def test_replay_fits_and_axe_finds_nothing(
    page: Page, service: Service, locale: str, theme: str, size: tuple[int, int]
) -> None:
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    match, views = recorded(3, 5, rounds=2)
    open_at(page, service, match, max(views) // 2)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    expect(page.locator("[data-way=next]")).to_be_in_viewport(ratio=1)
    found = Axe().run(page, options=WCAG)
    assert found.violations_count == 0, found.generate_report()
