"""The client's texts: one module per language, the same keys, in the words of the field."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tables.blackjack.actions import Refusal, RefusedCode
from tables.party_refusals import (
    AlreadyInParty,
    BlockedByHost,
    InMatch,
    Kicked,
    PartyFull,
    PartyStarted,
    Searching,
)

JS = Path(__file__).resolve().parents[3] / "api" / "static" / "taku" / "js"
LANGUAGES = ("ja", "en")
FORBIDDEN = ("賭", "ベット", "配当", "掛け金", "カジノ", "ハウスエッジ", "現金")
LITERAL = re.compile(r"""(?<![.\w])(?:t|has)\(\s*["']([a-z0-9_.A-Z]+)["']""")
FAMILY = re.compile(r"""`([a-z0-9]+\.[a-z0-9_.]*)\$\{""")
ELEMENTS = ("button.", "div.", "dialog.")
TERNARY = re.compile(r"""["']([a-z0-9]+\.[a-zA-Z0-9_.]+)["']""")
PLACEHOLDER = re.compile(r"\{(\w+)(?:\|[^}]*)?\}")


def texts(language: str) -> dict[str, str]:
    """The table that a language's module installs; it is kept as plain JSON."""
    source = (JS / "texts" / f"{language}.js").read_text()
    body = source[source.index(", {") + 2 : source.rindex(")")]
    pairs = json.loads(body, object_pairs_hook=list)
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), "a key is written twice"
    return dict(pairs)


def sources() -> list[str]:
    return [file.read_text() for file in JS.rglob("*.js") if file.parent.name != "texts"]


def used() -> tuple[set[str], set[str]]:
    """Keys that the code names, and the beginnings of those it puts together."""
    literal: set[str] = set()
    families: set[str] = set()
    for source in sources():
        literal |= set(LITERAL.findall(source)) | set(TERNARY.findall(source))
        families |= set(FAMILY.findall(source))
    return literal, families


def test_both_languages_have_the_same_keys() -> None:
    """UI-04"""
    japanese, english = texts("ja"), texts("en")
    assert sorted(japanese) == sorted(english)


def test_both_languages_fill_in_the_same_values() -> None:
    japanese, english = texts("ja"), texts("en")
    for key, text in japanese.items():
        ours = set(PLACEHOLDER.findall(text))
        theirs = set(PLACEHOLDER.findall(english[key]))
        assert ours == theirs, key


def test_every_text_that_the_code_asks_for_is_there() -> None:
    known = set(texts("ja"))
    named = {key for source in sources() for key in LITERAL.findall(source)}
    assert not {key for key in named if key not in known and not key.endswith(".")}
    _, families = used()
    for family in families:
        if family.startswith(ELEMENTS):
            continue
        assert any(key.startswith(family) for key in known), family


def test_no_text_is_left_that_nobody_asks_for() -> None:
    literal, families = used()
    unused = {
        key
        for key in texts("ja")
        if key not in literal and not any(key.startswith(family) for family in families)
    }
    assert not unused


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_empty_and_none_shouts(language: str) -> None:
    for key, text in texts(language).items():
        assert text.strip(), key
        assert "!" not in text, key
        assert "！" not in text, key


def test_japanese_speaks_of_points_not_of_money() -> None:
    for key, text in texts("ja").items():
        assert not [word for word in FORBIDDEN if word in text], key


def test_japanese_texts_are_japanese() -> None:
    letters = re.compile(r"[A-Za-z]{4,}")
    for key, text in texts("ja").items():
        if key == "settings.language_en":
            continue
        assert not letters.search(PLACEHOLDER.sub("", text)), key


def test_every_refusal_of_a_decision_has_a_sentence() -> None:
    known = texts("ja")
    for refusal in Refusal.__subclasses__():
        assert f"error.{refusal.code}" in known, refusal
    for code in RefusedCode:
        assert f"refused.{code}" in known, code


def test_every_refusal_to_join_has_a_sentence_with_the_next_step() -> None:
    refusals = (AlreadyInParty, BlockedByHost, InMatch, Kicked, PartyFull, PartyStarted, Searching)
    for refusal in refusals:
        assert f"join.{refusal.code}" in texts("ja"), refusal
