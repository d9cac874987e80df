"""Every page beside the table: for everybody, in both languages and themes, by its own rules."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser import play
from tests.browser.conftest import Watched
from tests.browser.test_table_element import WCAG
from tests.conftest import Service

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

PAGES = (
    "/",
    "/rules/",
    "/settings/",
    "/privacy/",
    "/ranking/",
    "/history/",
    "/offline/",
    "/nowhere/",
    "/p/ZZZZZZ/",
)


@pytest.mark.parametrize(("locale", "theme"), [("ja-JP", "light"), ("en-GB", "dark")])
def test_axe_finds_nothing_on_any_page(
    page: Page, service: Service, watched: Watched, locale: str, theme: str
) -> None:
    watched.expect("404")
    page.emulate_media(color_scheme=theme)
    axe = Axe()
    for path in PAGES:
        page.goto(service.url + path)
        found = axe.run(page, options=WCAG)
        assert found.violations_count == 0, f"{path}: {found.generate_report()}"


def test_axe_finds_nothing_in_lobby_match_and_sheets(page: Page, service: Service) -> None:
    axe = Axe()

    def check(what: str) -> None:
        found = axe.run(page, options=WCAG)
        assert found.violations_count == 0, f"{what}: {found.generate_report()}"

    page.goto(service.url + "/")
    page.get_by_role("button", name="パーティーを作る").click()
    page.wait_for_selector("taku-rules-form .option")
    check("lobby")
    page.get_by_role("button", name="1人で始める").click()
    page.wait_for_url("**/m/*/")
    page.wait_for_selector("html[data-ready]")
    check("match")
    for opener, what in (("メニュー", "メニュー"), ("ルール", "ルール")):
        page.get_by_role("button", name=opener).click()
        expect(page.get_by_role("dialog", name=what)).to_be_visible()
        page.wait_for_timeout(200)
        check(what)
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name=opener)).to_be_focused()


@pytest.mark.parametrize("path", PAGES)
def test_no_page_scrolls_sideways_at_320_or_with_large_text(
    page: Page, service: Service, watched: Watched, path: str
) -> None:
    watched.expect("404")
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(service.url + path)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.set_viewport_size({"width": 360, "height": 640})
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize(
    ("locale", "language"), [("ja-JP", "ja"), ("en-GB", "en"), ("fr-FR", "ja")]
)
def test_language_is_the_browsers_else_japanese(
    page: Page, service: Service, locale: str, language: str
) -> None:
    page.goto(service.url + "/")
    assert page.locator("html").get_attribute("lang") == language


def test_language_switch_is_remembered_before_and_after_the_first_match(
    page: Page, service: Service
) -> None:
    page.goto(service.url + "/rules/")
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Rules")
    assert page.url == service.url + "/rules/"
    play.start_alone(page, service.url, "en")
    assert page.locator("html").get_attribute("lang") == "en"
    page.goto(service.url + "/settings/")
    page.get_by_role("radio", name="日本語").check(force=True)
    expect(page.get_by_role("heading", level=1)).to_have_text("設定")
    page.goto(service.url + "/")
    expect(page.get_by_role("button", name="続きを遊ぶ")).to_be_visible()


def test_settings_count_at_once_and_on_the_next_page(page: Page, service: Service) -> None:
    page.goto(service.url + "/settings/")
    page.get_by_role("radio", name="暗い").check(force=True)
    page.get_by_role("radio", name="4色").check(force=True)
    expect(page.locator(".saved")).to_have_text("保存しました。")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    page.goto(service.url + "/rules/")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.locator("html").get_attribute("data-suits") == "4"


def test_what_a_visitor_chose_stays_when_the_first_match_makes_the_account(
    page: Page, service: Service
) -> None:
    page.goto(service.url + "/settings/")
    page.get_by_role("radio", name="暗い").check(force=True)
    expect(page.locator(".saved")).to_have_text("保存しました。")
    page.get_by_role("radio", name="4色").check(force=True)
    play.start_alone(page, service.url)
    html = page.locator("html")
    expect(html).to_have_attribute("data-theme", "dark")
    expect(html).to_have_attribute("data-suits", "4")
    page.context.clear_cookies(name="prefs")  # the account has them now
    page.reload()
    expect(html).to_have_attribute("data-theme", "dark")


def test_only_necessary_cookies_and_none_of_them_readable_that_need_not_be(
    page: Page, service: Service
) -> None:
    play.start_alone(page, service.url)
    cookies = {cookie["name"]: cookie for cookie in page.context.cookies()}
    assert set(cookies) == {"csrftoken", "device", "browser"}
    assert cookies["device"]["httpOnly"]
    assert cookies["browser"]["httpOnly"]


def test_every_page_says_that_chips_are_points(
    page: Page, service: Service, watched: Watched
) -> None:
    watched.expect("404")
    for path in PAGES:
        page.goto(service.url + path)
        expect(page.get_by_role("contentinfo")).to_contain_text("チップは点数です。")


def test_rules_page_works_without_script_and_answers_the_five_questions(
    browser, service: Service
) -> None:
    context = browser.new_context(java_script_enabled=False, locale="ja-JP")
    page = context.new_page()
    page.goto(service.url + "/rules/")
    for words in ("ブラックジャック", "バースト", "ダブル", "インシュランス", "サレンダー"):
        expect(page.get_by_role("heading", level=3, name=re.compile(words)).first).to_be_visible()
    expect(page.locator("#options ~ table tbody tr")).to_have_count(15)
    context.close()


def test_play_by_these_rules_leads_from_reading_to_a_table(page: Page, service: Service) -> None:
    page.goto(service.url + "/rules/")
    page.get_by_role("button", name="このルールで遊ぶ").click()
    page.wait_for_url("**/m/*/")


def test_name_with_an_input_method_is_not_sent_half_typed(page: Page, service: Service) -> None:
    """UI-05"""
    play.start_alone(page, service.url)
    page.goto(service.url + "/settings/")
    field = page.get_by_label("名前")
    sent: list[str] = []
    page.on("request", lambda request: request.method == "PATCH" and sent.append(request.url))
    field.fill("みか")
    field.dispatch_event("compositionstart")
    field.press("Enter")
    assert sent == []
    field.dispatch_event("compositionend")
    field.fill("みかん")
    field.press("Enter")
    expect(page.locator(".saved")).to_have_text("名前をみかんに変えました。")


CONFIRM = """(node, init) => node.dispatchEvent(new KeyboardEvent("keydown", {
  key: "Enter", bubbles: true, cancelable: true, ...init}))"""


def test_join_code_with_an_input_method_is_not_sent_half_typed(
    page: Page, service: Service, watched: Watched
) -> None:
    """UI-05, Safari's order of events too: the composition has ended when the key goes down."""
    watched.expect("404")
    page.goto(service.url + "/")
    page.wait_for_selector("html[data-ready]")
    field = page.get_by_label("参加コード")
    field.fill("ＺＺＺ")
    field.dispatch_event("compositionstart")
    field.press("Enter")
    assert field.evaluate(CONFIRM, {"isComposing": True}) is False
    field.dispatch_event("compositionend")
    assert field.evaluate(CONFIRM, {"keyCode": 229}) is False
    assert page.url == service.url + "/"
    field.press("Enter")
    page.wait_for_url(service.url + "/p/ZZZ/")


@pytest.mark.parametrize("typed", ["https://x/p/%E0%A4/", "a/b", "..", "あいう", "/p/..%2F../"])
def test_what_is_no_join_code_is_said_beside_the_field(
    page: Page, service: Service, typed: str
) -> None:
    page.goto(service.url + "/")
    page.wait_for_selector("html[data-ready]")
    field = page.get_by_label("参加コード")
    field.fill(typed)
    field.press("Enter")
    expect(page.locator("#join .fault")).to_contain_text("英字と数字の6文字")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")
    assert page.url == service.url + "/"


@pytest.mark.parametrize("locale", ["ja-JP", "en-GB"])
def test_the_bar_has_room_for_a_thumb_and_settings_for_their_labels(
    page: Page, service: Service
) -> None:
    page.goto(service.url + "/settings/")
    page.wait_for_selector("taku-settings .line")
    narrow = page.locator("header.site a").evaluate_all(
        """(links) => links.map((link) => [link.textContent, link.getBoundingClientRect().width])
          .filter(([, width]) => width < 44)"""
    )
    assert not narrow
    lines = page.locator("taku-settings .line label").evaluate_all(
        """(labels) => labels.map((label) =>
          Math.round(label.offsetHeight / parseFloat(getComputedStyle(label).lineHeight)))"""
    )
    assert max(lines) == 1


def test_a_cookie_that_nobody_can_read_is_as_none(page: Page, service: Service) -> None:
    cookie = {"name": "prefs", "value": "[" * 1000, "url": service.url}
    page.context.add_cookies([cookie])  # type: ignore[list-item]
    for path in ("/", "/rules/", "/settings/"):
        answer = page.goto(service.url + path)
        assert answer is not None
        assert answer.status == 200, path


@pytest.mark.parametrize("kept", ["null", "1", '"text"', "%5B%22x%22%5D", "{", "%E0"])
def test_a_cookie_of_any_other_shape_keeps_nobody_from_playing(
    page: Page, service: Service, kept: str
) -> None:
    cookie = {"name": "prefs", "value": kept, "url": service.url}
    page.context.add_cookies([cookie])  # type: ignore[list-item]
    page.goto(service.url + "/")
    page.get_by_role("button", name="今すぐ遊ぶ").click()
    expect(page).to_have_url(re.compile("/m/"), timeout=60_000)


def test_the_link_past_the_header_is_large_enough_once_it_has_the_focus(
    page: Page, service: Service
) -> None:
    page.goto(service.url + "/rules/")
    link = page.locator("a.skip")
    link.focus()
    box = link.bounding_box()
    assert box is not None
    assert box["height"] >= 44
    assert box["width"] >= 44


def test_kanji_have_glyphs_and_the_page_says_its_language(page: Page, service: Service) -> None:
    """UI-02: Japanese fonts come first also where the device speaks English or Chinese."""
    page.goto(service.url + "/")
    assert page.locator("html").get_attribute("lang") == "ja"
    fonts = "getComputedStyle(document.documentElement).fontFamily.split(', ')"
    assert page.evaluate(fonts)[0] == '"Hiragino Sans"'
    assert page.evaluate(fonts).index('"Noto Sans CJK JP"') < page.evaluate(fonts).index(
        "system-ui"
    )
    page.get_by_role("button", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.get_by_role("button", name="日本語")).to_have_attribute("lang", "ja")
    page.get_by_role("button", name="日本語").click()
    expect(page.locator("html")).to_have_attribute("lang", "ja")
    inked = page.evaluate(
        """() => ["直", "骨", "\\u{10ffff}"].map((sign) => {
          const canvas = document.createElement("canvas");
          canvas.width = canvas.height = 48;
          const pen = canvas.getContext("2d");
          pen.font = `40px ${getComputedStyle(document.documentElement).fontFamily}`;
          pen.fillText(sign, 4, 40);
          return canvas.toDataURL();
        })"""
    )
    assert len(set(inked)) == 3


@pytest.mark.parametrize("forced", ["active", "none"])
def test_forced_colours_and_contrast_keep_the_cards_readable(
    page: Page, service: Service, forced: str
) -> None:
    page.emulate_media(forced_colors=forced)
    play.start_alone(page, service.url)
    play.bet_button(page).click()
    card = page.locator(".dealer taku-card").first
    expect(card).to_be_visible()
    paper, ink = card.evaluate(
        "(node) => [getComputedStyle(node).backgroundColor, getComputedStyle(node).color]"
    )
    assert paper != ink


def test_settings_of_a_visitor_show_the_language_of_the_page(page: Page, service: Service) -> None:
    page.goto(service.url + "/settings/")
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("radio", name="English")).to_be_checked()


@pytest.mark.parametrize("size", [(320, 568), (360, 640), (844, 390), (1440, 900)])
def test_play_now_is_in_sight_without_scrolling(
    page: Page, service: Service, size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(service.url + "/")
    expect(page.get_by_role("button", name="今すぐ遊ぶ")).to_be_in_viewport(ratio=1)
