"""The computed strategy: known edges, known choices, and the shape in which it is told."""

import hashlib
from functools import cache
from itertools import combinations_with_replacement

import msgspec
import pytest

from tables.blackjack.actions import ActionName
from tables.blackjack.ruleset import OPTIONS, Ruleset, RulesetError, ruleset_of
from tables.blackjack.strategy import (
    RELEVANT,
    SOLVER_VERSION,
    UP_CARDS,
    Advice,
    Strategy,
    advice,
    cost,
    effect,
    hand_name,
    insurance_advice,
    relevant_key,
    ruleset_of_key,
    solve,
)

H17 = {"soft17": "hit"}


@cache
def _solved(document: bytes) -> Strategy:
    return solve(ruleset_of(msgspec.json.decode(document)))


def solved(**rules: object) -> Strategy:
    return _solved(msgspec.json.encode(rules))


@pytest.mark.parametrize(
    ("rules", "percent"),
    [
        ({}, -0.406),
        ({"blackjack_pays": "6:5"}, -1.766),
        ({"decks": 1}, 0.144),
        (H17, -0.618),
    ],
)
def test_known_edges_come_out(rules: dict[str, object], percent: float) -> None:
    assert 100 * solved(**rules).edge == pytest.approx(percent, abs=0.0006)


@pytest.mark.parametrize(
    ("rules", "points"),
    [
        (H17, -0.21),
        ({"double_after_split": False}, -0.14),
        ({"blackjack_pays": "6:5"}, -1.36),
        ({"resplit_aces": True}, 0.07),
        ({"surrender": "late"}, 0.07),
        ({"hole_card": "european"}, -0.11),
    ],
)
def test_each_rule_has_its_published_effect(rules: dict[str, object], points: float) -> None:
    assert effect(solved(**rules), solved()) == pytest.approx(points, abs=0.006)


def test_more_decks_and_fewer_hands_are_worse_for_the_player() -> None:
    edges = [solved(decks=decks).edge for decks in range(1, 9)]
    assert edges == sorted(edges, reverse=True)
    assert solved(max_hands=2).edge < solved(max_hands=3).edge < solved().edge


@pytest.mark.parametrize(
    ("rules", "hand", "up", "best"),
    [
        ({}, "hard 16", "T", "hit"),
        ({}, "hard 12", "3", "hit"),
        ({}, "hard 12", "4", "stand"),
        ({}, "hard 11", "A", "hit"),
        (H17, "hard 11", "A", "double"),
        ({"decks": 1}, "hard 11", "A", "double"),
        ({"decks": 1}, "hard 8", "6", "double"),
        ({}, "hard 8", "6", "hit"),
        ({}, "soft 18", "2", "stand"),
        (H17, "soft 18", "2", "double"),
        (H17, "soft 19", "6", "double"),
        ({}, "soft 18", "9", "hit"),
        ({}, "pair 4", "5", "split"),
        ({"double_after_split": False}, "pair 4", "5", "hit"),
        ({}, "pair 9", "7", "stand"),
        ({}, "pair 8", "A", "split"),
        ({"hole_card": "european"}, "pair 8", "A", "hit"),
        ({"hole_card": "european"}, "hard 11", "T", "hit"),
        ({"hole_card": "european"}, "pair A", "A", "hit"),
        ({"surrender": "late"}, "hard 16", "9", "surrender"),
        ({"surrender": "late"}, "hard 15", "T", "surrender"),
        ({"surrender": "late"}, "hard 15", "9", "hit"),
        ({}, "pair T", "6", "stand"),
    ],
)
def test_basic_strategy_says_what_the_books_say(
    rules: dict[str, object], hand: str, up: str, best: str
) -> None:
    assert solved(**rules).hands[hand][up].best == best


def test_the_table_has_every_two_card_hand_against_every_up_card_in_order() -> None:
    hands = solved().hands
    assert list(hands) == [
        *(f"hard {total}" for total in range(4, 21)),
        *(f"soft {total}" for total in range(12, 21)),
        *(f"pair {rank}" for rank in UP_CARDS),
    ]
    assert all("".join(row) == "A23456789T" for row in hands.values())


@pytest.mark.parametrize("rules", [{}, {"surrender": "late", "decks": 2}])
def test_each_cell_tells_the_actions_of_the_rules_and_the_greatest_is_best(
    rules: dict[str, object],
) -> None:
    document = msgspec.json.decode(msgspec.json.encode(solved(**rules)))
    for hand, row in document["hands"].items():
        for cell in row.values():
            values = {key: worth for key, worth in cell.items() if key != "best"}
            expected = ["stand", "hit", "double"]
            expected += ["split"] if hand.startswith("pair") else []
            expected += ["surrender"] if rules else []
            assert list(values) == expected
            assert values[cell["best"]] == max(values.values())


def test_hands_that_are_only_ever_pairs_have_the_pairs_values() -> None:
    hands = solved(split_by="value").hands
    for total, pair in (("hard 4", "pair 2"), ("soft 12", "pair A"), ("hard 20", "pair T")):
        for up in UP_CARDS:
            assert hands[total][up].hit == hands[pair][up].hit
            assert hands[total][up].split is None


def test_splitting_tens_is_never_best_so_which_may_be_split_changes_no_edge() -> None:
    # Nor is a resplit, so that the split is worth that of two hands by either rule.
    by_rank, by_value = solved(decks=1), solved(decks=1, split_by="value")
    assert by_rank.edge == by_value.edge
    splits = [strategy.hands["pair T"]["6"].split for strategy in (by_rank, by_value)]
    assert splits[0] == splits[1] == pytest.approx(0.5204, abs=0.0002)


def test_a_strategy_survives_being_stored() -> None:
    strategy = solved()
    stored = msgspec.json.encode(strategy)
    assert msgspec.json.decode(stored, type=Strategy) == strategy
    assert msgspec.json.encode(solve(Ruleset())) == stored


def test_only_what_changes_the_strategy_is_in_its_key() -> None:
    key = relevant_key(Ruleset())
    same = {
        "insurance": False,
        "initial_chips": 500,
        "max_bet": 50,
        "rounds": 3,
        "rebuys": 2,
        "turn_seconds": 30,
    }
    assert set(same) | set(RELEVANT) == {option.key for option in OPTIONS}
    for option, changed in same.items():
        assert relevant_key(ruleset_of({option: changed})) == key
    different = {
        "decks": 5,
        "soft17": "hit",
        "blackjack_pays": "6:5",
        "double_after_split": False,
        "surrender": "late",
        "hole_card": "european",
        "split_by": "value",
        "max_hands": 2,
        "resplit_aces": True,
    }
    assert set(different) == set(RELEVANT)
    keys = {relevant_key(ruleset_of({option: changed})) for option, changed in different.items()}
    assert len(keys | {key}) == len(different) + 1


def test_a_key_leads_back_to_rules_with_the_same_strategy() -> None:
    for rules in ({}, {"decks": 1, "surrender": "late"}, {"resplit_aces": True, "max_hands": 2}):
        key = relevant_key(ruleset_of(rules))
        assert relevant_key(ruleset_of_key(key)) == key
    with pytest.raises(RulesetError):
        ruleset_of_key("solver=0&decks=6")


def test_what_the_solver_gives_is_that_of_its_version() -> None:
    """Stored strategies are never computed again: raise SOLVER_VERSION when this fails."""
    told = [
        f"{name} {up} {choice.best} {choice.value(choice.best):.3f}"
        for rules in ({}, {"decks": 1, "soft17": "hit", "hole_card": "european"})
        for name, row in solved(**rules).hands.items()
        for up, choice in row.items()
    ]
    digest = hashlib.sha256("\n".join(told).encode()).hexdigest()
    assert (SOLVER_VERSION, digest[:16]) == (1, "b2b936084185e0b1")


@pytest.mark.parametrize(
    ("cards", "name"),
    [
        (("8S", "8H"), "pair 8"),
        (("TS", "KH"), "pair T"),
        (("AS", "AH"), "pair A"),
        (("AS", "6H"), "soft 17"),
        (("9S", "7H"), "hard 16"),
        (("AS", "AH", "5D"), "soft 17"),
        (("AS", "KH", "5D"), "hard 16"),
        (("4S", "4H", "4D"), "hard 12"),
    ],
)
def test_a_hand_has_the_row_of_its_pair_or_total(cards: tuple[str, ...], name: str) -> None:
    assert hand_name(cards) == name


def test_advice_is_the_best_of_what_is_legal() -> None:
    legal = [ActionName.HIT, ActionName.STAND, ActionName.DOUBLE]
    given = advice(solved(), ("6S", "5H"), "KD", legal)
    assert given.best is ActionName.DOUBLE
    assert [valued.action for valued in given.actions] == [
        ActionName.DOUBLE,
        ActionName.HIT,
        ActionName.STAND,
    ]
    assert advice(solved(), ("6S", "3H", "2D"), "KD", legal[:2]).best is ActionName.HIT
    assert cost(given, ActionName.DOUBLE) == 0
    assert 0 < cost(given, ActionName.HIT) < cost(given, ActionName.STAND)


def test_advice_needs_something_to_decide() -> None:
    with pytest.raises(LookupError):
        advice(solved(), ("6S", "5H"), "KD", [ActionName.BET])
    with pytest.raises(LookupError):
        advice(solved(), ("KS", "5H", "6D"), "KD", [ActionName.STAND])


@pytest.mark.parametrize("decks", range(1, 9))
def test_insurance_never_pays_whatever_two_cards_are_gone(decks: int) -> None:
    for cards in combinations_with_replacement(("AS", "2S", "KS"), 2):
        given: Advice = insurance_advice(decks, cards)
        assert given.best is ActionName.DECLINE
        assert cost(given, ActionName.INSURE) > 0
