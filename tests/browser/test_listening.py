"""What somebody hears who does not see the table: names, roles, order, and the live regions."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import play
from tests.conftest import Service

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

RECORD = """() => {
  globalThis.heard = { polite: [], urgent: [] };
  for (const name of ["polite", "urgent"]) {
    const region = document.getElementById(name);
    new MutationObserver(() => heard[name].push(region.textContent.trim()))
      .observe(region, { childList: true, characterData: true, subtree: true });
  }
}"""


def test_a_whole_match_is_told_in_short_whole_sentences(page: Page, service: Service) -> None:
    """UI-07"""
    play.start_alone(page, service.url)
    page.evaluate(RECORD)
    while not play.over(page):
        before = page.evaluate("heard.polite.length")
        play.decide_once(page)
        page.wait_for_function("(before) => heard.polite.length > before", arg=before)
    heard = page.evaluate("heard")
    polite = " ".join(heard["polite"])
    for number in range(1, 11):
        assert re.search(rf"第{number}ラウンドは(?:勝ち|負け|引き分け) [+−±][\d,]+点。", polite), (
            number
        )
    assert polite.count("ディーラーの伏せ札は") >= 5
    assert "試合が終わりました。" in polite
    for text in heard["polite"]:
        assert text.endswith(("。", "。\u00a0")), text
    # Urgent is only the own turn: once for each bet, insurance and hand to play, nothing else.
    for text in heard["urgent"]:
        assert re.match(r"(?:あなたの番です|置く額を|第\d+ラウンドです|表札はエース)", text), text
    assert 10 <= len(heard["urgent"]) <= 40


def test_order_and_roles_of_the_table(page: Page, service: Service) -> None:
    play.start_alone(page, service.url)
    play.bet_button(page).click()
    page.wait_for_function("() => document.querySelector('taku-table').view.version > 0")
    seen = page.locator("main").aria_snapshot()
    order = [
        seen.index(part) for part in ('heading "第', 'button "ルール"', "ディーラー", "あなたの席")
    ]
    assert order == sorted(order)
    assert re.search(r"listitem: (?:スペード|ハート|ダイヤ|クラブ)の", seen)


def test_what_is_on_the_table_can_be_read_again(page: Page, service: Service) -> None:
    play.start_alone(page, service.url)
    while page.locator("taku-table").get_attribute("data-phase") != "playing":
        play.decide_once(page)
    page.get_by_role("button", name="メニュー").click()
    answer = page.get_by_role("dialog").get_by_role("status")
    for command, words in (
        ("自分の手", r"^あなたの手は.+。合計\d+。$"),
        ("ディーラー", r"^ディーラーは.+、伏せ札。合計\d+。$"),
        ("全員", r"^あなたは[\d,]+点、合計\d+。$"),
        ("残り時間", r"^手番の制限時間はありません。$"),
        ("持ち点", r"^持ち点は[\d,]+点です。$"),
    ):
        page.get_by_role("dialog").get_by_role("button", name=command).click()
        expect(answer).to_have_text(re.compile(words))


def test_log_tells_the_match_from_its_beginning_also_after_a_reload(
    page: Page, service: Service
) -> None:
    play.start_alone(page, service.url)
    for _ in range(4):
        play.decide_once(page)
    page.reload()
    page.wait_for_selector("html[data-ready]")
    page.get_by_role("button", name="メニュー").click()
    page.get_by_role("button", name="これまでの流れ").click()
    lines = page.get_by_role("log").get_by_role("listitem")
    expect(lines.first).to_have_text("第1ラウンド。")
    expect(lines.nth(1)).to_have_text("あなたは50点を置きました。")
    expect(lines.nth(2)).to_have_text(re.compile("^あなたに.+の.+。$"))


def test_rules_of_the_match_can_be_read_at_the_table_with_what_was_changed(
    page: Page, service: Service
) -> None:
    """UI-14"""
    page.goto(service.url + "/")
    page.get_by_role("button", name="パーティーを作る").click()
    page.get_by_role("button", name="きびしめ").click()
    expect(page.get_by_label("ブラックジャックの戻り")).to_have_value("6:5")
    page.get_by_role("button", name="1人で始める").click()
    page.wait_for_url("**/m/*/")
    page.get_by_role("button", name="ルール").click()
    rules = page.get_by_role("dialog", name="ルール")
    for name, value in (
        ("ディーラーのソフト17", "引く（H17）"),
        ("ブラックジャックの戻り", "6:5"),
        ("スプリット後のダブル", "できない"),
    ):
        row = rules.get_by_role("row", name=re.compile(f"^{name}"))
        expect(row).to_contain_text(value)
        expect(row).to_contain_text("変更")


def test_log_tells_every_card_in_the_order_dealt(page: Page, service: Service) -> None:
    """UI-14"""
    play.start_alone(page, service.url)
    for _ in range(9):
        play.decide_once(page)
    page.get_by_role("button", name="メニュー").click()
    page.get_by_role("button", name="これまでの流れ").click()
    expect(page.get_by_role("log").get_by_role("listitem").first).to_be_visible()
    told = page.get_by_role("log").get_by_role("listitem").all_inner_texts()
    dealt = page.evaluate(
        """async () => {
          const { get } = await import("/static/taku/js/api.js");
          const { cardName } = await import("/static/taku/js/cards.js");
          const { id } = document.querySelector("taku-table").view;
          const { events } = await get(`matches/${id}/events/?after=0`);
          return events.filter(({ type, card }) => type.match(/card/) && card)
            .map(({ card }) => cardName(card));
        }"""
    )
    assert len(dealt) >= 12
    named = [
        found[0]
        for line in told
        if (found := re.search(r"(?:スペ|ハー|ダイ|クラ)\S+の[^。]+", line))
    ]
    assert [re.sub("^.*(?=スペ|ハー|ダイ|クラ)", "", one) for one in named] == dealt


def test_focus_comes_back_from_a_sheet_and_is_never_lost(page: Page, service: Service) -> None:
    play.start_alone(page, service.url)
    for opener in ("メニュー", "ルール"):
        button = page.get_by_role("button", name=opener)
        button.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(button).to_be_focused()
    play.bet_button(page).focus()
    for _ in range(6):
        page.keyboard.press("Enter")
        page.wait_for_timeout(150)
        assert page.evaluate("document.activeElement !== document.body")
