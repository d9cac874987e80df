"""The table page stays light: its own scripts and styles, and each language's texts."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from api.modules import modules_of
from config.static import without_comments

STATIC = Path(__file__).resolve().parents[3] / "api" / "static"


def contents(*names: str) -> list[bytes]:
    return [(STATIC / name).read_bytes() for name in names]


def sent(parts: list[bytes]) -> int:
    """Bytes on the line: each file as it is collected, compressed for itself."""
    return sum(len(gzip.compress(without_comments(part), 9)) for part in parts)


def test_scripts_and_styles_of_the_table_page() -> None:
    scripts = contents(*modules_of("pages/match.js"))
    styles = contents("taku/css/tokens.css", "taku/css/taku.css", "taku/css/ranked.css")
    assert sum(map(len, scripts)) <= 90_000
    assert sum(map(len, styles)) <= 30_000
    assert sent(scripts + styles) <= 35_000


@pytest.mark.parametrize("language", ["ja", "en"])
def test_texts_of_a_language(language: str) -> None:
    assert sent(contents(f"taku/js/texts/{language}.js")) <= 12_000


def test_no_text_looks_like_a_comment_to_collecting() -> None:
    for file in (STATIC / "taku" / "js").rglob("*.js"):
        for literal in re.findall(r"`[^`]*`", file.read_text()):
            assert not re.search(r"^\s*(?:/\*|//)", literal, re.MULTILINE), file


def test_comments_hold_nothing_that_looks_like_an_import() -> None:
    for file in (STATIC / "taku" / "js").rglob("*.js"):
        source = file.read_text()
        blocks = re.findall(r"/\*.*?\*/", source, re.DOTALL)
        for comment in blocks + re.findall(r"^\s*//.*$", source, re.MULTILINE):
            assert not re.search(r"\b(?:import|export)\b[^\n]*[\"']", comment), file


def test_modules_are_found_through_every_kind_of_import() -> None:
    found = modules_of("pages/match.js")
    assert found[0] == "taku/js/pages/match.js"
    assert "taku/js/elements/card.js" in found
    assert "taku/js/elements/match-sheets.js" not in found
    for name in found:
        assert (STATIC / name).is_file(), name
