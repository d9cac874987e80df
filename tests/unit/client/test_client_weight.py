"""The table page stays light: its own scripts and styles, and each language's texts."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from api.modules import modules_of

STATIC = Path(__file__).resolve().parents[3] / "api" / "static"


def contents(*names: str) -> list[bytes]:
    return [(STATIC / name).read_bytes() for name in names]


def sent(parts: list[bytes]) -> int:
    """Bytes on the line, each file compressed for itself; brotli sends less."""
    return sum(len(gzip.compress(part, 9)) for part in parts)


def test_scripts_and_styles_of_the_table_page() -> None:
    scripts = contents(*modules_of("pages/match.js"))
    styles = contents("taku/css/tokens.css", "taku/css/taku.css")
    assert sum(map(len, scripts)) <= 90_000
    assert sum(map(len, styles)) <= 30_000
    assert sent(scripts + styles) <= 35_000


@pytest.mark.parametrize("language", ["ja", "en"])
def test_texts_of_a_language(language: str) -> None:
    assert sent(contents(f"taku/js/texts/{language}.js")) <= 12_000
