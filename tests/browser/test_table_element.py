"""The table as an element: offers what the server offers, keeps focus, tells who cannot see."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser import phases
from tests.browser.phases import PHASES

WCAG = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def open_phase(page: Page, stage_url: str, phase: str, **query: str) -> None:
    """Draw a phase and wait for it."""
    rest = "".join(f"&{key}={value}" for key, value in query.items())
    page.goto(f"{stage_url}?phase={phase}{rest}")
    page.wait_for_selector("html[data-ready]")


def each_phase(page: Page, stage_url: str, lang: str = "ja", **query: str) -> Iterator[str]:
    """Open the stage once and draw one phase after the other."""
    open_phase(page, stage_url, "playing", lang=lang, **query)
    for phase, view in PHASES.items():
        draw(page, view(lang))
        yield phase


def draw(page: Page, view: dict[str, Any], **more: Any) -> None:
    """Draw another view in place of the one that is there, as an update would."""
    page.evaluate("([view, more]) => harness.draw(view, more)", [view, more])


def taken(page: Page) -> list[dict[str, Any]]:
    """What the table has asked for since the last look."""
    return page.evaluate("harness.taken()")  # type: ignore[no-any-return]


@pytest.mark.parametrize(("lang", "theme"), [("ja", "light"), ("en", "dark")])
def test_axe_finds_nothing_in_any_phase(page: Page, stage_url: str, lang: str, theme: str) -> None:
    axe = Axe()
    for phase in each_phase(page, stage_url, lang, theme=theme):
        found = axe.run(page, options=WCAG)
        assert found.violations_count == 0, f"{phase}: {found.generate_report()}"


@pytest.mark.parametrize("size", [(360, 640), (320, 640), (390, 844), (844, 390), (1440, 900)])
@pytest.mark.parametrize("lang", ["ja", "en"])
def test_no_phase_scrolls_sideways_or_cuts_words(
    page: Page, stage_url: str, size: tuple[int, int], lang: str
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    for phase in each_phase(page, stage_url, lang):
        cut = page.evaluate(
            """() => [...document.querySelectorAll(
                ".btn, .say, .status p, .bar h1, .why, .tab, .state, .points, .seat .name")]
              .filter((node) => node.offsetParent && (node.scrollWidth > node.clientWidth + 1
                || node.scrollHeight > node.clientHeight + 2))
              .map((node) => node.textContent)"""
        )
        assert not cut, phase
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= size[0], phase


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_large_text_scrolls_down_but_not_sideways(page: Page, stage_url: str, lang: str) -> None:
    for phase in each_phase(page, stage_url, lang):
        if not page.locator("link[href$='large.css']").count():
            page.add_style_tag(url="/harness/large.css")
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 360, phase
        beyond = page.locator(".dealer .count").evaluate(
            "(node) => node.lastElementChild.getBoundingClientRect().right - innerWidth"
        )
        assert beyond <= 0, phase
        submit = page.locator("taku-actions button:visible").first
        submit.scroll_into_view_if_needed()
        expect(submit).to_be_in_viewport(ratio=0.99)


def test_targets_are_48_high(page: Page, stage_url: str) -> None:
    for phase in each_phase(page, stage_url):
        small = page.evaluate(
            """() => [...document.querySelectorAll("button, input, a")]
              .filter((node) => node.offsetParent)
              .map((node) => [node.textContent, Math.round(node.getBoundingClientRect().height)])
              .filter(([, height]) => height < 48)"""
        )
        assert not small, phase


def test_only_what_is_legal_is_enabled_and_what_is_refused_says_why(
    page: Page, stage_url: str
) -> None:
    open_phase(page, stage_url, "playing")
    split = page.get_by_role("button", name="スプリット")
    expect(split).to_have_attribute("aria-disabled", "true")
    split.focus()
    expect(split).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".say")).to_have_text("同じランクの2枚ではありません。")
    page.get_by_role("button", name="ヒット").click()
    asked = taken(page)
    assert [one["type"] for one in asked] == ["refusal", "decide"]
    assert asked[1]["action"] == "hit"


def test_focus_and_typed_amount_stay_when_somebody_else_bets(page: Page, stage_url: str) -> None:
    """UI-10"""
    open_phase(page, stage_url, "ahead")
    field = page.get_by_label("置く額")
    field.fill("130")
    view = phases.ahead("ja")
    view["version"] += 1
    view["seats"][1]["bet"] = 30
    draw(page, view)
    expect(field).to_be_focused()
    expect(field).to_have_value("130")


def test_focus_stays_on_the_panel_when_what_it_offers_changes(page: Page, stage_url: str) -> None:
    """UI-10"""
    open_phase(page, stage_url, "betting")
    page.get_by_role("button", name="置く", exact=True).focus()
    draw(page, phases.playing("ja"))
    expect(page.get_by_role("button", name="ヒット")).to_be_focused()
    draw(page, phases.other_turn("ja"))
    expect(page.get_by_role("button", name="ヒット")).to_be_focused()


@pytest.mark.parametrize(
    ("typed", "amount"), [("60", 60), ("６０", 60), ("1 20", 120), ("６０点", 60), ("0", 0)]
)
def test_amount_is_read_in_any_width(page: Page, stage_url: str, typed: str, amount: int) -> None:
    open_phase(page, stage_url, "betting")
    page.get_by_label("置く額").fill(typed)
    page.get_by_role("button", name="置く", exact=True).click()
    assert taken(page)[-1] == {"type": "decide", "action": "bet", "amount": amount}


def test_amount_that_is_no_number_is_not_sent(page: Page, stage_url: str) -> None:
    open_phase(page, stage_url, "betting")
    page.get_by_label("置く額").fill("たくさん")
    page.get_by_role("button", name="置く", exact=True).click()
    assert [one["type"] for one in taken(page)] == ["refusal"]
    expect(page.get_by_label("置く額")).to_have_attribute("aria-invalid", "true")


def test_enter_that_confirms_an_input_method_does_not_bet(page: Page, stage_url: str) -> None:
    """UI-05"""
    open_phase(page, stage_url, "betting")
    field = page.get_by_label("置く額")
    field.fill("50")
    composing = """(node, init) => node.dispatchEvent(new KeyboardEvent("keydown", {
      key: "Enter", bubbles: true, cancelable: true, ...init}))"""
    assert field.evaluate(composing, {"isComposing": True}) is False
    assert field.evaluate(composing, {"keyCode": 229}) is False
    field.dispatch_event("compositionstart")
    page.keyboard.press("Enter")
    assert taken(page) == []
    field.dispatch_event("compositionend")
    field.focus()
    page.keyboard.press("Enter")
    assert [one["type"] for one in taken(page)] == ["decide"]


def test_bet_ahead_can_be_taken_back(page: Page, stage_url: str) -> None:
    open_phase(page, stage_url, "ahead")
    page.get_by_role("button", name="先に置く").click()
    assert taken(page) == [{"type": "bet-ahead", "amount": 50}]
    draw(page, phases.ahead("ja"), ahead=50)
    page.get_by_role("button", name="取り消す").click()
    assert taken(page) == [{"type": "bet-ahead", "amount": None}]


def test_cards_are_words_and_a_hidden_one_tells_nothing(page: Page, stage_url: str) -> None:
    """UI-07, UI-09"""
    open_phase(page, stage_url, "playing")
    dealer = page.get_by_role("list", name=re.compile("^ディーラー 11 ソフト"))
    expect(dealer.get_by_role("listitem").locator(".vh")).to_have_text(
        ["スペードのエース", "伏せ札"]
    )
    mine = page.get_by_role("list", name=re.compile("^あなたの手 17 ソフト"))
    expect(mine.get_by_role("listitem").locator(".vh")).to_have_text(
        ["ハートのエース", "ダイヤの6"]
    )
    hidden = page.locator("taku-card.back")
    assert hidden.evaluate("node => node.outerHTML") == (
        '<taku-card class="back"><span class="vh">伏せ札</span></taku-card>'
    )


def test_names_never_become_markup(page: Page, stage_url: str) -> None:
    open_phase(page, stage_url, "other_turn")
    view = phases.other_turn("ja")
    view["seats"][4]["player"]["display_name"] = "<img src=x onerror=alert(1)>"
    draw(page, view)
    expect(page.locator(".say")).to_have_text("<img src=x onerror=alert(1)>の番です。")
    assert page.locator("img").count() == 0


def test_a_deal_moves_no_layout(page: Page, stage_url: str) -> None:
    open_phase(page, stage_url, "first_bet", motion="full")
    page.evaluate(
        """() => {
          globalThis.shift = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) shift += entry.value;
          }).observe({ type: "layout-shift", buffered: false });
        }"""
    )
    view = phases.first_bet("ja")
    rules = view["rules"]
    for cards, dealer in (("8H 5D", "9S ??"), ("8H 5D 2C", "9S ??"), ("8H 5D 2C", "9S 3D 5C")):
        step = phases.table("ja", [[phases.hand(cards, 50, "playing")]], round=1, rules=rules)
        step["dealer"] = phases.dealer(dealer)
        step["to_act"] = phases.turn(1, "playing", ["hit", "stand"], {}, 0, None)
        draw(page, step)
        page.wait_for_timeout(400)
    assert page.evaluate("shift") < 0.01


def test_buttons_work_while_cards_still_move(page: Page, stage_url: str) -> None:
    open_phase(page, stage_url, "first_bet", motion="full")
    draw(page, phases.playing("ja"))
    assert page.evaluate("document.getAnimations().length") > 0
    page.evaluate("document.querySelector('[data-action=hit]').click()")
    assert [one["type"] for one in taken(page)] == ["decide"]


@pytest.mark.parametrize("size", [(360, 640), (844, 390), (1440, 900)])
@pytest.mark.parametrize("lang", ["ja", "en"])
def test_whatever_can_be_pressed_is_in_sight(
    page: Page, stage_url: str, size: tuple[int, int], lang: str
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    for phase in each_phase(page, stage_url, lang):
        height = page.evaluate("document.documentElement.scrollHeight")
        assert height <= size[1], phase
