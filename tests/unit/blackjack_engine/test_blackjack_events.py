"""The events of a round stand in the order in which things happen at a table."""

from tables.blackjack.actions import Action, ActionName
from tables.blackjack.engine import apply
from tables.blackjack.shoe import no_seed
from tests.unit.blackjack_engine.test_blackjack_faults import Played


def names(match: Played, start: int = 0) -> list[str]:
    return [event.type for event in match.told[start:]]


def test_a_round_with_insurance_and_a_double_is_told_in_order() -> None:
    match = Played("5S AD 6S 7D TS").play(20, "insure", "double")
    assert names(match) == [
        "round_started",
        "bet_placed",
        *["card_dealt"] * 4,
        "insured",
        "dealer_peeked",
        "insurance_lost",
        "doubled",
        "card_dealt",
        "hand_ended",
        "hole_card_opened",
        "round_settled",
        "round_started",
    ]


def test_a_split_is_told_with_its_cards_and_hands() -> None:
    match = Played("8S 6D 8H TD KH AC 7C 9C")
    match.play(10)
    told = len(match.told)
    match.play("split")
    assert names(match, told) == ["split", "card_dealt", "card_dealt"]
    assert [(e.hand, e.card) for e in match.told[told + 1 :]] == [(0, "KH"), (1, "AC")]
    match.play("stand", "stand")
    assert names(match, told + 3) == [
        "stood",
        "hand_ended",
        "stood",
        "hand_ended",
        "hole_card_opened",
        "card_dealt",
        "round_settled",
        "round_started",
    ]


def test_split_aces_end_with_their_cards() -> None:
    match = Played("AS 6D AH TD KH 5C 7C")
    match.play(10)
    told = len(match.told)
    match.play("split")
    assert names(match, told)[:5] == [
        "split",
        "card_dealt",
        "card_dealt",
        "hand_ended",
        "hand_ended",
    ]
    assert [e.status.value for e in match.told[told + 3 : told + 5]] == ["split_ace"] * 2


def test_a_rebuy_is_booked_as_the_next_round_starts() -> None:
    match = Played("TS TD 6S TH", initial_chips=100, max_bet=100, rebuys=1).play(100, "stand")
    assert names(match)[-3:] == ["round_settled", "rebought", "round_started"]
    assert match.state.last_round.seats[0].chips == 0
    assert match.state.seats[0].chips == 100
    assert match.state.seats[0].rebuys == 1


def test_whoever_is_out_is_told_so_and_is_asked_no_more() -> None:
    shoe = "TS TC TD 6S 9S TH TC 9D 9S TD"
    match = Played(shoe, seats=2, initial_chips=100, max_bet=100).play(100, 10, "stand", "stand")
    assert names(match)[-3:] == ["round_settled", "went_out", "round_started"]
    assert match.told[-1].seats == (2,)
    assert match.state.seat == 2
    match.play(10, "stand")
    assert match.state.last_round.round == 2
    assert match.state.last_round.seats[0].hands == ()


def test_no_rebuy_is_booked_after_the_last_round() -> None:
    match = Played("TS TD 6S TH", initial_chips=100, max_bet=100, rebuys=1, rounds=1)
    match.play(100, "stand")
    assert match.state.finished
    assert match.state.seats[0].rebuys == 0
    assert names(match)[-1] == "round_settled"


def test_reading_the_events_twice_gives_the_same() -> None:
    match = Played("TS TD 6S TH 3C").play(100)
    step = apply(match.state, Action(1, ActionName.STAND), no_seed)
    assert step.events == step.events
    assert step.events
