"""The house rules as `GET rules/` tells them."""

import itertools
import re
from typing import Any

import pytest
from django.test import Client

from api.rule_texts import CONFLICTS, PRESETS, TEXTS, fault_text
from tables.blackjack.ruleset import OPTIONS, FaultCode, RulesetError, ruleset_of
from tables.blackjack.strategy import relevant_key
from tables.models import StoredStrategy
from tables.selectors import edges
from tables.selectors.strategies import stored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey")]


def rules(language: str = "en") -> Any:
    answer = Client().get("/api/v1/rules/", HTTP_ACCEPT_LANGUAGE=language)
    assert answer.status_code == 200
    return answer.json()


def test_every_option_is_told_in_its_order_with_its_bounds() -> None:
    told = rules()["options"]
    assert [option["key"] for option in told] == [option.key for option in OPTIONS]
    assert list(told[0]) == [
        "key", "type", "values", "min", "max", "step", "default", "name", "summary", "explanation",
        "effect", "conflicts",
    ]  # fmt: skip
    by_key = {option["key"]: option for option in told}
    decks = by_key["decks"]
    assert (decks["type"], decks["min"], decks["max"], decks["step"]) == ("integer", 1, 8, 1)
    assert (decks["default"], decks["values"]) == (6, None)
    assert by_key["turn_seconds"]["values"] == [
        {"value": None, "label": "None"},
        {"value": 30, "label": "30 seconds"},
        {"value": 60, "label": "60 seconds"},
    ]
    assert [value["value"] for value in by_key["insurance"]["values"]] == [True, False]


def test_defaults_and_presets_can_be_played_by() -> None:
    told = rules()
    defaults = {option["key"]: option["default"] for option in told["options"]}
    assert ruleset_of(defaults) == ruleset_of({})
    assert {preset["key"]: preset["rules"] for preset in told["presets"]} == {
        "standard": {},
        "european": {"hole_card": "european"},
        "single_deck": {"decks": 1},
        "strict": {"soft17": "hit", "blackjack_pays": "6:5", "double_after_split": False},
        "gentle": {"surrender": "late", "resplit_aces": True, "split_by": "value"},
    }
    for preset in told["presets"]:
        ruleset_of(preset["rules"])


def test_every_text_is_said_in_both_languages_in_words_of_the_field() -> None:
    def texts(document: Any) -> list[str]:
        words = [
            option[part]
            for option in document["options"]
            for part in ("name", "summary", "explanation")
        ]
        words += [
            value["label"] for option in document["options"] for value in option["values"] or ()
        ]
        words += [preset[part] for preset in document["presets"] for part in ("name", "summary")]
        words += [c["detail"] for option in document["options"] for c in option["conflicts"]]
        return words

    english, japanese = texts(rules("en")), texts(rules("ja"))
    assert len(english) == len(japanese) >= 80
    for said, by_us in zip(english, japanese, strict=True):
        assert said.isascii()
        assert re.fullmatch(r"\d:\d", said) or not by_us.isascii(), said
    assert not re.search("賭|ベット|配当|掛け金|カジノ|ハウスエッジ|現金", "".join(japanese))
    names = {preset["key"]: preset["name"] for preset in rules("ja")["presets"]}
    assert names == {
        "standard": "標準",
        "european": "欧州式",
        "single_deck": "1デッキ",
        "strict": "きびしめ",
        "gentle": "やさしめ",
    }


def test_the_conflicts_told_are_those_that_are_refused() -> None:
    refused = set()
    for one, other in itertools.permutations(OPTIONS, 2):
        for value, other_value in itertools.product(one.values, other.values):
            try:
                ruleset_of({one.key: value, other.key: other_value})
            except RulesetError:
                refused.add((one.key, value, other.key, other_value))
    told = {(c.key, c.value, c.other, c.other_value) for c in CONFLICTS if c.value is not None}
    assert told == refused
    with pytest.raises(RulesetError):
        ruleset_of({"max_bet": 200, "initial_chips": 190})


def test_every_fault_of_a_value_is_said_in_words() -> None:
    for option in OPTIONS:
        with pytest.raises(RulesetError) as refused:
            ruleset_of({option.key: object()})
        [fault] = refused.value.errors
        assert fault_text(fault.key, fault.code)
        if option.min is not None:
            assert str(option.max) in str(fault_text(option.key, FaultCode.OUT_OF_RANGE))
    assert fault_text("nonsense", FaultCode.UNKNOWN)
    assert fault_text("max_bet", FaultCode.CONFLICT)
    assert fault_text("surrender", FaultCode.CONFLICT)
    assert len(TEXTS) == len(OPTIONS)
    assert len(PRESETS) == 5


def test_effects_are_null_until_computed_and_asked_for_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(edges, "_known", {})
    stored.cache_clear()  # what another test computed, in a database that is gone
    decks = rules()["options"][0]
    assert {effect["points"] for effect in decks["effect"]} == {None}
    asked = StoredStrategy.objects.count()
    assert asked > 10
    rules()
    assert StoredStrategy.objects.count() == asked
    for changed, edge in (({}, -0.004), ({"decks": 1}, 0.001)):
        StoredStrategy.objects.filter(pk=relevant_key(ruleset_of(changed))).update(
            strategy=f'{{"key":"","edge":{edge},"hands":{{}}}}'
        )
    told = rules()["options"]
    effects = {effect["value"]: effect["points"] for effect in told[0]["effect"]}
    assert (effects[1], effects[6], effects[2]) == (0.5, 0.0, None)
    assert {option["key"] for option in told if option["effect"] is None} == {
        "insurance", "initial_chips", "max_bet", "rounds", "rebuys", "turn_seconds"
    }  # fmt: skip
