"""Several people with the real service: meeting by link, playing, vanishing and coming back."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser import play
from tests.browser.conftest import Watched
from tests.conftest import Service

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

Guest = Callable[[], Page]


@pytest.fixture
def guest(browser: Browser, watched: Watched) -> Iterator[Guest]:
    """Somebody else, with a browser of their own."""
    contexts: list[BrowserContext] = []

    def make() -> Page:
        context = browser.new_context(viewport={"width": 360, "height": 640}, locale="ja-JP")
        context.on("page", watched.watch)
        contexts.append(context)
        return context.new_page()

    yield make
    for context in contexts:
        context.close()


def make_party(page: Page, service: Service) -> str:
    """A party by one press; gives its link."""
    page.goto(service.url + "/")
    page.get_by_role("button", name="パーティーを作る").click()
    page.wait_for_url("**/p/*/")
    link = page.get_by_label("参加リンク")
    expect(link).to_have_value(re.compile(r"/p/[A-Z0-9]{6}/$"))
    return link.input_value()


def join(page: Page, link: str) -> None:
    """In by the link."""
    page.goto(link)
    page.get_by_role("button", name="参加する").click()
    expect(page.get_by_role("button", name="準備OK", exact=True)).to_be_visible()


def begin(host: Page, *guests: Page) -> None:
    """Everybody ready, and off to the table."""
    for one in guests:
        one.get_by_role("button", name="準備OK", exact=True).click()
        expect(one.get_by_role("button", name="準備OKを取り消す")).to_be_visible()
    start = host.get_by_role("button", name="試合を始める")
    expect(start).not_to_have_attribute("aria-disabled", "true")
    start.click()
    for one in (host, *guests):
        one.wait_for_url("**/m/*/")
        one.wait_for_selector("html[data-ready]")


def seat_of(page: Page) -> int:
    """Which seat this page's player has."""
    return page.evaluate("document.querySelector('taku-table').view.you.seat")  # type: ignore[no-any-return]


def test_two_browsers_meet_by_link_and_play_ten_rounds(
    page: Page, service: Service, guest: Guest
) -> None:
    other = guest()
    join(other, make_party(page, service))
    expect(page.get_by_text("2 / 6人")).to_be_visible()
    begin(page, other)
    play.play_to_the_end(page, other)
    for one in (page, other):
        expect(one.locator(".bar h1")).to_contain_text("第10ラウンド")
        expect(one.locator(".places li")).to_have_count(2)
    chips = [one.locator(".places").inner_text() for one in (page, other)]
    assert chips[0] == chips[1]
    match = page.url
    page.get_by_role("button", name="もう一度").click()
    page.wait_for_url("**/p/*/")
    expect(other.locator(".banner")).to_contain_text("2人中1人")
    other.get_by_role("button", name="もう一度").click()
    for one in (page, other):
        one.wait_for_url(lambda url: "/m/" in url and url != match)
    assert page.url == other.url


def test_takeover_and_return_to_the_same_seat(page: Page, service: Service, guest: Guest) -> None:
    other = guest()
    join(other, make_party(page, service))
    begin(page, other)
    assert seat_of(other) == 2
    match, context = other.url, other.context
    other.close()
    away = page.locator(".seats taku-seat .line")
    expect(away).to_contain_text("切断")
    page.locator(".seats button").click()
    details = page.get_by_role("dialog")
    expect(details).to_contain_text(re.compile(r"\d+:\d\dから接続が切れています。"))
    expect(details).to_contain_text(re.compile(r"あと\d+秒でCPUが代わりに打ちます。"))
    page.keyboard.press("Escape")
    play.decide_once(page)
    expect(away).to_have_text("CPUが代行中", timeout=15000)
    for _ in range(3):
        play.decide_once(page)
    back = context.new_page()
    back.goto(match)
    back.wait_for_selector("html[data-ready]")
    assert seat_of(back) == 2
    expect(away).not_to_contain_text("CPU")
    play.play_to_the_end(page, back)


def test_bet_put_ahead_goes_out_once_when_my_turn_comes(
    page: Page, service: Service, guest: Guest
) -> None:
    other = guest()
    join(other, make_party(page, service))
    begin(page, other)
    other.get_by_label("置く額").fill("70")
    other.get_by_role("button", name="先に置く").click()
    expect(other.get_by_role("button", name="取り消す")).to_be_visible()
    play.bet_button(page).click()
    expect(other.locator("taku-table")).not_to_have_attribute("data-phase", "betting")
    assert other.evaluate("document.querySelector('taku-table').view.seats[1].bet") == 70


def test_guest_sees_rules_change_at_once_and_is_not_ready_any_more(
    page: Page, service: Service, guest: Guest
) -> None:
    other = guest()
    join(other, make_party(page, service))
    other.get_by_role("button", name="準備OK", exact=True).click()
    expect(page.locator(".members")).to_contain_text("準備OK")
    page.get_by_label("ブラックジャックの戻り").select_option("6:5")
    expect(other.locator(".option", has_text="ブラックジャックの戻り")).to_contain_text("6:5")
    expect(other.locator(".option", has_text="ブラックジャックの戻り")).to_contain_text("変更")
    expect(other.get_by_role("button", name="準備OK", exact=True)).to_be_visible()


def test_rules_that_conflict_are_changed_together_and_that_is_said(
    page: Page, service: Service
) -> None:
    make_party(page, service)
    page.get_by_role("button", name="やさしめ").click()
    expect(page.get_by_label("サレンダー", exact=True)).to_have_value("遅いサレンダー")
    page.get_by_label("伏せ札", exact=True).select_option("欧州式（伏せ札なし）")
    expect(page.locator(".said")).to_contain_text("サレンダー")
    expect(page.get_by_label("サレンダー", exact=True)).to_have_value("なし")


def test_a_number_out_of_range_is_refused_at_its_field(
    page: Page, service: Service, watched: Watched
) -> None:
    watched.expect("400")
    make_party(page, service)
    rounds = page.get_by_label("ラウンド数", exact=True)
    rounds.fill("９９")
    rounds.press("Tab")
    expect(rounds).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#rule-rounds-fault")).to_be_visible()


def test_kicked_guest_is_told_and_cannot_come_back(
    page: Page, service: Service, guest: Guest
) -> None:
    other = guest()
    link = make_party(page, service)
    join(other, link)
    page.get_by_role("button", name=re.compile("を外す$")).click()
    page.get_by_role("dialog").get_by_role("button", name="外す").click()
    expect(other.get_by_role("heading", level=1)).to_have_text("パーティーから外されました")
    other.goto(link)
    expect(other.get_by_text("このパーティーには入れません。")).to_be_visible()


def test_host_role_moves_on_when_the_host_leaves(
    page: Page, service: Service, guest: Guest
) -> None:
    other = guest()
    join(other, make_party(page, service))
    page.get_by_role("button", name="抜ける").click()
    page.wait_for_url(service.url + "/")
    expect(other.get_by_role("button", name="1人で始める")).to_be_visible()


def test_code_is_read_in_any_width_case_and_as_a_link(
    page: Page, service: Service, guest: Guest
) -> None:
    link = make_party(page, service)
    code = link.rstrip("/").rsplit("/", 1)[1]
    wide = "".join(chr(ord(sign) + 0xFEE0) for sign in code.lower())
    other = guest()
    for typed in (code.lower(), f" {code[:3]} {code[3:]} ", wide, link):
        other.goto(service.url + "/")
        other.get_by_label("参加コード").fill(typed)
        other.get_by_role("button", name="参加する").click()
        other.wait_for_url(link)
        expect(other.get_by_role("button", name="参加する")).to_be_visible()


def test_wrong_code_says_what_to_do(page: Page, service: Service, watched: Watched) -> None:
    watched.expect("404")
    page.goto(service.url + "/p/ZZZZZZ/")
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "この参加コードのパーティーはありません"
    )


def test_markup_in_a_name_stays_a_name_for_the_others(
    page: Page, service: Service, guest: Guest
) -> None:
    name = "<b onclick=a>x</b>"
    other = guest()
    link = make_party(page, service)
    page.goto(service.url + "/settings/")
    page.get_by_label("名前").fill(name)
    page.get_by_role("button", name="変える").click()
    expect(page.locator(".saved")).to_contain_text("変えました")
    join(other, link)
    expect(other.get_by_role("heading", level=1)).to_have_text(f"{name}のパーティー")
    expect(other.locator(".members bdi").first).to_have_text(name)
    assert other.locator("taku-lobby [onclick]").count() == 0


def test_rules_page_shows_what_a_party_changed(page: Page, service: Service) -> None:
    link = make_party(page, service)
    page.get_by_role("button", name="1デッキ").click()
    expect(page.get_by_label("デッキ数")).to_have_value("1")
    page.get_by_role("link", name="ルールを詳しく読む").click()
    row = page.get_by_role("row", name=re.compile("^デッキ数"))
    expect(row).to_contain_text("変更あり")
    page.get_by_role("link", name="パーティーに戻る").first.click()
    page.wait_for_url(link)


def test_watchers_see_the_table_and_can_do_nothing(
    page: Page, service: Service, guest: Guest
) -> None:
    make_party(page, service)
    page.get_by_label("だれでも観戦できるようにする").check()
    page.get_by_role("button", name="1人で始める").click()
    page.wait_for_url("**/m/*/")
    watcher = guest()
    watcher.goto(page.url)
    watcher.wait_for_selector("html[data-ready]")
    expect(watcher.get_by_text("観戦しています。")).to_be_visible()
    play.bet_button(page).click()
    expect(watcher.locator(".own taku-card").first).to_be_visible()
    assert watcher.locator("taku-actions button:visible").count() == 0
