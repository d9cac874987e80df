"""The pictures of README.md are what the table looks like; `TAKE_PICTURES=1` takes them anew."""

from __future__ import annotations

import base64
import os
from pathlib import Path

import pytest
from playwright.sync_api import Page

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "images"
PICTURES = {
    "phone-ja": ("phase=playing&lang=ja&theme=light", 360, 640),
    "phone-en-dark": ("phase=two_hands&lang=en&theme=dark", 360, 640),
    "phone-ja-settled": ("phase=settled&lang=ja&theme=light", 360, 640),
    "desk-ja": ("phase=playing&lang=ja&theme=light", 1440, 900),
    "desk-en-dark": ("phase=four_hands&lang=en&theme=dark", 1440, 900),
}
LIKE = 0.03
"""So much of a picture may differ: seconds run, and fonts differ a little between machines."""

DIFFERENCE = """async ([one, other]) => {
  const pixels = async (source) => {
    const image = await createImageBitmap(await (await fetch(source)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height);
    const pen = canvas.getContext("2d");
    pen.drawImage(image, 0, 0);
    return [image.width, image.height, pen.getImageData(0, 0, image.width, image.height).data];
  };
  const [width, height, a] = await pixels(one);
  const [width2, height2, b] = await pixels(other);
  if (width !== width2 || height !== height2) return 1;
  let differing = 0;
  for (let at = 0; at < a.length; at += 4) {
    const far = [0, 1, 2].reduce((sum, of) => sum + Math.abs(a[at + of] - b[at + of]), 0);
    if (far > 60) differing += 1;
  }
  return differing / (width * height);
}"""


def as_url(picture: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(picture).decode()


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_show_what_is_drawn(page: Page, stage_url: str, name: str) -> None:
    query, width, height = PICTURES[name]
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{stage_url}?{query}")
    page.wait_for_selector("html[data-ready]")
    page.wait_for_timeout(100)
    drawn = page.screenshot()
    file = FOLDER / f"{name}.png"
    if os.environ.get("TAKE_PICTURES"):
        FOLDER.mkdir(parents=True, exist_ok=True)
        file.write_bytes(drawn)
    kept = file.read_bytes()
    page.goto("about:blank")  # where no content policy keeps the comparison from its data
    assert page.evaluate(DIFFERENCE, [as_url(drawn), as_url(kept)]) < LIKE
