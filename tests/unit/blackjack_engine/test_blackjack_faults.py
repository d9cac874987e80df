"""The small inputs of docs/faults.md, area blackjack, each by its number."""

from itertools import zip_longest

import pytest

from tables.blackjack import engine, events
from tables.blackjack.actions import (
    Action,
    ActionName,
    BadAmount,
    IllegalAction,
    NotEnoughChips,
    NotYourTurn,
    Refusal,
    RefusedCode,
)
from tables.blackjack.engine import apply, results, start_scripted, turn
from tables.blackjack.hand import count
from tables.blackjack.ruleset import ruleset_of
from tables.blackjack.shoe import no_seed
from tables.blackjack.state import MatchState, Phase
from tables.blackjack.view import table_view

EUROPEAN = {"hole_card": "european"}


class Played:
    """A scripted match as tests write it: `deal` lays the cards, `play` names the decisions."""

    def __init__(self, shoe: str, seats: int = 1, **rules: object) -> None:
        step = start_scripted(ruleset_of(rules), seats, tuple(shoe.split()))
        self.state: MatchState = step.state
        self.told = list(step.events)

    def play(self, *decisions: str | int) -> "Played":
        """Take decisions by whoever is on turn; a number is a bet."""
        for decision in decisions:
            self.decide(self.state.seat, decision)
        return self

    def decide(self, seat: int, decision: str | int) -> None:
        if isinstance(decision, int):
            action = Action(seat, ActionName.BET, decision)
        else:
            action = Action(seat, ActionName(decision))
        step = apply(self.state, action, no_seed)
        self.state = step.state
        self.told += step.events

    def refused(self, decision: str | int, kind: type[Refusal]) -> Refusal:
        before = self.state
        with pytest.raises(kind) as caught:
            self.play(decision)
        assert self.state is before
        return caught.value

    @property
    def net(self) -> list[int]:
        """What each seat has won or lost so far."""
        initial = self.state.ruleset.initial_chips
        return [seat.chips - initial for seat in self.state.seats]

    @property
    def dealer(self) -> tuple[str, ...]:
        return self.state.last_round.dealer

    def outcomes(self, seat: int = 1) -> list[str]:
        return [hand.outcome.value for hand in self.state.last_round.seats[seat - 1].hands]

    def kinds(self) -> list[type]:
        return [type(event) for event in self.told]


def test_bj_02_aces_fall_to_one_one_at_a_time() -> None:
    assert count(("AS", "AH", "AD", "6S")) == (19, True)
    match = Played("AS TD AH 7D AD 6S").play(10, "hit", "hit", "stand")
    assert match.outcomes() == ["win"]


@pytest.mark.parametrize(
    ("soft17", "dealer", "drawn", "total"),
    [
        ("stand", "AD 6D", "", 17),
        ("hit", "AD 6D", "4C", 21),
        ("stand", "2D AD", "4C", 17),
        ("hit", "2D AD", "4C 2C", 19),
        ("stand", "6D AD", "", 17),
        ("hit", "6D AD", "TC", 17),
        ("stand", "AD AH", "5C", 17),
        ("hit", "AD AH", "5C 3C", 20),
        ("hit", "TD 7D", "", 17),
    ],
)
def test_bj_04_soft_17_is_played_by_the_rule(
    soft17: str, dealer: str, drawn: str, total: int
) -> None:
    up, hole = dealer.split()
    match = Played(f"TS {up} 9S {hole} {drawn}", soft17=soft17, insurance=False)
    match.play(10, "stand")
    assert match.state.last_round.total == total
    assert match.dealer == (up, hole, *drawn.split())


@pytest.mark.parametrize(
    ("dealer", "drawn"),
    [("TD 3D", "5C"), ("2D 2H", "3C 2C 3H 8C"), ("TD TH", ""), ("TD 7H", ""), ("9D 9H", "")],
)
def test_bj_05_only_the_total_decides_whether_the_dealer_draws(dealer: str, drawn: str) -> None:
    up, hole = dealer.split()
    match = Played(f"TS {up} 2S {hole} {drawn}").play(10, "stand")
    assert match.dealer == (up, hole, *drawn.split())


def test_bj_07_a_dealer_blackjack_beats_21_of_three_cards() -> None:
    match = Played("7S KD 7H 7C AD", **EUROPEAN).play(10, "hit")
    assert match.net == [-10]
    assert match.dealer == ("KD", "AD")


@pytest.mark.parametrize(("pays", "won"), [("3:2", 15), ("6:5", 12)])
def test_bj_09_a_blackjack_is_paid_by_the_tables_setting(pays: str, won: int) -> None:
    assert Played("AS 9D KS 8D", blackjack_pays=pays).play(10).net == [won]


@pytest.mark.parametrize("pair", ["AS AH KS 5S", "KS KH AS 9S"])
def test_bj_10_21_after_a_split_is_an_ordinary_21(pair: str) -> None:
    first, second, left, right = pair.split()
    match = Played(f"{first} TD {second} 4D {left} {right} 7D").play(10, "split")
    if match.state.phase is Phase.PLAYING:
        match.play("stand")
    assert match.state.last_round.total == 21
    assert match.outcomes() == ["push", "lose"]


def test_bj_10_21_after_a_split_loses_to_a_dealer_blackjack() -> None:
    match = Played("AS TD AH KS KH AD", **EUROPEAN).play(10, "split")
    assert match.outcomes() == ["lose", "lose"]
    assert match.net == [-20]


def test_bj_12_each_hand_is_settled_alone() -> None:
    match = Played("8S TD 8H 9D 7S AS TH").play(10, "split", "hit", "stand")
    assert match.outcomes() == ["bust", "push"]
    assert match.net == [-10]


def test_bj_14_equal_totals_after_a_double_push() -> None:
    match = Played("5S TD 6S 5D TS 6D").play(10, "double")
    assert match.outcomes() == ["push"]
    assert match.state.last_round.seats[0].hands[0].bet == 20
    assert match.net == [0]


def test_bj_15_a_push_gives_the_bet_back() -> None:
    assert Played("TS TD 8S 8D").play(10, "stand").net == [0]


def test_bj_17_a_double_needs_the_chips() -> None:
    match = Played("5S TD 6S 7D TS", initial_chips=100, max_bet=100).play(100)
    assert match.refused("double", NotEnoughChips).short == 100
    refused = {entry.action: entry for entry in turn(match.state).refused}
    assert refused[ActionName.DOUBLE].code is RefusedCode.NOT_ENOUGH_CHIPS
    assert refused[ActionName.DOUBLE].short == 100
    assert ActionName.DOUBLE not in {entry.action for entry in turn(match.state).legal}


def test_bj_19_a_double_after_a_split_needs_one_more_stake_only() -> None:
    match = Played("8S TD 8H 7D 2S 3S TS TH", initial_chips=150, max_bet=50)
    match.play(50, "split", "double")
    assert match.state.seats[0].chips == 0
    assert match.state.seats[0].hands[0].bet == 100


@pytest.mark.parametrize("amount", [0, -1, -10, 1, 5, 11, 210, 10**9, 1.5, 10.0, "10", True, None])
def test_bj_20_a_bet_out_of_bounds_is_refused(amount: object) -> None:
    match = Played("TS TD 8S 8D")
    with pytest.raises(BadAmount):
        apply(match.state, Action(1, ActionName.BET, amount), no_seed)


def test_bj_20_a_bet_over_the_stack_is_refused() -> None:
    match = Played("TS TD 2S 8D TH 5D", initial_chips=100, max_bet=100).play(60, "stand")
    assert match.state.seats[0].chips == 40
    assert match.refused(50, NotEnoughChips).short == 10
    assert turn(match.state).legal[0].max == 40


def test_bj_22_a_hand_is_split_only_on_its_first_two_cards() -> None:
    match = Played("6S TD 6H 7D AS").play(10, "hit")
    assert match.refused("split", IllegalAction).reason is RefusedCode.NOT_FIRST_TWO


def test_bj_24_each_split_hand_carries_one_full_stake() -> None:
    match = Played("8S TD 8H 8D TS TH 3S").play(10, "split")
    assert [hand.bet for hand in match.state.seats[0].hands] == [10, 10]


def test_bj_24_one_hand_won_and_one_lost_make_nothing() -> None:
    match = Played("8S TD 8H 8D TS TH 3S").play(10, "split", "stand", "stand")
    assert match.outcomes() == ["push", "push"]
    match = Played("8S TD 8H 8D AS 9S").play(10, "split", "stand", "stand")
    assert match.outcomes() == ["win", "lose"]
    assert match.net == [0]


def test_bj_25_a_seat_has_at_most_four_hands() -> None:
    match = Played("8S TD 8H 7D 8D 8C 8S 8H 8D 8C").play(10, "split", "split", "split")
    assert len(match.state.seats[0].hands) == 4
    assert match.refused("split", IllegalAction).reason is RefusedCode.MAX_HANDS
    assert RefusedCode.MAX_HANDS in {entry.code for entry in turn(match.state).refused}


def test_bj_25_aces_are_split_up_to_four_hands_where_the_rules_say_so() -> None:
    match = Played("AS TD AH 7D AD AC AS AH AD AC", resplit_aces=True)
    match.play(10, "split", "split", "split")
    assert match.outcomes() == ["lose"] * 4
    assert [hand.total for hand in match.state.last_round.seats[0].hands] == [12] * 4


def test_bj_25_without_resplitting_an_ace_on_a_split_ace_stands_on_12() -> None:
    match = Played("AS TD AH 7D AD 9S").play(10, "split")
    assert [hand.total for hand in match.state.last_round.seats[0].hands] == [12, 20]
    assert match.outcomes() == ["lose", "win"]


def test_bj_27_split_aces_take_one_card_each_and_no_decision() -> None:
    match = Played("AS TD AH 7D 5S 9S", seats=1).play(10, "split")
    hands = match.state.last_round.seats[0].hands
    assert [hand.total for hand in hands] == [16, 20]
    for decision in ("hit", "double"):
        match.refused(decision, IllegalAction)


def test_bj_27_an_ace_on_a_split_ace_may_be_stood_or_split_but_not_hit() -> None:
    match = Played("AS TD AH 7D AD 9S 5S", resplit_aces=True).play(10, "split")
    assert [entry.action.value for entry in turn(match.state).legal] == ["stand", "split"]
    for decision in ("hit", "double"):
        assert match.refused(decision, IllegalAction).reason is RefusedCode.SPLIT_ACES
    match.play("stand")
    assert match.outcomes() == ["lose", "win"]


def test_bj_29_insurance_pays_two_to_one_and_the_stake() -> None:
    match = Played("TS AD 9S KD").play(10, "insure")
    assert match.state.last_round.seats[0].insurance_returned == 15
    assert match.net == [0]


@pytest.mark.parametrize("hole", ["KD", "9D"])
def test_bj_30_a_blackjack_may_insure_and_wins_its_bet_either_way(hole: str) -> None:
    match = Played(f"AS AD KS {hole}").play(10)
    assert turn(match.state).phase is Phase.INSURANCE
    assert match.play("insure").net == [10]


def test_bj_32_every_stake_is_a_whole_number_of_chips() -> None:
    match = Played("TS AD 9S KD")
    match.refused(5, BadAmount)
    assert match.play(30, "insure").state.last_round.seats[0].insurance == 15


@pytest.mark.parametrize(("up", "hole"), [("KD", "AD"), ("AD", "KD")])
def test_bj_34_nobody_acts_against_a_dealer_blackjack(up: str, hole: str) -> None:
    match = Played(f"5S {up} 6S {hole} TS", insurance=False).play(10)
    assert match.net == [-10]
    assert match.state.phase is Phase.BETTING
    assert events.Doubled not in match.kinds()


def test_bj_35_the_peek_tells_nothing_but_that_there_is_no_blackjack() -> None:
    told = []
    for hole in ("9D", "8D", "2D"):
        match = Played(f"TS AD 6S {hole} 2C 5C").play(10, "decline")
        told.append((tuple(match.told), turn(match.state), table_view(match.state)))
    assert told[0] == told[1] == told[2]
    kinds = [Played(f"TS AD 6S {hole} 2C 5C").play(10, "decline").kinds() for hole in ("KD", "9D")]
    same = [a for a, b in zip_longest(*kinds) if a is b]
    assert events.DealerPeeked in same
    assert events.CardDealt in same


def test_bj_37_without_hole_card_the_second_card_comes_only_if_it_decides() -> None:
    match = Played("TS AS AD 6S KS TC 5D", seats=2, **EUROPEAN)
    match.play(10, 10, "insure", "decline", "hit")
    assert match.dealer == ("AD", "5D")
    assert match.outcomes(1) == ["bust"]
    assert match.outcomes(2) == ["blackjack"]
    assert match.net == [-15, 15]
    # Nothing is open: no card at all.
    alone = Played("TS 9D 6S TH", **EUROPEAN).play(10, "hit")
    assert alone.dealer == ("9D",)


def test_bj_39_the_dealer_draws_nothing_when_all_are_bust() -> None:
    match = Played("TS TH 5D 6S 6H 2D TD TC", seats=2).play(10, 10, "hit", "hit")
    assert match.dealer == ("5D", "2D")
    assert match.outcomes(1) == match.outcomes(2) == ["bust"]


def test_bj_40_the_hole_card_is_shown_however_the_round_ends() -> None:
    given_up = Played("TS 9D 6S 7D", surrender="late").play(10, "surrender")
    natural = Played("AS 9D KS 7D").play(10)
    for match in (given_up, natural):
        settled = next(e for e in match.told if isinstance(e, events.RoundSettled))
        assert settled.dealer.cards == ("9D", "7D")
        assert events.HoleCardOpened in match.kinds()
    assert given_up.net == [-5]


def test_bj_42_the_dealer_plays_once_after_the_last_seat() -> None:
    match = Played("TS TH 5D 8S 9H 2D TD", seats=2).play(10, 10)
    told = len(match.told)
    match.play("stand")
    assert [type(event) for event in match.told[told:]] == [events.Stood, events.HandEnded]
    match.play("stand")
    assert match.dealer == ("5D", "2D", "TD")


def test_bj_44_a_blackjack_holds_nobody_up() -> None:
    match = Played("AS TH 5D KS 4H 2D", seats=2).play(10, 10)
    assert (turn(match.state).seat, turn(match.state).phase) == (2, Phase.PLAYING)
    both = Played("AS AH 5D KS KH 2D", seats=2).play(10, 10)
    assert both.outcomes(1) == both.outcomes(2) == ["blackjack"]


def test_bj_49_a_bet_sent_twice_is_placed_once() -> None:
    match = Played("TS TH 5D 8S 9H 2D", seats=2).play(10)
    with pytest.raises(NotYourTurn):
        match.decide(1, 10)
    assert match.state.seats[0].bet == 10
    assert match.net == [-10, 0]
    match.play(10)
    match.refused(10, IllegalAction)


def test_bj_50_the_settlement_goes_to_the_seat() -> None:
    # The engine knows no connections: what is won is in the seat's chips at once.
    match = Played("TS 6D 9S TD TC").play(10, "stand")
    assert match.state.seats[0].chips == 1010


def test_bj_52_there_is_no_place_before_the_last_settlement() -> None:
    match = Played("TS TH TC 6D 9S 9H 9C TD TD", seats=3, rounds=1).play(10, 50)
    assert results(match.state) == ()
    match.play(200, "stand", "stand", "stand")
    assert [(r.place, r.outcome.value) for r in results(match.state)] == [
        (3, "lose"),
        (2, "lose"),
        (1, "win"),
    ]


def test_bj_54_the_told_settlement_is_the_ledger() -> None:
    match = Played("TS TH TC TD 9S 8H 7C 8D", seats=3).play(10, 10, 10, *["stand"] * 3)
    settled = next(e for e in match.told if isinstance(e, events.RoundSettled))
    assert [seat.hands[0].outcome.value for seat in settled.seats] == ["win", "push", "lose"]
    assert [seat.chips for seat in settled.seats] == [1010, 1000, 990]
    assert match.net == [10, 0, -10]


def test_every_action_is_one_that_the_engine_can_take() -> None:
    assert set(engine._DECISIONS) == set(ActionName)
