"""The account in the settings: to another browser and back, devices, the key, the file, the end."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page, expect

from accounts.models import Device, Player
from tables.blackjack.events import MatchKind
from tables.models import Seat
from tests.browser import play
from tests.browser.conftest import Watched
from tests.browser.test_table_element import WCAG
from tests.conftest import Service
from tests.play import a_match, guests, play_to_the_end

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

NAME = "みかん色の旅人"


def account(page: Page, service: Service) -> Page:
    """Somebody with an account and a match, who looks at the settings."""
    play.start_alone(page, service.url)
    page.goto(service.url + "/settings/")
    page.get_by_label("名前").fill(NAME)
    page.get_by_role("button", name="変える").click()
    expect(page.locator(".saved")).to_contain_text(NAME)
    return page


def make_code(page: Page) -> str:
    """A transfer code, as it is shown."""
    page.get_by_role("button", name="引き継ぎコードを作る").click()
    code = page.get_by_label("引き継ぎコード", exact=True)
    expect(code).to_have_text(re.compile(r"\w{5} \w{5}"))
    return code.inner_text()


def bring(page: Page, service: Service, code: str) -> None:
    """Enter a code or key in another browser."""
    page.goto(service.url + "/settings/")
    page.get_by_label("引き継ぎコードまたは復元キー").fill(code)
    page.get_by_role("button", name="引き継ぐ").click()


def test_account_moves_to_another_browser_and_the_old_one_is_told(
    page: Page, service: Service, other_browser: BrowserContext
) -> None:
    account(page, service)
    code = make_code(page)
    table = page.context.new_page()
    table.goto(service.url + "/")
    table.get_by_role("button", name="続きを遊ぶ").click()
    table.wait_for_selector("html[data-ready]")
    there = other_browser.new_page()
    bring(there, service, code.lower())
    expect(there.get_by_label("名前")).to_have_value(NAME)
    told = re.compile("アカウントが端末に追加されました")
    expect(page.locator(".banner")).to_have_text(told)
    expect(table.locator(".banner")).to_have_text(told)
    expect(page.locator(".devices li")).to_have_count(2)
    expect(page.locator(".notices")).to_have_text(told)
    expect(page.locator(".notices .mark")).to_have_text("新着")
    page.reload()
    expect(page.locator(".notices")).to_have_text(told)
    expect(page.locator(".notices .mark")).to_have_count(0)
    there.goto(service.url + "/")
    there.get_by_role("button", name="続きを遊ぶ").click()
    there.wait_for_selector("html[data-ready]")
    assert there.url == table.url


def test_who_was_away_is_told_on_the_next_visit_until_it_is_read(
    page: Page, service: Service, other_browser: BrowserContext
) -> None:
    code = make_code(account(page, service))
    page.goto("about:blank")
    there = other_browser.new_page()
    bring(there, service, code)
    expect(there.get_by_label("名前")).to_have_value(NAME)
    there.goto("about:blank")
    told = page.get_by_role("region", name="お知らせ")
    for _ in range(2):
        page.goto(service.url + "/")
        expect(told).to_contain_text("アカウントが端末に追加されました")
        there.goto(service.url + "/")  # the new device itself need not be told
        expect(there.get_by_role("button", name="続きを遊ぶ")).to_be_visible()
        expect(there.get_by_role("region", name="お知らせ")).to_have_count(0)
    page.goto(service.url + "/settings/")
    expect(page.locator("#notices")).to_contain_text("アカウントが端末に追加されました")
    expect(page.locator("#notices .mark")).to_have_text("新着")
    page.wait_for_load_state("networkidle")
    page.goto(service.url + "/")
    expect(page.get_by_role("button", name="続きを遊ぶ")).to_be_visible()
    expect(told).to_have_count(0)


def test_a_code_works_once_and_a_wrong_one_is_refused_in_words(
    page: Page, service: Service, other_browser: BrowserContext, watched: Watched
) -> None:
    watched.expect("404")
    code = make_code(account(page, service))
    there = other_browser.new_page()
    bring(there, service, code)
    expect(there.get_by_label("名前")).to_have_value(NAME)
    there.context.clear_cookies()
    for used in (code, "ABCDE FGHJK"):
        bring(there, service, used)
        fault = there.locator("#transfer-fault")
        expect(fault).to_be_visible()
        expect(fault).to_have_text(re.compile(".+。"))
        expect(there.get_by_label("引き継ぎコードまたは復元キー")).to_be_focused()


def test_an_account_that_would_be_lost_is_left_only_after_a_question(
    page: Page, service: Service, other_browser: BrowserContext, watched: Watched
) -> None:
    watched.expect("409")
    code = make_code(account(page, service))
    there = other_browser.new_page()
    play.start_alone(there, service.url)
    there.goto(service.url + "/settings/")
    own = there.get_by_label("名前").input_value()
    bring(there, service, code)
    question = there.get_by_role("dialog", name="今のアカウントを離れますか")
    question.get_by_role("button", name="やめる").click()
    there.reload()
    expect(there.get_by_label("名前")).to_have_value(own)
    bring(there, service, code)
    question.get_by_role("button", name="離れて引き継ぐ").click()
    expect(there.get_by_label("名前")).to_have_value(NAME)


def test_recovery_key_brings_the_account_back_after_everything_was_lost(
    page: Page, service: Service, other_browser: BrowserContext, watched: Watched
) -> None:
    watched.expect("401")  # the first page still listens, without its cookie
    account(page, service)
    expect(page.locator("#recovery")).to_contain_text("まだ作っていません。")
    page.get_by_role("button", name="復元キーを作る").click()
    expect(page.locator("#recovery .secret")).to_be_visible()
    key = page.locator("#recovery .secret").inner_text()
    assert re.fullmatch(r"(?:\w{5}-){5}\w{5}", key)
    page.context.clear_cookies()
    there = other_browser.new_page()
    bring(there, service, key)
    expect(there.get_by_label("名前")).to_have_value(NAME)
    expect(there.locator("#recovery")).to_contain_text("に作りました。")
    expect(there.locator("body")).not_to_contain_text(key)


def test_a_recovery_key_is_offered_after_three_matches_and_again_after_five_rated_ones(
    page: Page, service: Service
) -> None:
    play.start_alone(page, service.url)
    me = Player.objects.get().pk
    Seat.objects.filter(player_id=me).update(live=False)
    offer = page.locator("#keep")

    def after(count: int, **options: object) -> None:
        for _ in range(count):
            play_to_the_end(a_match([me, *guests(1)], rounds=1, **options))
        page.goto(service.url + "/")

    after(2)
    expect(offer).to_have_count(0)
    after(1)
    expect(offer).to_contain_text("復元キーを作っておくと")
    found = Axe().run(page, options=WCAG)
    assert found.violations_count == 0, found.generate_report()
    offer.get_by_role("button", name="あとで").click()
    expect(offer).to_be_hidden()
    after(4, kind=MatchKind.RANKED, turn_seconds=30)
    expect(offer).to_be_hidden()
    after(1, kind=MatchKind.RANKED, turn_seconds=30)
    expect(offer).to_contain_text("復元キーがまだありません")
    offer.get_by_role("link", name="復元キーを作る").click()
    expect(page.get_by_role("heading", name="復元キー")).to_be_in_viewport()
    page.locator("#recovery > .btn").click()
    expect(page.locator("#recovery .secret")).to_be_visible()
    page.goto(service.url + "/")
    expect(offer).to_have_count(0)


def test_signing_out_a_device_ends_its_page(
    page: Page, service: Service, other_browser: BrowserContext
) -> None:
    code = make_code(account(page, service))
    there = other_browser.new_page()
    bring(there, service, code)
    expect(there.locator(".devices li")).to_have_count(2)
    others = page.locator(".devices li").filter(has_not_text="この端末")
    others.get_by_role("button", name="サインアウト").click()
    page.get_by_role("dialog").get_by_role("button", name="サインアウト", exact=True).click()
    expect(page.locator(".devices li")).to_have_count(1)
    expect(there.locator(".banner")).to_have_text(
        "この端末では、このアカウントを使えなくなりました。"
    )
    expect(there.locator("taku-account")).to_have_count(0)
    there.reload()
    expect(there.locator("taku-settings")).to_contain_text("はじめて遊ぶときに作られます")
    expect(page.get_by_role("button", name="ほかの端末をすべてサインアウト")).to_be_hidden()


def test_a_new_device_may_not_sign_out_older_ones_and_says_from_when(
    page: Page, service: Service, other_browser: BrowserContext, watched: Watched
) -> None:
    watched.expect("403")
    code = make_code(account(page, service))
    there = other_browser.new_page()
    bring(there, service, code)
    for button in ("ほかの端末をすべてサインアウト", "アカウントを削除する"):
        there.get_by_role("button", name=button).click()
        with there.expect_response(lambda answer: answer.status == 403):
            there.get_by_role("dialog").get_by_role("button").nth(1).click()
        expect(there.locator("taku-account > * > .fault")).to_contain_text("この端末は新しいので")
    for device in Device.objects.all():
        Device.objects.filter(pk=device.pk).update(
            created_at=device.created_at - timedelta(hours=73)
        )
    there.get_by_role("button", name="ほかの端末をすべてサインアウト").click()
    there.get_by_role("dialog").get_by_role("button").nth(1).click()
    expect(there.locator(".devices li")).to_have_count(1)


def test_what_is_kept_comes_as_a_file(page: Page, service: Service) -> None:
    account(page, service)
    with page.expect_download() as download:
        page.get_by_role("link", name="記録をダウンロード").click()
    kept = json.loads(Path(download.value.path()).read_text())
    assert kept["player"]["display_name"] == NAME


def test_deleting_asks_and_then_nothing_is_left_here(page: Page, service: Service) -> None:
    account(page, service)
    page.get_by_role("button", name="アカウントを削除する").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="アカウントを削除する")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="削除する", exact=True).click()
    page.wait_for_url(service.url + "/")
    expect(page.get_by_role("button", name="今すぐ遊ぶ")).to_be_visible()
    page.goto(service.url + "/settings/")
    expect(page.get_by_label("名前")).to_have_count(0)


@pytest.mark.parametrize(("locale", "theme"), [("ja-JP", "light"), ("en-GB", "dark")])
def test_account_is_for_everybody(page: Page, service: Service, locale: str, theme: str) -> None:
    page.emulate_media(color_scheme=theme)
    language = locale[:2]
    play.start_alone(page, service.url, language)
    page.goto(service.url + "/settings/")
    page.locator("#transfer > .btn").click()
    expect(page.locator("#transfer .secret")).to_have_text(re.compile(r"\w{5} \w{5}"))
    page.locator("#recovery > .btn").click()
    expect(page.locator("#recovery .secret")).to_have_text(re.compile(r"\w{5}-"))
    expect(page.locator(".devices li")).to_have_count(1)
    found = Axe().run(page, options=WCAG)
    assert found.violations_count == 0, found.generate_report()
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.set_viewport_size({"width": 360, "height": 640})
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
