"""Contact sheets of a running service: `python -m tests.browser.page_sheet FOLDER URL`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser import play
from tests.browser.contact_sheet import SHEET
from tests.browser.stage import CHROMIUM, LAUNCH

SIZES = ((360, 640), (844, 390), (1440, 900))
LOOKS = (("ja-JP", "light"), ("en-GB", "light"), ("ja-JP", "dark"), ("en-GB", "dark"))
WORDS = {
    "party": ("パーティーを作る", "Make a party"),
    "alone": ("1人で始める", "Start alone"),
    "menu": ("メニュー", "Menu"),
    "rules": ("ルール", "Rules"),
    "log": ("これまでの流れ", "What happened"),
    "profile": ("自分のプロフィール", "My profile"),
    "leave": ("抜ける", "Leave"),
}


def shots(page: Page, url: str, ja: bool) -> Iterator[str]:
    """Walk through the pages; yields a name whenever there is something to look at."""
    press: Callable[[str], None] = lambda what: page.get_by_role(  # noqa: E731
        "button", name=WORDS[what][0 if ja else 1]
    ).first.click()
    for path, name in (
        ("/", "landing"),
        ("/rules/", "rules"),
        ("/settings/", "settings"),
        ("/privacy/", "privacy"),
        ("/ranking/", "ranking"),
        ("/history/", "history"),
        ("/nowhere/", "missing"),
    ):
        page.goto(url + path)
        yield name
    page.goto(url + "/")
    press("party")
    page.wait_for_selector("taku-rules-form .option")
    yield "lobby"
    page.mouse.wheel(0, 700)
    page.wait_for_timeout(200)
    yield "lobby-rules"
    press("alone")
    page.wait_for_url("**/m/*/")
    page.wait_for_selector("html[data-ready]")
    for _ in range(6):
        play.decide_once(page)
    for sheet in ("menu", "rules"):
        press(sheet)
        page.wait_for_selector("dialog[open]")
        page.wait_for_timeout(500)
        yield f"sheet-{sheet}"
        page.keyboard.press("Escape")
    press("menu")
    press("log")
    page.wait_for_timeout(500)
    yield "sheet-log"
    page.keyboard.press("Escape")
    play.play_to_the_end(page)
    page.wait_for_timeout(700)
    yield "over"
    match = page.url
    page.goto(f"{match}?v=12")
    page.wait_for_selector("taku-replay-bar")
    yield "replay"
    page.goto(f"{match}verify/")
    page.wait_for_selector("#check[data-verdict=proven]")
    yield "verify"
    page.goto(url + "/history/")
    yield "history-played"
    page.get_by_role("link", name=WORDS["profile"][0 if ja else 1]).click()
    page.wait_for_selector(".figures")
    yield "profile"
    page.goto(url + "/")
    yield "landing-in-party"


def main(folder: Path, url: str) -> None:
    """A picture of each, and one sheet per size, language and theme."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=LAUNCH)
        for width, height in SIZES:
            for locale, theme in LOOKS:
                context = browser.new_context(
                    viewport={"width": width, "height": height}, locale=locale, color_scheme=theme
                )
                page = context.new_page()
                page.on("pageerror", lambda error: print("ERROR", error))
                taken = []
                for name in shots(page, url, locale == "ja-JP"):
                    file = f"{width}-{name}-{locale}-{theme}.png"
                    page.screenshot(path=folder / file)
                    taken.append((name, file))
                sheet = folder / f"pages-{width}-{locale}-{theme}.html"
                body = "".join(f"<figure>{name}<img src='{file}'></figure>" for name, file in taken)
                shown = {360: 300, 844: 560, 1440: 620}[width]
                sheet.write_text(SHEET.format(width=shown, body=body))
                page = browser.new_page(viewport={"width": 1920, "height": 1000})
                page.goto(sheet.as_uri())
                page.screenshot(path=folder / f"{sheet.stem}.png", full_page=True)
                page.close()
                context.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2].rstrip("/"))
