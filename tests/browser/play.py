"""How the tests play: what a person would press, read from the page alone."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

FIRST = {"ja": "今すぐ遊ぶ", "en": "Play now"}
BET = {"ja": "置く", "en": "Bet"}
AGAIN = {"ja": "もう一度", "en": "Play again"}
ORDER = ("stand", "decline")


def start_alone(page: Page, url: str, language: str = "ja") -> None:
    """From the landing page to a table in one press."""
    page.goto(url + "/")
    page.get_by_role("button", name=FIRST[language]).click()
    page.wait_for_url("**/m/*/")
    page.wait_for_selector("html[data-ready]")


def bet_button(page: Page, language: str = "ja") -> Locator:
    """The button that bets."""
    return page.get_by_role("button", name=BET[language], exact=True)


def version(page: Page) -> str:
    """Something that changes with every decision: round, phase and all cards."""
    return page.locator("taku-table").evaluate(
        """(table) => [table.dataset.phase, table.querySelector(".bar h1").textContent,
          table.view.version].join()"""
    )


def over(page: Page) -> bool:
    """Whether the match has ended."""
    return page.locator("taku-actions").get_attribute("data-mode") == "over"


def decide_once(page: Page) -> None:
    """Press one thing that is offered, if any is, and wait until the table has moved on."""
    before = version(page)
    pressed = page.locator("taku-actions").evaluate(
        """(panel) => {
          const offered = (selector) => [...panel.querySelectorAll(selector)]
            .find((node) => node.offsetParent && node.getAttribute("aria-disabled") !== "true");
          const button = offered("[data-action=stand]") ?? offered("[data-action=decline]")
            ?? (panel.dataset.mode === "bet" && offered("[type=submit].primary"));
          if (button) button.click();
          return Boolean(button);
        }"""
    )
    if pressed:
        page.wait_for_function(
            "(before) => { const table = document.querySelector('taku-table');"
            "return [table.dataset.phase, table.querySelector('.bar h1').textContent,"
            " table.view.version].join() !== before; }",
            arg=before,
        )
    else:
        page.wait_for_timeout(50)


def play_to_the_end(*pages: Page) -> None:
    """Bet what is in the field and stand, on whichever page it is asked, until it is over."""
    for _ in range(600):
        if all(over(page) for page in pages):
            return
        for page in pages:
            if not over(page):
                decide_once(page)
    raise AssertionError("The match does not end.")


def expect_turn(page: Page) -> None:
    """It is this page's player's turn: something can be pressed."""
    offered = page.locator("taku-actions button:visible:not([aria-disabled=true])")
    expect(offered.first).to_be_visible()
