"""What holds at every step of every match, whatever the rules, the cards and the decisions."""

import json
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tables.blackjack import events
from tables.blackjack.actions import (
    Action,
    ActionName,
    BadAmount,
    IllegalAction,
    MatchOver,
    NotEnoughChips,
    NotYourTurn,
    RefusedCode,
)
from tables.blackjack.cards import PACK, packs
from tables.blackjack.codec import (
    decode,
    decode_action,
    decode_events,
    encode,
    encode_action,
    encode_events,
)
from tables.blackjack.engine import BIT, apply, endless, legal_bits, results, start, turn
from tables.blackjack.fairness import shoe_records
from tables.blackjack.ruleset import HoleCard, Ruleset
from tables.blackjack.shuffle import commitment, shuffled
from tables.blackjack.state import MatchState, Phase
from tables.blackjack.view import table_view
from tests.unit.blackjack_engine.matches import played, rulesets

seeds = st.integers(0, 2**32)
some_seats = st.integers(1, 6)
# One pack for six seats that split whenever they can: cards run out within rounds (R3.3).
crowded = rulesets(decks=1, max_hands=4, split_by="value", initial_chips=1000, rounds=6)
any_match = settings(max_examples=60, deadline=None)


class Ledger:
    """Every chip: with the seats, on the table, or with the house."""

    def __init__(self, ruleset: Ruleset, seats: int) -> None:
        self.chips = [ruleset.initial_chips] * seats
        self.stakes = [0] * seats
        self.insurance = [0] * seats
        self.house = 0
        self.issued = ruleset.initial_chips * seats

    def stake(self, seat: int, amount: int, chips: int) -> None:
        self.chips[seat - 1] -= amount
        self.stakes[seat - 1] += amount
        assert self.chips[seat - 1] == chips

    def book(self, event: events.Event, before: MatchState) -> None:
        match event:
            case events.BetPlaced():
                self.stake(event.seat, event.amount, event.chips)
            case events.Insured():
                self.chips[event.seat - 1] -= event.stake
                self.insurance[event.seat - 1] += event.stake
                assert self.chips[event.seat - 1] == event.chips
            case events.Doubled() | events.Split():
                bet = before.seats[event.seat - 1].hands[event.hand].bet
                self.stake(event.seat, bet, event.chips)
                assert event.bet == (2 * bet if isinstance(event, events.Doubled) else bet)
            case events.Hit() | events.Stood() | events.Surrendered():
                assert self.chips[event.seat - 1] == event.chips
            case events.InsuranceLost():
                for seat in event.seats:
                    self.house += self.insurance[seat - 1]
                    self.insurance[seat - 1] = 0
            case events.RoundSettled():
                for seat in event.seats:
                    returned = seat.insurance_returned + sum(h.returned for h in seat.hands)
                    at = seat.seat - 1
                    self.chips[at] += returned
                    assert self.chips[at] == seat.chips
                    self.house += self.stakes[at] + self.insurance[at] - returned
                    self.stakes[at] = self.insurance[at] = 0
            case events.Rebought():
                self.chips[event.seat - 1] += event.amount
                self.issued += event.amount
                assert self.chips[event.seat - 1] == event.chips
            case _:
                pass
        assert min(self.chips) >= 0
        total = sum(self.chips) + sum(self.stakes) + sum(self.insurance) + self.house
        assert total == self.issued


@any_match
@given(rulesets(), some_seats, seeds)
def test_no_chip_is_made_or_lost_at_any_event(ruleset: Ruleset, seats: int, seed: int) -> None:
    ledger = Ledger(ruleset, seats)
    for step in played(ruleset, seats, Random(seed)):
        for event in step.events:
            ledger.book(event, step.before)
        assert [seat.chips for seat in step.state.seats] == ledger.chips
        if step.state.phase is not Phase.SETTLED:
            on_hands = [sum(hand.bet for hand in seat.hands) for seat in step.state.seats]
            bets = [seat.bet if not seat.hands else 0 for seat in step.state.seats]
            assert [a + b for a, b in zip(on_hands, bets, strict=True)] == ledger.stakes


def accepted(state: MatchState, action: Action, seed_source: object) -> bool:
    try:
        apply(state, action, seed_source)
    except (IllegalAction, BadAmount, NotEnoughChips):
        return False
    return True


@settings(max_examples=40, deadline=None)
@given(rulesets(), some_seats, seeds)
def test_what_is_offered_is_accepted_and_nothing_else(
    ruleset: Ruleset, seats: int, seed: int
) -> None:
    random = Random(seed)
    fresh = lambda: random.randbytes(32)  # noqa: E731
    for step in played(ruleset, seats, Random(seed), limit=60):
        state = step.state
        before = encode(state)
        offered = turn(state)
        if offered is None:
            assert legal_bits(state) == 0
            for name in ActionName:
                with pytest.raises(MatchOver):
                    apply(state, Action(1, name), fresh)
            continue
        legal = {entry.action: entry for entry in offered.legal}
        refused = {entry.action: entry for entry in offered.refused}
        assert not legal.keys() & refused.keys()
        assert [*legal] == [name for name in ActionName if name in legal]
        assert legal_bits(state) == sum(BIT[name] for name in legal)
        for name in ActionName:
            if name is ActionName.BET and name in legal:
                check_amounts(state, legal[name], fresh)
                continue
            action = Action(offered.seat, name, 10 if name is ActionName.BET else None)
            assert accepted(state, action, fresh) == (name in legal)
            if name not in legal:
                check_reason(state, action, refused.get(name), fresh)
        for other in set(range(0, 8)) - {offered.seat}:
            with pytest.raises(NotYourTurn):
                apply(state, Action(other, offered.legal[0].action, 10), fresh)
        assert encode(state) == before


def check_amounts(state: MatchState, bet: object, fresh: object) -> None:
    chips = state.seats[state.seat - 1].chips
    offered = set(range(bet.min, bet.max + 1, bet.step))
    odd = [0, -1, -10, 5, 15, bet.max - 1, bet.max + 10, chips + 1, 10**9, None, 10.0, "10", True]
    for amount in [*Random(0).sample(sorted(offered), min(4, len(offered))), bet.max, *odd]:
        action = Action(state.seat, ActionName.BET, amount)
        legal = type(amount) is int and amount in offered
        assert accepted(state, action, fresh) == legal
        if type(amount) is int and amount > chips and 10 <= amount <= state.ruleset.max_bet:
            code = BadAmount if amount % 10 else NotEnoughChips
            with pytest.raises(code):
                apply(state, action, fresh)


def check_reason(state: MatchState, action: Action, told: object, fresh: object) -> None:
    """A refusal on a hand says what the offer said; only chips lacking is an error of its own."""
    with pytest.raises((IllegalAction, NotEnoughChips)) as caught:
        apply(state, action, fresh)
    if told is None:
        assert isinstance(caught.value, IllegalAction)
        assert caught.value.reason is None
        assert state.phase is not Phase.PLAYING or action.action not in list(ActionName)[3:]
    elif told.code is RefusedCode.NOT_ENOUGH_CHIPS:
        assert isinstance(caught.value, NotEnoughChips)
        assert caught.value.short == told.short > 0
    else:
        assert isinstance(caught.value, IllegalAction)
        assert caught.value.reason is told.code
        assert told.short is None


@any_match
@given(rulesets(), some_seats, seeds)
def test_state_actions_and_events_survive_the_codec(
    ruleset: Ruleset, seats: int, seed: int
) -> None:
    for step in played(ruleset, seats, Random(seed), limit=80):
        text = encode(step.state)
        assert decode(text) == step.state
        assert encode(decode(text)) == text
        assert decode_events(encode_events(step.events)) == step.events
        if step.action is not None:
            assert decode_action(encode_action(step.action)) == step.action


@any_match
@given(rulesets(), some_seats, seeds)
def test_a_match_replays_from_its_seeds_and_actions(
    ruleset: Ruleset, seats: int, seed: int
) -> None:
    steps = list(played(ruleset, seats, Random(seed), limit=150))
    given_seeds = iter([seed for step in steps for seed in step.seeds])
    again = start(ruleset, seats, given_seeds.__next__)
    assert encode(again.state) == encode(steps[0].state)
    for step in steps[1:]:
        again = apply(decode(encode(again.state)), step.action, given_seeds.__next__)
        assert encode(again.state) == encode(step.state)
        assert again.events == step.events
    assert next(given_seeds, None) is None


def printed(*values: object) -> str:
    """What a log or a pretty-printed traceback shows of some values."""
    return "".join(repr(value) + repr(list(value.__rich_repr__())) for value in values)


def with_other_secrets(state: MatchState, random: Random) -> MatchState:
    """The same table as far as anyone may know: another hole card, another order to come."""
    dealer = state.dealer
    drawn = state.shoe.cards[: 2 * state.drawn]
    undealt = [
        state.shoe.cards[at : at + 2] for at in range(2 * state.drawn, len(state.shoe.cards), 2)
    ]
    random.shuffle(undealt)
    if state.hole_card_hidden:
        dealer = (dealer[0], random.choice(PACK))
    shoe = msgspec.structs.replace(state.shoe, cards=drawn + "".join(undealt))
    return msgspec.structs.replace(state, dealer=dealer, shoe=shoe)


@any_match
@given(rulesets(), some_seats, seeds)
def test_nobody_sees_hole_card_shoe_or_seeds_before_their_time(
    ruleset: Ruleset, seats: int, seed: int
) -> None:
    random = Random(seed)
    public = ""
    revealed: set[str] = set()
    drawn: list[str] = []
    for step in played(ruleset, seats, Random(seed), limit=150):
        state = step.state
        drawn += [given_seed.hex() for given_seed in step.seeds]
        for event in step.events:
            if isinstance(event, events.ShoeRevealed):
                assert not state.hole_card_hidden
                revealed.add(event.seed)
        view = msgspec.json.encode(table_view(state)).decode()
        public += (
            encode_events(step.events) + view + printed(step, state, state.shoe, *state.shoe.spent)
        )
        assert "seed" not in view
        assert msgspec.json.encode(table_view(with_other_secrets(state, random))).decode() == view
        assert turn(with_other_secrets(state, random)) == turn(state)
        for secret in drawn:
            assert secret in revealed or secret not in public
        if state.hole_card_hidden:
            assert json.loads(view)["dealer"]["cards"] == [state.dealer[0], None]
    if state.finished:
        assert set(drawn) - revealed == {state.shoe.next_seed}


@any_match
@given(st.one_of(rulesets(), crowded), some_seats, seeds)
def test_every_shoe_deals_what_its_commitment_promised(
    ruleset: Ruleset, seats: int, seed: int
) -> None:
    told: list[events.Event] = []
    promised: dict[int, str] = {}
    for step in played(ruleset, seats, Random(seed)):
        told += step.events
        for event in step.events:
            if isinstance(event, events.ShoeStarted):
                assert promised.setdefault(event.shoe, event.commitment) == event.commitment
                promised[event.shoe + 1] = event.next_commitment
    records = shoe_records(ruleset.decks, told)
    assert [record.shoe for record in records] == list(range(1, len(records) + 1))
    for record in records:
        assert record.commitment == promised[record.shoe]
        if record.seed is None:
            assert not step.state.finished
            assert record.cards is None
            continue
        assert commitment(bytes.fromhex(record.seed)) == record.commitment
        contents = packs(ruleset.decks) if record.refill is None else record.refill
        assert len(contents) == record.size
        order = shuffled(bytes.fromhex(record.seed), contents)
        assert tuple(order[: len(record.cards)]) == record.cards


@any_match
@given(rulesets(), some_seats, seeds)
def test_a_round_begins_with_cards_enough_for_any_deal(
    ruleset: Ruleset, seats: int, seed: int
) -> None:
    for step in played(ruleset, seats, Random(seed)):
        state = step.state
        if state.phase is Phase.BETTING:
            playing = sum(not seat.out for seat in state.seats)
            remaining = state.shoe.size - state.drawn
            assert remaining >= max(13 * ruleset.decks, 6 * (playing + 1))
            assert state.shoe.spent == ()


@any_match
@given(rulesets(), some_seats, seeds)
def test_a_match_ends_with_its_last_round_or_when_nobody_can_bet(
    ruleset: Ruleset, seats: int, seed: int
) -> None:
    for step in played(ruleset, seats, Random(seed), limit=10_000):
        state = step.state
    assert state.finished
    broke = all(seat.chips < 10 and seat.rebuys == ruleset.rebuys for seat in state.seats)
    assert state.round == ruleset.rounds or broke
    ranked = results(state)
    assert [entry.seat for entry in ranked] == list(range(1, seats + 1))
    assert min(entry.place for entry in ranked) == 1
    assert [entry.chips for entry in ranked] == [seat.chips for seat in state.seats]


@pytest.mark.parametrize("hole_card", list(HoleCard))
def test_an_endless_match_tops_up_and_never_ends(hole_card: HoleCard) -> None:
    ruleset = Ruleset(initial_chips=100, max_bet=100, rounds=1, hole_card=hole_card)
    random = Random(5)
    step = endless(ruleset, 2, lambda: random.randbytes(32))
    while step.state.round < 200:
        if step.state.phase is Phase.BETTING:
            assert all(seat.chips + seat.bet >= 100 for seat in step.state.seats)
        offered = turn(step.state)
        bet = 100 if offered.phase is Phase.BETTING else None
        action = Action(offered.seat, offered.legal[-1].action, bet)
        step = apply(step.state, action, lambda: random.randbytes(32))
    assert not step.state.finished
    assert all(seat.rebuys == 0 and not seat.out for seat in step.state.seats)
