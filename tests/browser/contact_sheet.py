"""Takes contact sheets of the table: `python -m tests.browser.contact_sheet FOLDER [PHASE …]`."""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.phases import PHASES
from tests.browser.stage import CHROMIUM, LAUNCH, stage

SIZES = ((360, 640), (844, 390), (1440, 900))
SHEET = """<!doctype html><meta charset="utf-8"><style>
body{{margin:12px;background:#777;display:flex;flex-wrap:wrap;gap:12px;
font:12px sans-serif;color:#fff}}
figure{{margin:0}} img{{display:block;width:{width}px}}</style>{body}"""


def main(folder: Path, phases: list[str]) -> None:
    """One picture per phase, size, language and theme, and one sheet per size."""
    folder.mkdir(parents=True, exist_ok=True)
    with stage() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=LAUNCH)
        for width, height in SIZES:
            page = browser.new_page(viewport={"width": width, "height": height})
            page.on("console", lambda message: print(message.type, message.text))
            page.on("pageerror", lambda error: print("ERROR", error))
            shots = []
            for lang, theme in (("ja", "light"), ("en", "light"), ("ja", "dark"), ("en", "dark")):
                for phase in phases:
                    page.goto(f"{address}?phase={phase}&lang={lang}&theme={theme}")
                    page.wait_for_selector("html[data-ready]")
                    page.wait_for_timeout(60)
                    name = f"{width}-{phase}-{lang}-{theme}.png"
                    page.screenshot(path=folder / name)
                    overflow = page.evaluate(
                        "(({scrollWidth, scrollHeight}) => [scrollWidth, scrollHeight])"
                        "(document.documentElement)"
                    )
                    if overflow[0] > width or overflow[1] > height:
                        print(f"{name}: scrolls to {overflow}")
                    shots.append((lang, theme, phase, name))
            for lang, theme in (("ja", "light"), ("en", "light"), ("ja", "dark"), ("en", "dark")):
                body = "".join(
                    f"<figure>{phase}<img src='{name}'></figure>"
                    for one, other, phase, name in shots
                    if (one, other) == (lang, theme)
                )
                file = folder / f"sheet-{width}-{lang}-{theme}.html"
                shown = {360: 300, 844: 560, 1440: 720}[width]
                file.write_text(SHEET.format(width=shown, body=body))
                page.set_viewport_size({"width": 1920, "height": 1000})
                page.goto(file.as_uri())
                page.screenshot(path=folder / f"{file.stem}.png", full_page=True)
            page.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:] or list(PHASES))
