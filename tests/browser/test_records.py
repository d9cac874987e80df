"""Profile, leaderboard and history in a browser: they agree, and serve everybody."""

from __future__ import annotations

import random
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.db import connection
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect

from accounts.models import Block, Player
from ratings import services
from tables.blackjack.events import MatchKind
from tables.models import Match, Report, Seat
from tables.services import verdicts
from tests import rated
from tests.browser import play
from tests.browser.conftest import Watched
from tests.browser.test_table_element import WCAG
from tests.conftest import Service
from tests.play import a_match, guests, play_to_the_end

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

RANKED = {"kind": MatchKind.RANKED, "turn_seconds": 30, "rounds": 1}


def somebody(page: Page, service: Service, language: str = "ja") -> UUID:
    """An account in this browser, at no table."""
    play.start_alone(page, service.url, language)
    me: str = page.evaluate(
        "JSON.parse(document.getElementById('taku-page').textContent).player.id"
    )
    Seat.objects.filter(player_id=me).update(live=False)
    return UUID(me)


def whole(text: str) -> int:
    return int(text.replace(",", ""))


def test_leaderboard_and_profiles_agree_while_matches_finish(page: Page, service: Service) -> None:
    listed = rated.listed([1480, 1490, 1500, 1500, 1510, 1520])
    dice = random.Random(6)
    seen = set()
    for number in range(6):
        four = dice.sample(listed, 4)
        if number % 2:
            play_to_the_end(a_match(four, **RANKED), number)
        else:
            at = rated.NOW + timedelta(minutes=number)
            rated.finish(four, dice.sample([1, 2, 3, 4], 4), at=at)
        page.goto(service.url + "/ranking/")
        lines = page.locator(".board tbody tr")
        expect(lines).to_have_count(len(listed))
        board = [
            (
                lines.nth(place).get_attribute("data-player"),
                [whole(text) for text in lines.nth(place).locator("td").all_inner_texts()],
            )
            for place in range(len(listed))
        ]
        ratings = [rating for _, (_, rating, _) in board]
        assert ratings == sorted(ratings, reverse=True)
        for player, (rank, rating, _) in board:
            assert rank == 1 + sum(other > rating for other in ratings)
            page.goto(f"{service.url}/players/{player}/")
            assert whole(page.locator("#rating").inner_text()) == rating
            assert whole(page.locator("#rank").inner_text()) == rank
        seen.add(tuple(ratings))
    assert len(seen) == 6  # every match moved somebody


def test_leaderboard_and_profile_never_disagree_while_a_match_is_being_finished(
    page: Page, service: Service
) -> None:
    """One player only rises and one only falls: who reads the same on the profile before and after
    the leaderboard must read it there too."""
    rising, falling = rated.listed([1500, 1500])
    rated.listed([1400, 1600])

    def finishing() -> None:
        try:
            for number in range(30):
                rated.finish([rising, falling], [1, 2], at=rated.NOW + timedelta(minutes=number))
        finally:
            connection.close()

    def on_profile(player: UUID) -> int:
        page.goto(f"{service.url}/players/{player}/")
        return whole(page.locator("#rating").inner_text())

    compared = []
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(finishing)
        finished = False
        while not finished:
            finished = done.done()
            for player in (rising, falling):
                before = on_profile(player)
                page.goto(service.url + "/ranking/")
                line = page.locator(f"tr[data-player='{player}'] td")
                _, listed, _ = (whole(text) for text in line.all_inner_texts())
                after = on_profile(player)
                assert min(before, after) <= listed <= max(before, after)
                if before == after:
                    compared.append(player)
        done.result()
    assert set(compared[-2:]) == {rising, falling}


def test_names_lead_from_the_leaderboard_to_the_profile_and_around_it(
    page: Page, service: Service
) -> None:
    listed = rated.listed([1400 + number for number in range(70)])
    Player.objects.filter(pk=listed[0]).update(display_name="しんがり")
    page.goto(service.url + "/ranking/")
    expect(page.get_by_role("link", name="しんがり")).to_have_count(0)
    page.get_by_role("link", name="下へ").click()
    page.get_by_role("link", name="しんがり").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("しんがり")
    page.get_by_role("link", name="70", exact=True).click()
    expect(page.locator(".board tbody tr").last).to_contain_text("しんがり")
    expect(page.locator(".board tbody tr")).to_have_count(21)
    page.get_by_role("link", name="いちばん上へ").click()
    expect(page.locator(".board tbody td").first).to_have_text("1")


def test_own_line_is_marked_and_found_around_me(page: Page, service: Service) -> None:
    me = somebody(page, service)
    others = rated.listed([1600 + number for number in range(60)])
    for number in range(20):
        rated.finish([me, others[number]], [2, 1], at=rated.NOW + timedelta(minutes=number))
    page.goto(service.url + "/ranking/")
    expect(page.locator("#own-rank")).to_have_text("61位")
    expect(page.locator(".board .mine")).to_have_count(0)
    page.get_by_role("link", name="自分のまわり").click()
    expect(page.locator(".board .mine")).to_have_count(1)
    expect(page.locator(".board .mine td").first).to_have_text("61")


def test_history_is_filtered_by_what_is_chosen(page: Page, service: Service) -> None:
    me = somebody(page, service)
    play_to_the_end(a_match([me, *guests(1)], **RANKED))
    play_to_the_end(a_match([me, *guests(2)], rounds=1))
    page.goto(service.url + "/history/")
    expect(page.locator(".matches li")).to_have_count(3)
    page.get_by_label("試合", exact=True).select_option(label="ランク戦")
    page.get_by_role("button", name="表示する").click()
    expect(page.locator(".matches li")).to_have_count(1)
    expect(page.locator(".matches .kind")).to_have_text("ランク戦")
    expect(page.get_by_label("試合", exact=True)).to_have_value("ranked")
    page.get_by_label("この日まで").fill("2020-01-01")
    page.get_by_role("button", name="表示する").click()
    expect(page.get_by_text("当てはまる試合はありません。")).to_be_visible()
    page.get_by_role("link", name="すべての試合を表示する").click()
    expect(page.locator(".matches li")).to_have_count(3)


def test_times_are_those_of_the_reader(page: Page, service: Service) -> None:
    me = somebody(page, service)
    page.goto(f"{service.url}/players/{me}/")
    written = page.locator(".title time")
    expected = written.evaluate(
        "(node) => new Intl.DateTimeFormat('ja', {dateStyle: 'medium', timeZone: 'Asia/Tokyo'})"
        ".format(new Date(node.dateTime))"
    )
    expect(written).to_have_text(expected)


def test_graph_is_read_match_by_match_with_the_arrow_keys(page: Page, service: Service) -> None:
    me, *others = rated.listed([1500, 1400, 1450, 1550])
    for number, other in enumerate(others):
        rated.finish([me, other], [1, 2], at=rated.NOW + timedelta(hours=number))
    page.goto(f"{service.url}/players/{me}/")
    points = page.request.get(f"{service.url}/api/v1/players/{me}/rating-history/").json()[
        "results"
    ]
    newest = page.locator(".chart .numbers tbody tr").first.locator("td")
    expect(newest.nth(0)).to_have_text(f"{float(points[0]['rating_before']):,.3f}")
    expect(newest.nth(1)).to_have_text(f"{float(points[0]['rating_after']):,.3f}")
    slider = page.get_by_label("試合を選ぶ")
    slider.focus()
    marked = set()
    for point in points:  # the newest first
        shown = f"{round(float(point['rating_after'])):,}（+{float(point['change']):g}）"
        expect(slider).to_have_attribute("aria-valuetext", re.compile(re.escape(shown)))
        expect(page.locator(".reading")).to_contain_text(shown)
        marked.add(page.locator(".marker").get_attribute("d"))
        page.keyboard.press("ArrowLeft")
    assert len(marked) == 3
    for width in (360, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        line, grid, along = page.evaluate(
            """() => [".line", ".grid", ".along"].map((part) => {
              const node = document.querySelector(`.chart ${part}`);
              const { left, right } = node.getBoundingClientRect();
              return [left, right];
            })"""
        )
        assert line == pytest.approx(grid, abs=1)
        assert along == pytest.approx(grid, abs=1)


def test_history_shows_and_filters_by_the_days_of_the_reader(page: Page, service: Service) -> None:
    """23:30 UTC is the next morning in Japan (UI-15)."""
    me = somebody(page, service)
    at = datetime(2026, 11, 29, 23, 30, tzinfo=UTC)
    match = play_to_the_end(a_match([me, *guests(1)], rounds=1))
    Seat.objects.filter(match=match).update(started_at=at)
    Match.objects.filter(pk=match.pk).update(started_at=at)
    page.goto(service.url + "/history/?kind=party")
    written = page.locator(".matches time")
    expect(written).to_have_text(re.compile(r"2026/11/30 0?8:30"))
    expect(written).to_have_attribute("title", re.compile("JST$"))
    expect(page.locator(".filters .hint")).to_contain_text("日本標準時")
    first, last = page.get_by_label("この日から"), page.get_by_label("この日まで")
    for day, found in (("2026-11-30", 1), ("2026-11-29", 0)):
        first.fill(day)
        last.fill(day)
        page.get_by_role("button", name="表示する").click()
        expect(first).to_have_value(day)
        expect(last).to_have_value(day)
        expect(page.locator(".matches li")).to_have_count(found)


def test_another_player_is_blocked_on_their_profile_and_unblocked_in_the_settings(
    page: Page, service: Service
) -> None:
    me, (other,) = somebody(page, service), guests(1)
    Player.objects.filter(pk=other).update(display_name="しずかな人")
    page.goto(f"{service.url}/players/{me}/")
    expect(page.locator("html[data-ready]")).to_be_attached()
    expect(page.locator("taku-about")).to_have_count(0)
    page.goto(f"{service.url}/players/{other}/")
    page.get_by_role("button", name="ブロックする").click()
    expect(page.locator("taku-about")).to_contain_text("ブロックしています。")
    assert Block.objects.filter(blocker=me, blocked=other).exists()
    page.reload()
    page.get_by_role("button", name="ブロックをやめる").click()
    expect(page.locator("taku-about")).to_contain_text("ブロックをやめました。")
    assert not Block.objects.filter(blocker=me).exists()
    page.get_by_role("button", name="ブロックする").click()
    expect(page.locator("taku-about")).to_contain_text("ブロックしています。")
    page.goto(service.url + "/settings/")
    page.get_by_role("button", name="しずかな人のブロックをやめる").click()
    expect(page.locator("#blocks li")).to_have_count(0)
    expect(page.locator("#blocks")).to_contain_text("しずかな人のブロックをやめました。")
    assert not Block.objects.filter(blocker=me).exists()


def test_another_player_is_reported_for_the_match_where_one_met_them(
    page: Page, service: Service, watched: Watched
) -> None:
    me, (other,) = somebody(page, service), guests(1)
    match = play_to_the_end(a_match([me, other], **RANKED))
    page.goto(f"{service.url}/m/{match.pk}/")
    page.locator(f".standing a[href*='{other}']").click()
    page.get_by_role("button", name="通報する").click()
    sheet = page.get_by_role("dialog")
    sheet.get_by_role("radio", name="遅延").check(force=True)
    sheet.get_by_label("くわしく").fill("毎回30秒待ちました")
    assert Axe().run(page, options=WCAG).violations_count == 0
    sheet.get_by_role("button", name="送る").click()
    expect(page.locator("taku-about")).to_contain_text("通報しました。")
    told = Report.objects.get(reporter=me)
    assert (told.player_id, told.match_id) == (other, match.pk)
    assert (told.reason, told.text) == ("stalling", "毎回30秒待ちました")
    watched.expect("409")
    page.get_by_role("button", name="通報する").click()
    sheet.get_by_role("button", name="送る").click()
    expect(sheet.get_by_role("alert")).not_to_be_empty()
    assert Report.objects.filter(reporter=me).count() == 1


def test_what_staff_decide_about_a_match_is_seen_on_its_open_page(
    page: Page, service: Service
) -> None:
    me = somebody(page, service)
    match = play_to_the_end(a_match([me, *guests(1)], **RANKED))
    page.goto(f"{service.url}/m/{match.pk}/")
    heading = page.get_by_role("heading", level=1)
    verdicts.void_match(match_id=match.pk, reason="a test", actor="staff", now=timezone.now())
    expect(heading).to_have_text("この試合は無効です")
    expect(page.get_by_role("button", name="もう一度ランク戦の相手を探す")).to_have_count(0)
    expect(page.get_by_role("link", name="リプレイ", exact=True)).to_be_visible()
    verdicts.restore_match(match_id=match.pk, reason="a test", actor="staff", now=timezone.now())
    expect(heading).not_to_have_text("この試合は無効です")


@pytest.mark.parametrize("locale", ["ja-JP", "en-GB"])
def test_on_a_phone_labels_stand_apart_from_what_they_label(
    page: Page, service: Service, locale: str
) -> None:
    me = somebody(page, service, locale[:2])
    match = play_to_the_end(a_match([me, *guests(1)], **RANKED))
    page.set_viewport_size({"width": 360, "height": 640})
    for path in (f"/m/{match.pk}/", "/rules/"):
        page.goto(service.url + path)
        gaps = page.evaluate("""() => {
          for (const details of document.querySelectorAll("details")) details.open = true;
          return [...document.querySelectorAll(".stacked [data-label]")].map((cell) => {
            const value = document.createRange();
            value.selectNodeContents(cell);
            const [first] = value.getClientRects();
            const box = cell.getBoundingClientRect();
            const label = parseFloat(getComputedStyle(cell, "::before").width);
            return first.top > box.top + 12 ? Infinity : first.left - box.left - label;
          });
        }""")
        assert gaps
        assert min(gaps) >= 8


@pytest.fixture
def without_script(browser: Browser) -> Page:
    """A page of a browser in which no script runs."""
    context = browser.new_context(java_script_enabled=False, locale="en-GB")
    return context.new_page()


def test_everything_is_there_without_script(without_script: Page, service: Service) -> None:
    page = without_script
    listed = rated.listed([1400 + number for number in range(60)])
    rated.finish(listed[:2], [1, 2], at=rated.NOW)
    page.goto(service.url + "/ranking/")
    page.get_by_role("link", name="Lower").click()
    page.locator(f"tr[data-player='{listed[0]}'] a").click()
    expect(page.get_by_role("img", name="Rating after each ranked match")).to_be_visible()
    page.locator("summary").click()
    expect(page.locator(".chart tbody tr")).to_have_count(1)
    expect(page.locator(".title time")).to_have_text(re.compile("UTC$"))
    page.get_by_role("link", name="History", exact=True).click()
    expect(page.get_by_text("Your matches will be here")).to_be_visible()


def test_leaderboard_and_profile_by_keyboard(page: Page, service: Service) -> None:
    rated.listed([1500, 1510])
    page.goto(service.url + "/ranking/")

    def focused() -> str:
        text: str = page.evaluate("document.activeElement.textContent.trim()")
        return text

    for _ in range(12):
        page.keyboard.press("Tab")
        if focused().startswith("Player"):
            break
    name = focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)


@pytest.mark.parametrize(("locale", "theme"), [("ja-JP", "light"), ("en-GB", "dark")])
def test_pages_are_for_everybody(page: Page, service: Service, locale: str, theme: str) -> None:
    page.emulate_media(color_scheme=theme)
    me = somebody(page, service, locale[:2])
    others = rated.listed([1500 + number for number in range(55)])
    Player.objects.filter(pk=others[-1]).update(display_name="W" * 20)
    for number in range(20):
        rated.finish([me, others[number]], [1, 2], at=rated.NOW + timedelta(minutes=number))
    services.change_season(now=rated.NOW + timedelta(hours=1))
    matches = [
        play_to_the_end(a_match([me, others[-1], others[-2]], **RANKED), seed) for seed in range(2)
    ]
    for path in (
        f"/m/{matches[0].pk}/",
        f"/players/{others[-1]}/?match={matches[0].pk}",
        f"/players/{me}/",
        "/ranking/",
        "/ranking/?season=1",
        "/ranking/?season=1&around=me",
        "/history/",
        "/history/?kind=solo&result=win",
    ):
        page.set_viewport_size({"width": 360, "height": 640})
        page.goto(service.url + path)
        page.wait_for_selector("html[data-ready]")
        for details in page.locator("summary").all():
            details.click()
        found = Axe().run(page, options=WCAG)
        assert found.violations_count == 0, f"{path}: {found.generate_report()}"
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
        page.set_viewport_size({"width": 320, "height": 640})
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, path
        page.set_viewport_size({"width": 360, "height": 640})
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
