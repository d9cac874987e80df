"""The shoe: shuffled fairly, replaced before it is short, refilled where it runs out (R3)."""

from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from random import Random

import pytest
from msgspec.structs import replace

from tables.blackjack import events
from tables.blackjack.actions import Action, ActionName
from tables.blackjack.cards import PACK, RANKS, SUITS, packs
from tables.blackjack.engine import Step, apply, start, turn
from tables.blackjack.fairness import shoe_records
from tables.blackjack.ruleset import Ruleset, ruleset_of
from tables.blackjack.shuffle import commitment, numbers, shuffled
from tables.blackjack.state import MatchState, Phase

CROWD = ruleset_of(
    {
        "decks": 1,
        "split_by": "value",
        "resplit_aces": True,
        "rounds": 50,
        "max_bet": 20,
        "initial_chips": 100_000,
    }
)
# Matches by split_and_hit in which the shoe runs out within a round.
RUN_OUT = [(1, 2), (1, 66), (1, 89), (2, 27), (2, 76), (3, 17), (3, 19), (4, 6), (4, 17)]


def seed_of(number: int) -> bytes:
    return number.to_bytes(32, "big")


def test_a_shuffle_loses_and_doubles_no_card() -> None:
    for decks in range(1, 9):
        assert Counter(shuffled(seed_of(decks), packs(decks))) == Counter(packs(decks))


def test_the_same_seed_gives_the_same_order_for_ever() -> None:
    # Written down once: whoever changes the algorithm makes every published seed a lie.
    assert shuffled(seed_of(0), PACK)[:8] == ["5C", "2H", "TS", "8H", "3C", "QD", "JD", "8D"]
    digest = sha256("".join(shuffled(seed_of(1), packs(8))).encode()).hexdigest()
    assert digest == "fa8c5b668ae9ac9de963ea1b75b1bedd820464ed4624984b83d913e3e85d5cd7"


def test_the_stream_is_mgf1_with_sha256() -> None:
    stream = numbers(seed_of(7))
    for block in range(70):
        digest = sha256(seed_of(7) + bytes([0, 0, 0, block])).digest()
        for place in range(16):
            assert next(stream) == digest[2 * place] * 256 + digest[2 * place + 1]


def test_nothing_and_one_card_stay_as_they_are() -> None:
    assert shuffled(seed_of(1), ()) == []
    assert shuffled(seed_of(1), ("AS",)) == ["AS"]


def test_each_card_comes_to_each_place_equally_often() -> None:
    # BJ-47. The chance that one of 2704 counts is off by 5 sigma is below one in 600, and the
    # seeds are fixed, so this test does not flicker.
    shuffles = 10_000
    counts = [Counter() for _ in PACK]
    for number in range(shuffles):
        for place, card in enumerate(shuffled(seed_of(number), PACK)):
            counts[place][card] += 1
    expected = shuffles / 52
    sigma = (shuffles * (1 / 52) * (51 / 52)) ** 0.5
    worst = max(abs(counts[place][card] - expected) for place in range(52) for card in PACK)
    assert worst < 5 * sigma
    chi_squared = sum(
        (counts[place][card] - expected) ** 2 / expected for place in range(52) for card in PACK
    )
    # 51 * 51 degrees of freedom.
    assert abs(chi_squared - 2601) < 5 * (2 * 2601) ** 0.5


def test_every_order_of_three_cards_is_equally_likely() -> None:
    orders = Counter("".join(shuffled(seed_of(n), ("AS", "2S", "3S"))) for n in range(30_000))
    assert len(orders) == 6
    assert all(abs(count - 5000) < 5 * (30_000 * 5 / 36) ** 0.5 for count in orders.values())


def test_the_commitment_is_the_hash_of_the_seeds_bytes() -> None:
    assert commitment(b"\0" * 32) == (
        "sha256:66687aadf862bd776c8fc18b8e9f8e20089714856ee233b3902a591d0d5f2925"
    )


def bet_and_stand(state: MatchState) -> Action:
    offered = turn(state)
    if offered.phase is Phase.BETTING:
        return Action(offered.seat, ActionName.BET, 10)
    if offered.phase is Phase.INSURANCE:
        return Action(offered.seat, ActionName.DECLINE)
    return Action(offered.seat, ActionName.STAND)


def split_and_hit(state: MatchState) -> Action:
    """Use as many cards as the rules allow."""
    offered = turn(state)
    names = [legal.action for legal in offered.legal]
    for name in (ActionName.BET, ActionName.SPLIT, ActionName.HIT, ActionName.STAND):
        if name in names:
            return Action(offered.seat, name, 10 if name is ActionName.BET else None)
    return Action(offered.seat, ActionName.DECLINE)


def match(ruleset: Ruleset, seats: int, number: int, decide: object) -> Iterator[Step]:
    seeds = Random(number).randbytes
    step = start(ruleset, seats, lambda: seeds(32))
    yield step
    while not step.state.finished:
        step = apply(step.state, decide(step.state), lambda: seeds(32))
        yield step


def test_a_match_draws_two_seeds_and_each_new_shoe_one_more() -> None:
    for step in match(Ruleset(decks=1, rounds=30), 3, 1, bet_and_stand):
        shoes = [event for event in step.events if isinstance(event, events.ShoeStarted)]
        assert len(step.seeds) == (2 if step.action is None else len(shoes))
        for event in shoes:
            assert event.next_commitment == commitment(step.seeds[-1])
            assert event.size == 52


@pytest.mark.parametrize(
    ("decks", "seats", "least"), [(1, 1, 13), (1, 6, 42), (4, 1, 52), (2, 6, 42), (3, 3, 39)]
)
def test_the_shoe_is_replaced_before_a_round_only_when_it_is_short(
    decks: int, seats: int, least: int
) -> None:
    replaced = kept = 0
    left = 0
    for step in match(Ruleset(decks=decks, rounds=50), seats, 4, bet_and_stand):
        told = step.events
        if step.action is None or not any(isinstance(e, events.RoundStarted) for e in told):
            left = step.state.shoe.size - step.state.drawn
            continue
        dealt = sum(isinstance(event, events.CardDealt) for event in told)
        settled_at = next(i for i, e in enumerate(told) if isinstance(e, events.RoundSettled))
        anew = any(isinstance(event, events.ShoeStarted) for event in told[settled_at:])
        assert anew == (left - dealt < least)
        if anew:
            replaced += 1
            kinds = [type(e) for e in told[settled_at:]]
            assert kinds.index(events.ShoeRevealed) < kinds.index(events.ShoeStarted)
        else:
            kept += 1
        left = step.state.shoe.size - step.state.drawn
    assert replaced
    # One pack among six is short after every round.
    assert kept or (decks, seats) == (1, 6)


def cards_on_table(state: MatchState) -> list[str]:
    return [*state.dealer, *(c for seat in state.seats for hand in seat.hands for c in hand.cards)]


@pytest.mark.parametrize(("seats", "number"), RUN_OUT)
def test_a_shoe_that_runs_out_is_refilled_with_the_cards_of_earlier_rounds(
    seats: int, number: int
) -> None:
    # BJ-45: never with one that lies on the table.
    refilled = 0
    told: list[events.Event] = []
    for step in match(CROWD, seats, number, split_and_hit):
        told += step.events
        table = cards_on_table(step.before)
        in_round = bool(table)
        for event in step.events:
            if isinstance(event, events.CardDealt) and event.card is not None:
                table.append(event.card)
            elif isinstance(event, events.RoundSettled):
                in_round = False
            elif isinstance(event, events.ShoeStarted) and in_round:
                refilled += 1
                contents = shoe_records(1, told)[event.shoe - 1].refill
                assert Counter(contents) + Counter(table) == Counter(PACK)
                assert list(contents) == sorted(contents, key=PACK.index)
    assert refilled
    for record in shoe_records(1, told):
        order = shuffled(bytes.fromhex(record.seed), record.refill or PACK)
        assert tuple(order[: len(record.cards)]) == record.cards


@pytest.mark.parametrize(("seats", "number"), RUN_OUT)
def test_a_spent_shoes_seed_is_told_only_when_the_round_is_settled(seats: int, number: int) -> None:
    # The hole card may have come from it.
    seen = 0
    for step in match(CROWD, seats, number, split_and_hit):
        told = [type(event) for event in step.events]
        spent = {shoe.number for shoe in step.before.shoe.spent}
        if step.state.shoe.spent and not step.state.finished:
            seen += 1
            assert step.state.phase is Phase.PLAYING
            assert events.ShoeRevealed not in told
        if spent and events.RoundSettled in told:
            assert told.index(events.RoundSettled) < told.index(events.ShoeRevealed)
            revealed = {e.shoe for e in step.events if isinstance(e, events.ShoeRevealed)}
            assert spent <= revealed
    assert seen


def crowded_order(number: int) -> str:
    """One pack in an order that gives each of six seats a pair and small cards before great."""
    dealt = [rank + suit for suit in "SH" for rank in "2345678"]
    random = Random(number)
    rest = [rank + suit for rank in RANKS for suit in SUITS if rank + suit not in dealt]
    weights = {card: RANKS.index(card[0]) + 6 * random.random() for card in rest}
    return "".join(dealt + sorted(rest, key=weights.__getitem__))


@pytest.mark.parametrize("number", [34, 61, 103, 140, 168, 191])
def test_six_seats_that_use_up_the_only_pack_in_round_one_get_another(number: int) -> None:
    # BJ-45: in the first round there is no card of an earlier one to shuffle.
    seeds = Random(1).randbytes
    state = start(CROWD, 6, lambda: seeds(32)).state
    state = replace(state, shoe=replace(state.shoe, cards=crowded_order(number)))
    sizes: list[int] = []
    while state.round == 1 and not sizes:
        before = state
        step = apply(state, split_and_hit(state), lambda: seeds(32))
        sizes = [event.size for event in step.events if isinstance(event, events.ShoeStarted)]
        state = step.state
    assert before.round == state.round == 1
    assert sizes == [52]
    assert state.shoe.carried == before.shoe.cards
    while state.round == 1:
        state = apply(state, split_and_hit(state), lambda: seeds(32)).state
    settled = state.last_round
    dealt = sum(len(hand.cards) for seat in settled.seats for hand in seat.hands)
    assert dealt + len(settled.dealer) > 52
    assert all(hand.outcome for seat in settled.seats for hand in seat.hands)
