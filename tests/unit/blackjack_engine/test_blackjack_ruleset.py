"""A rule set is taken whole and strictly, and every fault names its key (R2)."""

import json
import math

import pytest

from tables.blackjack.ruleset import (
    DEFAULTS,
    OPTIONS,
    RANKED,
    FaultCode,
    OptionType,
    Ruleset,
    RulesetError,
    as_mapping,
    from_words,
    ruleset_of,
)

# The table of R2, written out by hand: values that are taken and neighbours that are not.
TABLE = {
    "decks": ([1, 6, 8], [0, 9, -1, True, 6.0, "6", None]),
    "soft17": (["stand", "hit"], ["maybe", "Stand", "", None, True]),
    "blackjack_pays": (["3:2", "6:5"], ["1:1", "3/2", 1.5, None]),
    "double_after_split": ([True, False], [1, 0, "true", None]),
    "surrender": (["none", "late"], ["early", None, False]),
    "insurance": ([True, False], [1, 0, "false", None]),
    "hole_card": (["american", "european"], ["none", None]),
    "split_by": (["rank", "value"], ["suit", None]),
    "max_hands": ([2, 3, 4], [1, 5, True, 4.0, "4", None]),
    "resplit_aces": ([True, False], [1, 0, None]),
    "initial_chips": ([200, 1000, 100_000], [90, 1005, 100_010, 1000.0, "1000", None]),
    "max_bet": ([10, 200, 1000], [0, 5, 15, 10_010, 20.0, None, -10]),
    "rounds": ([1, 10, 50], [0, 51, True, None, math.nan, math.inf]),
    "rebuys": ([0, 5], [-1, 6, False, None, 10**30]),
    "turn_seconds": ([None, 30, 60], [0, 31, 30.0, "30", False]),
}


def test_the_options_stand_in_the_order_of_the_table() -> None:
    assert [option.key for option in OPTIONS] == list(TABLE)
    assert list(as_mapping(DEFAULTS)) == list(TABLE)


@pytest.mark.parametrize(
    ("key", "value"), [(key, value) for key, (good, _) in TABLE.items() for value in good]
)
def test_every_value_of_the_table_is_taken(key: str, value: object) -> None:
    mapping = as_mapping(ruleset_of({key: value}))
    assert mapping == {**as_mapping(DEFAULTS), key: value}
    assert type(mapping[key]) is type(value)


@pytest.mark.parametrize(
    ("key", "value"), [(key, value) for key, (_, bad) in TABLE.items() for value in bad]
)
def test_every_other_value_is_refused_by_name(key: str, value: object) -> None:
    with pytest.raises(RulesetError) as caught:
        ruleset_of({key: value})
    assert [fault.key for fault in caught.value.errors] == [key]
    assert key in str(caught.value)


@pytest.mark.parametrize("value", [[], {}, ["stand"], {"decks": 6}])
def test_a_list_or_an_object_is_no_value_of_any_option(value: object) -> None:
    for key in TABLE:
        with pytest.raises(RulesetError):
            ruleset_of({key: value})


def test_an_unknown_key_is_named() -> None:
    with pytest.raises(RulesetError, match="deks") as caught:
        ruleset_of({"deks": 6})
    assert caught.value.errors[0].code is FaultCode.UNKNOWN


def test_all_faulty_keys_are_named_at_once() -> None:
    with pytest.raises(RulesetError) as caught:
        ruleset_of({"decks": 9, "soft17": "maybe", "rounds": 5, "x": 1})
    assert [fault.key for fault in caught.value.errors] == ["decks", "soft17", "x"]


def test_more_to_bet_than_everybody_has_is_refused_naming_max_bet() -> None:
    for overrides in ({"initial_chips": 100, "max_bet": 110}, {"initial_chips": 100}):
        with pytest.raises(RulesetError) as caught:
            ruleset_of(overrides)
        assert [fault.key for fault in caught.value.errors] == ["max_bet"]
    assert ruleset_of({"initial_chips": 100, "max_bet": 100}).max_bet == 100


def test_late_surrender_without_a_hole_card_is_refused() -> None:
    with pytest.raises(RulesetError) as caught:
        ruleset_of({"surrender": "late", "hole_card": "european"})
    assert [fault.key for fault in caught.value.errors] == ["surrender"]
    assert "hole_card" in str(caught.value)


def test_changes_build_on_the_rules_in_force() -> None:
    late = ruleset_of({"surrender": "late"})
    assert ruleset_of({"decks": 1}, base=late) == Ruleset(decks=1, surrender=late.surrender)
    with pytest.raises(RulesetError):
        ruleset_of({"hole_card": "european"}, base=late)


def test_ranked_matches_use_the_defaults_with_a_clock() -> None:
    assert as_mapping(RANKED) == {**as_mapping(DEFAULTS), "turn_seconds": 30}


def test_every_option_in_force_is_plain_json_and_reads_back() -> None:
    text = json.dumps(as_mapping(RANKED))
    assert ruleset_of(json.loads(text)) == RANKED


def test_numbers_tell_their_bounds_and_choices_their_values() -> None:
    for option in OPTIONS:
        if option.type is OptionType.INTEGER:
            assert option.min is not None
            assert option.max is not None
            assert option.step in (1, 10)
            assert option.values == ()
        else:
            assert option.default in option.values
            assert (option.min, option.max, option.step) == (None, None, None)


def test_rules_are_read_from_words_by_their_types() -> None:
    words = {
        "decks": "2",
        "soft17": "hit",
        "insurance": "false",
        "max_hands": "3",
        "turn_seconds": "null",
        "max_bet": "100",
    }
    assert from_words(words) == {
        "decks": 2,
        "soft17": "hit",
        "insurance": False,
        "max_hands": 3,
        "turn_seconds": None,
        "max_bet": 100,
    }
    for ruleset in (DEFAULTS, RANKED, Ruleset(decks=1, resplit_aces=True)):
        words = {key: json.dumps(value).strip('"') for key, value in as_mapping(ruleset).items()}
        assert ruleset_of(from_words(words)) == ruleset


@pytest.mark.parametrize(
    ("key", "word"),
    [
        ("decks", "６"),
        ("decks", "6.0"),
        ("decks", ""),
        ("decks", "9" * 30),
        ("insurance", "True"),
        ("insurance", "1"),
        ("turn_seconds", ""),
        ("turn_seconds", "None"),
        ("sofa", "1"),
    ],
)
def test_words_that_cannot_be_read_are_refused_by_name(key: str, word: str) -> None:
    with pytest.raises(RulesetError) as caught:
        ruleset_of(from_words({key: word}))
    assert [fault.key for fault in caught.value.errors] == [key]
