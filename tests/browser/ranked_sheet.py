"""Pictures of what a ranked match brings: `python -m tests.browser.ranked_sheet FOLDER URL`.

The bar of the search, the ready check, the summary, and the pages on which the match is found
again; one match of four browsers, each state in every size, language and theme.
"""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser import play
from tests.browser.stage import CHROMIUM, LAUNCH

SIZES = ((360, 640), (1440, 900))
THEMES = ("light", "dark")
PEOPLE = 4


class Camera:
    """Takes a state of one page in every size and theme, in the language that it is in."""

    def __init__(self, folder: Path, page: Page) -> None:
        self.folder, self.page, self.language = folder, page, "ja"

    def take(self, name: str, *, whole: bool = False) -> None:
        """As it is at this moment; `whole` for all of a long page."""
        for width, height in SIZES:
            self.page.set_viewport_size({"width": width, "height": height})
            for theme in THEMES:
                self.page.emulate_media(color_scheme=theme, reduced_motion="reduce")
                file = f"{name}-{width}-{self.language}-{theme}.png"
                self.page.screenshot(path=self.folder / file, full_page=whole)

    def speak(self, language: str) -> None:
        """From here on in this language, which the account remembers."""
        if language == self.language:
            return
        self.page.locator(f"footer button[value={language}]").click()
        self.page.wait_for_selector(f"html[lang={language}][data-ready]")
        self.language = language


def search(page: Page, url: str) -> None:
    """Into the queue, in whatever language the page is."""
    page.goto(url + "/")
    page.locator("taku-ranked button").click()
    page.wait_for_selector("taku-queue-bar:not([hidden])")


def pictures(browser: Browser, folder: Path, url: str) -> None:
    """Walk through one match."""
    people = [browser.new_context(locale="ja-JP").new_page() for _ in range(PEOPLE)]
    page = people[0]
    camera = Camera(folder, page)
    for language in ("en", "ja"):
        search(page, url)
        camera.speak(language)
        page.wait_for_selector("taku-queue-bar:not([hidden])")
        camera.take("queue")
        page.locator("taku-queue-bar button").click()
        page.wait_for_selector("taku-queue-bar", state="hidden")
    for one in people:
        search(one, url)
    page.wait_for_selector("dialog.ready[open]")
    page.wait_for_timeout(700)
    camera.take("ready-check")
    for one in people:
        one.locator("dialog.ready .btn.primary:not([aria-disabled])").click()
    for one in people:
        one.wait_for_url("**/m/*/")
        one.wait_for_selector("html[data-ready]")
    camera.take("table")
    page.locator("taku-seat button").first.click()
    page.wait_for_selector("dialog.seat-sheet")
    page.wait_for_timeout(400)
    camera.take("seat")
    page.keyboard.press("Escape")
    play.play_to_the_end(*people)
    match = page.url
    me = page.evaluate("JSON.parse(document.getElementById('taku-page').textContent).player.id")
    for language in ("ja", "en"):
        page.goto(url + "/privacy/")
        camera.speak(language)
        for path, name in (
            (match, "summary"),
            (match + "?v=30", "replay"),
            (match + "verify/", "verify"),
            (f"{url}/players/{me}/", "profile"),
            (f"{url}/history/", "history"),
            (f"{url}/ranking/", "ranking"),
            (f"{url}/settings/", "settings"),
        ):
            page.goto(path)
            page.wait_for_selector("html[data-ready]")
            page.wait_for_load_state("networkidle")
            for details in page.locator("main summary").all():
                if name != "verify":
                    details.click()
            camera.take(name, whole=name not in ("replay", "verify"))


def main(folder: Path, url: str) -> None:
    """All of them into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=LAUNCH)
        pictures(browser, folder, url)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2].rstrip("/"))
