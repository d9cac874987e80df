"""Tokens, languages and settings."""

import pytest

from accounts import preferences, tokens
from accounts.languages import Language, preferred
from accounts.preferences import PreferenceFault, Preferences, PreferencesRefused


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "ja"),
        ("ja", "ja"),
        ("en", "en"),
        ("en-GB,en;q=0.9", "en"),
        ("ja;q=0.5, en;q=0.9", "en"),
        ("en;q=0.5, ja;q=0.5", "en"),
        ("ja;q=0.5, en;q=0.5", "ja"),
        ("fr, de", "ja"),
        ("fr, en;q=0.1", "en"),
        ("en;q=0", "ja"),
        ("*", "ja"),
        ("EN", "en"),
        ("en;q=nonsense", "ja"),
        ("en;q=nan", "ja"),
        ("en;q=0.9, en-US;q=0.2, ja;q=0.5", "en"),
        ("english", "ja"),
        (";;,,=", "ja"),
    ],
)
def test_language_is_the_better_weighted_of_japanese_and_english(header, language):
    assert preferred(header) is Language(language)


def test_tokens_are_long_and_never_the_same():
    made = {tokens.new_token() for _ in range(100)}
    assert len(made) == 100
    assert all(len(token) == 43 for token in made)


@pytest.mark.parametrize(
    "typed", ["ABCDEFGHJK", "abcdefghjk", " abcde fghjk ", "ＡＢＣＤＥ－ＦＧＨＪＫ", "ABCDE-FGHJK"]
)
def test_a_code_is_read_in_any_case_and_width(typed):
    assert tokens.read_code(typed) == "ABCDEFGHJK"


def test_codes_have_no_look_alikes():
    code, key = tokens.transfer_code_of(b"x" * 32), tokens.recovery_key_of(b"x" * 32)
    assert len(code) == tokens.TRANSFER_CODE_LETTERS
    assert len(tokens.read_code(key)) == tokens.RECOVERY_KEY_LETTERS
    assert not set(code + key) & set("ILO01")
    assert len({tokens.recovery_key_of(tokens.new_material()) for _ in range(100)}) == 100


def test_settings_keep_what_is_not_given():
    chosen = preferences.changed(Preferences(volume=30), {"theme": "dark"})
    assert chosen == Preferences(volume=30, theme=preferences.Theme.DARK)
    assert preferences.stored(preferences.as_mapping(chosen)) == chosen


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *[("volume", value) for value in (-1, 101, "50", 1.5, True, None)],
        *[("theme", value) for value in ("blue", "", None, 1)],
        *[("language", value) for value in ("fr", "JA", None)],
        *[("four_colours", value) for value in (1, "true", None)],
        *[("confirm_over", value) for value in (-1, 101, "10")],
    ],
)
def test_settings_of_the_wrong_kind_are_refused_by_name(key, value):
    with pytest.raises(PreferencesRefused) as refused:
        preferences.changed(Preferences(), {key: value, "nothing": 1})
    assert refused.value.faults == {key: PreferenceFault.VALUE, "nothing": PreferenceFault.UNKNOWN}


def test_settings_of_another_time_can_be_read():
    assert preferences.stored({"gone": 1, "volume": 5}) == Preferences(volume=5)
