"""What the settings change at the table: single keys, a question before large bets, colours."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser import play
from tests.conftest import Service

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]


def choose(page: Page, **settings: Any) -> None:
    """Keep these on the account, as the settings page does, and open the table again."""
    page.evaluate(
        """async (settings) => {
          const { patch } = await import("/static/taku/js/api.js");
          await patch("players/me/", { settings });
        }""",
        settings,
    )
    page.reload()
    page.wait_for_selector("html[data-ready]")
    page.wait_for_function(
        """async () => {
          const { line } = await import("/static/taku/js/line.js");
          return line.state === "open";
        }"""
    )


def test_single_keys_play_and_leave_typing_composing_and_commands_alone(
    page: Page, service: Service
) -> None:
    play.start_alone(page, service.url)
    field = page.get_by_label("置く額")
    page.keyboard.press("1")
    expect(field).to_have_value("60")
    page.keyboard.press("2")
    expect(field).to_have_value("110")
    page.keyboard.press("Control+1")
    page.evaluate(
        """() => {
          for (const init of [{ isComposing: true }, { keyCode: 229 }, { repeat: true }])
            document.body.dispatchEvent(
              new KeyboardEvent("keydown", { key: "1", bubbles: true, ...init }));
        }"""
    )
    expect(field).to_have_value("110")
    field.fill("")
    page.keyboard.type("41")
    expect(field).to_have_value("41")
    field.fill("50")
    field.blur()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="メニュー")).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(field).to_have_value("50")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('taku-table').view.version > 0")


def test_single_keys_can_be_switched_off(page: Page, service: Service) -> None:
    play.start_alone(page, service.url)
    choose(page, shortcuts=False)
    for key in ("1", "4", "b", "Enter", "?"):
        page.keyboard.press(key)
    expect(page.get_by_label("置く額")).to_have_value("50")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert page.evaluate("document.querySelector('taku-table').view.version") == 0
    page.get_by_role("button", name="+10", exact=True).focus()
    page.keyboard.press("Enter")  # a focused button keeps its own key
    expect(page.get_by_label("置く額")).to_have_value("60")


def test_a_large_bet_is_asked_about_once_and_goes_out_on_yes_alone(
    page: Page, service: Service
) -> None:
    play.start_alone(page, service.url)
    choose(page, confirm_over=10)
    page.get_by_label("置く額").fill("150")
    play.bet_button(page).dblclick(delay=0)
    dialog = page.get_by_role("dialog", name="この額を置きますか")
    expect(dialog).to_have_count(1)
    expect(dialog).to_contain_text("持ち点1,000点のうち150点を置きます。")
    dialog.get_by_role("button", name="やめる").click()
    expect(dialog).to_have_count(0)
    assert page.evaluate("document.querySelector('taku-table').view.version") == 0
    play.bet_button(page).click()
    dialog.get_by_role("button", name="置く").click()
    page.wait_for_function("() => document.querySelector('taku-table').view.version > 0")


def test_forced_colours_show_what_is_chosen(page: Page, service: Service) -> None:
    page.emulate_media(forced_colors="active")
    page.goto(service.url + "/settings/")
    page.wait_for_selector(".choice")
    outlines = page.evaluate(
        """() => [...document.querySelectorAll(".choice input[name=theme]")].map((input) =>
          [input.checked, getComputedStyle(input.nextElementSibling).outlineStyle])"""
    )
    assert sorted(outlines) == [[False, "none"], [False, "none"], [True, "solid"]]
