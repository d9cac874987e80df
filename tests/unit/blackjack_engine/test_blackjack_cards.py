"""Cards are written and counted as R3.1 and R6.1 say."""

from collections import Counter

from tables.blackjack.cards import PACK, PLACES, packs, value


def test_a_pack_has_fifty_two_different_cards_in_the_documented_order() -> None:
    assert len(set(PACK)) == 52
    assert PACK[:14] == (*(rank + "S" for rank in "A23456789TJQK"), "AH")
    assert PACK[-1] == "KC"
    assert [PLACES[card] for card in PACK] == list(range(52))


def test_each_card_counts_what_the_rules_say() -> None:
    counts = {rank: value(f"{rank}D") for rank in "A23456789TJQK"}
    assert list(counts.values()) == [11, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]


def test_eight_packs_hold_every_card_eight_times_in_order() -> None:
    cards = packs(8)
    assert set(Counter(cards).values()) == {8}
    assert list(cards) == sorted(cards, key=PLACES.__getitem__)
