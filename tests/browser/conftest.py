"""What browser tests share: the installed Chromium, and pages where any console error fails."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.stage import CHROMIUM, LAUNCH, stage

# Playwright keeps an event loop in the tests' thread, in which Django would refuse its database.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without Chromium the tests here are skipped, with one reason for all of them."""
    for item in items:
        if "tests/browser/" in item.nodeid and CHROMIUM is None:
            item.add_marker(pytest.mark.skip(reason="Chromium is not installed"))


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """The machine's own Chromium; nothing is downloaded."""
    return {"executable_path": CHROMIUM, "args": LAUNCH}


@pytest.fixture(scope="session")
def stage_url() -> Iterator[str]:
    """The stage: elements around made-up views."""
    with stage() as address:
        yield address


class Watched:
    """Collects what a page complains of; an error that a test provokes is named by it."""

    def __init__(self) -> None:
        self.complaints: list[str] = []
        self.expected: list[str] = []

    def watch(self, page: Page) -> None:
        """Listen to one page."""
        page.on("pageerror", lambda error: self.complaints.append(f"{error}\n{error.stack}"))
        page.on(
            "console",
            lambda message: (
                message.type in ("error", "warning")
                and self.complaints.append(
                    f"{message.type}: {message.text} {message.location['url']}"
                )
            ),
        )

    def expect(self, fragment: str) -> None:
        """Complaints with this in them are part of the test."""
        self.expected.append(fragment)

    def unexpected(self) -> list[str]:
        """The rest."""
        return [text for text in self.complaints if not any(part in text for part in self.expected)]


@pytest.fixture
def watched() -> Iterator[Watched]:
    """Fails the test on any console error, warning or exception in a watched page."""
    watcher = Watched()
    yield watcher
    assert not watcher.unexpected()


@pytest.fixture
def context(context: BrowserContext, watched: Watched) -> BrowserContext:
    """Every page of the test's own context is watched."""
    context.on("page", watched.watch)
    return context


@pytest.fixture
def other_browser(browser: Browser, watched: Watched) -> Iterator[BrowserContext]:
    """Somebody else's browser, with cookies of its own."""
    context = browser.new_context(locale="ja-JP")
    context.on("page", watched.watch)
    yield context
    context.close()


@pytest.fixture
def locale() -> str:
    """The browser's language; a test may say another."""
    return "ja-JP"


@pytest.fixture
def browser_context_args(locale: str) -> dict[str, Any]:
    """A phone in Japanese unless a test says otherwise."""
    return {
        "viewport": {"width": 360, "height": 640},
        "locale": locale,
        "timezone_id": "Asia/Tokyo",
    }
