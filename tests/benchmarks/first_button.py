"""Measures how soon the table page can be played: `python -m tests.benchmarks.first_button URL`.

Five fresh browsers each load a new table at 4x CPU, 70 ms and 9 Mbit/s. Printed is the time from
the end of the HTML to the first enabled button of the panel, and what came over the line.
"""

from __future__ import annotations

import statistics
import sys
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from tests.browser import play
from tests.browser.stage import CHROMIUM, LAUNCH

RUNS = 5
LATENCY_MS = 70
BYTES_A_SECOND = 9_000_000 / 8
WATCH = """
addEventListener("DOMContentLoaded", () => {
  const look = () => {
    const button = document.querySelector("taku-actions button:not([aria-disabled])");
    if (button && button.offsetParent) globalThis.firstButton = performance.now();
    else requestAnimationFrame(look);
  };
  look();
});
"""


def one(browser: Browser, url: str) -> dict[str, Any]:
    """A first visit: the account and match are made unhindered, the table page loads slowly."""
    context = browser.new_context(viewport={"width": 360, "height": 640}, locale="ja-JP")
    page = context.new_page()
    play.start_alone(page, url)
    match = page.url
    cookies = context.cookies()
    context.close()
    context = browser.new_context(viewport={"width": 360, "height": 640}, locale="ja-JP")
    context.add_cookies(cookies)  # type: ignore[arg-type]
    page = context.new_page()
    page.add_init_script(WATCH)
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send(
        "Network.emulateNetworkConditions",
        {
            "offline": False,
            "latency": LATENCY_MS,
            "downloadThroughput": BYTES_A_SECOND,
            "uploadThroughput": BYTES_A_SECOND,
        },
    )
    session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.goto(match)
    page.wait_for_function("() => globalThis.firstButton")
    found: dict[str, Any] = page.evaluate(
        """() => {
          const html = performance.getEntriesByType("navigation")[0];
          const rest = performance.getEntriesByType("resource");
          const sum = (of) => Math.round(of.reduce((all, one) => all + one.encodedBodySize, 0));
          const is = (ending) => (one) => one.name.split("?")[0].endsWith(ending);
          return {
            wait: firstButton - html.responseEnd,
            scripts: sum(rest.filter(is(".js")).filter((one) => !one.name.includes("/texts/"))),
            texts: sum(rest.filter((one) => one.name.includes("/texts/"))),
            styles: sum(rest.filter(is(".css"))),
            requests: rest.length,
          };
        }"""
    )
    context.close()
    return found


def main(url: str) -> None:
    """Print each run and the median."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=LAUNCH)
        runs = [one(browser, url.rstrip("/")) for _ in range(RUNS)]
        browser.close()
    for run in runs:
        print(f"{run['wait']:.0f} ms to the first enabled button")
    last = runs[-1]
    print(
        f"sent: scripts {last['scripts']} bytes, styles {last['styles']}, texts {last['texts']}, "
        f"{last['requests']} requests"
    )
    print(f"median {statistics.median(run['wait'] for run in runs):.0f} ms")


if __name__ == "__main__":
    main(sys.argv[1])
