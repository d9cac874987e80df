"""Every error that can be raised has its place in the one catalogue, in both languages."""

import importlib
import pkgutil
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po
from django.conf import settings
from django.utils import translation

import accounts
import api
import ratings
import tables
from accounts.names import NameFault
from accounts.preferences import PreferenceFault
from api.catalogue import CATALOGUE, FIELD_TEXTS
from api.errors import problem_of
from api.management.commands.list_problems import page


def error_types():
    for package in (accounts, ratings, tables, api):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if ".migrations" in module.name or ".management" in module.name:
                continue
            for value in vars(importlib.import_module(module.name)).values():
                if isinstance(value, type) and issubclass(value, Exception):
                    code = vars(value).get("code")
                    if value.__module__ == module.name and isinstance(code, str):
                        yield value, code


def test_every_error_of_ours_is_in_the_catalogue():
    found = list(error_types())
    assert len(found) > 15
    missing = {
        f"{error.__module__}.{error.__name__}: {code}"
        for error, code in found
        if code not in CATALOGUE
    }
    assert not missing


def test_every_field_fault_of_ours_has_a_text():
    assert {*NameFault, *PreferenceFault} <= set(FIELD_TEXTS)


@pytest.mark.parametrize("code", sorted(CATALOGUE))
def test_every_problem_is_said_in_both_languages(code):
    entry = CATALOGUE[code]
    assert 400 <= entry.status < 600
    said = {}
    for language in ("en", "ja"):
        with translation.override(language):
            said[language] = (str(entry.title), str(entry.detail))
    for english, japanese in zip(said["en"], said["ja"], strict=True):
        assert english.isascii()
        assert not japanese.isascii()


def test_every_text_of_the_code_stands_among_the_japanese_ones():
    keywords = {"_": None, "gettext": None, "gettext_lazy": None}
    found = {
        text
        for package in ("accounts", "api", "ratings", "tables")
        for _, _, text, *_ in extract_from_dir(
            settings.BASE_DIR / package, [("**.py", "python")], keywords=keywords
        )
    }
    with Path(settings.LOCALE_PATHS[0], "ja/LC_MESSAGES/django.po").open("rb") as file:
        translated = {message.id for message in read_po(file) if message.id}
    assert found <= translated, sorted(found - translated)


def test_no_japanese_text_is_missing_or_unsure():
    with Path(settings.LOCALE_PATHS[0], "ja/LC_MESSAGES/django.po").open("rb") as file:
        catalog = read_po(file, locale="ja")
    texts = [message for message in catalog if message.id]
    assert texts
    assert not [message.id for message in texts if message.fuzzy or not message.string]
    forbidden = ("賭", "ベット", "配当", "掛け金", "カジノ", "ハウスエッジ", "現金")
    assert not [m.id for m in texts if any(word in str(m.string) for word in forbidden)]
    for message in texts:
        list(message.check(catalog))


def test_a_fault_of_the_program_says_nothing_about_itself():
    class Odd(Exception):
        code = "party_full"

    Odd.__module__ = "psycopg.errors"
    problem = problem_of(Odd("secret"))
    assert (problem.status, problem.code) == (500, "internal_error")
    assert "secret" not in str(problem.body())


def test_the_documents_list_every_problem():
    written = (settings.BASE_DIR / "docs" / "problems.md").read_text()
    assert written == page(), "Run: python manage.py list_problems > docs/problems.md"
