"""The pages' texts: every one that a template asks for is there in Japanese."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parents[3]
TEMPLATES = ROOT / "api" / "templates"
TRANSLATE = re.compile(r"""\{%\s*translate\s+"((?:[^"\\]|\\.)*)\"""")
BLOCK = re.compile(r"\{%\s*blocktranslate[^%]*%\}(.*?)\{%\s*endblocktranslate\s*%\}", re.DOTALL)
VARIABLE = re.compile(r"\{\{\s*(\w+)\s*\}\}")
FORBIDDEN = ("賭", "ベット", "配当", "掛け金", "カジノ", "ハウスエッジ", "現金")


@pytest.fixture(scope="module")
def japanese() -> Catalog:
    with (ROOT / "config/locale/ja/LC_MESSAGES/django.po").open("rb") as file:
        return read_po(file)


def asked_for() -> set[str]:
    found: set[str] = set()
    for file in TEMPLATES.rglob("*.html"):
        text = file.read_text()
        found |= set(TRANSLATE.findall(text))
        found |= {VARIABLE.sub(r"%(\1)s", block) for block in BLOCK.findall(text)}
    return found


def test_every_text_of_the_pages_is_there_in_japanese(japanese: Catalog) -> None:
    missing = {text for text in asked_for() if not (japanese.get(text) and japanese[text].string)}
    assert not missing


def test_no_text_is_unsure_or_empty(japanese: Catalog) -> None:
    assert not [message.id for message in japanese if message.id and message.fuzzy]
    assert not [message.id for message in japanese if message.id and not message.string]


def test_japanese_pages_speak_of_points_not_of_money(japanese: Catalog) -> None:
    texts = [str(message.string) for message in japanese]
    texts += [file.read_text() for file in TEMPLATES.rglob("*_ja.html")]
    for text in texts:
        assert not [word for word in FORBIDDEN if word in text], text


def test_no_page_has_inline_script_or_style() -> None:
    for file in TEMPLATES.rglob("*.html"):
        text = file.read_text()
        assert " style=" not in text, file
        assert not re.search(r"\son\w+=", text), file
        assert not re.search(r"<script(?![^>]*\bsrc=)", text), file
        assert not re.search(r"(?:src|href)=\"(?:https?:)?//", text), file
