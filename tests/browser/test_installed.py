"""The pages as an app: installable, and honest where nothing can be reached."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Page, expect

from config.processes import ROOT, Process
from tests.browser import play
from tests.browser.conftest import Watched
from tests.conftest import Service

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(300)]

CACHED = """async () => {
  const found = {};
  for (const name of await caches.keys()) {
    const cache = await caches.open(name);
    for (const { url } of await cache.keys()) {
      const { pathname, search } = new URL(url);
      found[pathname + search] = await (await cache.match(url)).text();
    }
  }
  return found;
}"""
CONTROLLED = "() => navigator.serviceWorker.controller !== null"


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The static files under their hashed names."""
    folder = tmp_path_factory.mktemp("static")
    subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "collectstatic", "--no-input", "-v0"],
        cwd=ROOT,
        env={**os.environ, "STATIC_MANIFEST": "true", "STATIC_ROOT": str(folder)},
        check=True,
    )
    return folder


@pytest.fixture
def installed(service: Service, collected: Path, tmp_path: Path) -> Iterator[Service]:
    """A web process that serves collected files, as every instance does but one in development."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        other = replace(
            service,
            port=listener.getsockname()[1],
            listener=listener,
            folder=tmp_path,
            running={},
            environment={
                **service.environment,
                "STATIC_MANIFEST": "true",
                "STATIC_ROOT": str(collected),
            },
        )
        other.start(Process.WEB)
        try:
            other.wait_ready(seconds=120)
            yield other
        finally:
            other.running[Process.WEB].kill()


def test_reload_without_a_line_says_so_in_the_chosen_language_and_goes_on_by_itself(
    page: Page, installed: Service, watched: Watched
) -> None:
    watched.expect("ERR_")
    play.start_alone(page, installed.url)
    page.wait_for_function(CONTROLLED)
    match = page.url
    page.context.set_offline(True)
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("接続できません")
    expect(page.get_by_role("contentinfo")).to_contain_text("チップは点数です。")
    ground = page.locator("body").evaluate("(body) => getComputedStyle(body.parentNode).background")
    assert "rgb(245, 243, 238)" in ground  # with its styles
    assert page.url == match
    page.get_by_role("link", name="もう一度試す").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("接続できません")
    page.context.set_offline(False)
    expect(play.bet_button(page)).to_be_visible()
    assert page.url == match
    page.goto(installed.url + "/settings/")
    page.get_by_role("radio", name="English").check(force=True)
    expect(page.get_by_role("heading", level=1)).to_have_text("Settings")
    page.wait_for_function(
        "() => navigator.serviceWorker.controller?.scriptURL.endsWith('?language=en')"
    )
    page.context.set_offline(True)
    page.goto(installed.url + "/")
    expect(page.get_by_role("heading", level=1)).to_have_text("No connection")


def test_only_the_offline_page_is_kept_and_it_knows_nobody(page: Page, installed: Service) -> None:
    play.start_alone(page, installed.url)
    page.wait_for_function(CONTROLLED)
    page.reload()
    for _ in range(4):
        play.decide_once(page)
    name = page.evaluate("JSON.parse(document.getElementById('taku-page').textContent).player.id")
    page.goto(installed.url + "/rules/")
    kept = page.evaluate(CACHED)
    pages = [path for path in kept if not path.startswith("/static/taku/")]
    assert pages == ["/offline/?language=ja"]
    assert len(kept) == 6
    assert name not in kept["/offline/?language=ja"]
    assert '"player": null' in kept["/offline/?language=ja"]


def test_no_worker_while_one_develops(page: Page, service: Service) -> None:
    play.start_alone(page, service.url)
    assert (
        page.evaluate("async () => (await navigator.serviceWorker.getRegistrations()).length") == 0
    )


def test_browser_finds_nothing_missing_for_an_installation(page: Page, installed: Service) -> None:
    page.goto(installed.url + "/")
    page.wait_for_function(CONTROLLED)
    session = page.context.new_cdp_session(page)
    errors = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    # Playwright's contexts are private windows, in which nothing can be installed.
    assert [one["errorId"] for one in errors if one["errorId"] != "in-incognito"] == []
    found = session.send("Page.getAppManifest")
    assert found["errors"] == []
    assert found["url"].endswith("/manifest.webmanifest?language=ja")


@pytest.mark.parametrize(
    ("language", "words"), [("ja", "登録不要"), ("en", "without registration")]
)
def test_manifest_names_the_app_in_its_language_with_icons_of_their_size(
    installed: Service, language: str, words: str
) -> None:
    with installed.client() as client:
        answer = client.get("/manifest.webmanifest", params={"language": language})
        assert answer.headers["content-type"] == "application/manifest+json"
        told = answer.json()
        assert (told["lang"], told["display"], told["start_url"]) == (language, "standalone", "/")
        assert words in told["description"]
        for icon in told["icons"]:
            assert f"{width_of(client, icon['src'])}x" in icon["sizes"]


def width_of(client: httpx.Client, src: str) -> int:
    """How wide a PNG is, by its header."""
    picture = client.get(src).content
    assert picture.startswith(b"\x89PNG")
    return int.from_bytes(picture[16:20], "big")
