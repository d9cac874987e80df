"""The CPU plays by what everyone sees, and takes only what the table offers."""

import hashlib
from collections.abc import Callable
from itertools import count

import msgspec
import pytest

from tables.blackjack.actions import Action, ActionName
from tables.blackjack.cpu import NothingToDecide, Playbook, decide
from tables.blackjack.engine import MatchState, apply, start, start_scripted
from tables.blackjack.ruleset import Ruleset, ruleset_of
from tables.blackjack.shoe import no_seed
from tables.blackjack.state import Phase
from tables.blackjack.strategy import Strategy, solve
from tables.blackjack.turn import JUDGES, LegalAction
from tables.blackjack.view import TableView, table_view

STEP_LIMIT = 1000


@pytest.fixture(scope="module")
def strategy() -> Strategy:
    return solve(Ruleset())


def seeds(name: str) -> Callable[[], bytes]:
    numbers = count()
    return lambda: hashlib.sha256(f"{name} {next(numbers)}".encode()).digest()


def at_the_table(strategy: Strategy, cards: str, *decisions: Action, **rules: object) -> TableView:
    """One seat bets 10 and is dealt these cards (player, up, player, hole, …)."""
    state = start_scripted(ruleset_of(rules), 1, tuple(cards.split())).state
    for action in (Action(1, ActionName.BET, 10), *decisions):
        state = apply(state, action, no_seed).state
    return table_view(state)


def with_only(view: TableView, *legal: ActionName) -> TableView:
    assert view.to_act is not None
    offers = tuple(LegalAction(action) for action in legal)
    return msgspec.structs.replace(
        view, to_act=msgspec.structs.replace(view.to_act, legal=offers, refused=())
    )


def test_it_bets_the_least(strategy: Strategy) -> None:
    view = table_view(start(Ruleset(), 2, seeds("bets")).state)
    assert decide(view, strategy) == Action(1, ActionName.BET, 10)


def test_it_never_insures_not_even_a_blackjack(strategy: Strategy) -> None:
    view = at_the_table(strategy, "AS AD KS KD")
    assert decide(view, strategy) == Action(1, ActionName.DECLINE)


@pytest.mark.parametrize(
    ("cards", "best"),
    [
        ("8S TD 8H 7D", ActionName.SPLIT),
        ("6S TD 5H 7D", ActionName.DOUBLE),
        ("TS 6D 2H 7D", ActionName.STAND),
        ("TS 7D 2H 7D", ActionName.HIT),
        ("TS 6D KH 7D", ActionName.STAND),
    ],
)
def test_it_plays_the_strategy(strategy: Strategy, cards: str, best: ActionName) -> None:
    assert decide(at_the_table(strategy, cards), strategy).action is best


def test_if_the_best_is_not_offered_it_takes_the_best_that_is(strategy: Strategy) -> None:
    eights = at_the_table(strategy, "8S TD 8H 7D")
    assert decide(with_only(eights, ActionName.STAND, ActionName.HIT), strategy).action is (
        ActionName.HIT
    )
    third_card = at_the_table(strategy, "4S TD 3H 7D 4D", Action(1, ActionName.HIT))
    assert decide(third_card, strategy).action is ActionName.HIT


def test_with_everything_forbidden_but_to_stand_it_stands(strategy: Strategy) -> None:
    """It chooses from what is legal (CK-14)."""
    for cards in ("8S TD 8H 7D", "6S TD 5H 7D", "2S 6D 2H 7D"):
        view = with_only(at_the_table(strategy, cards), ActionName.STAND)
        assert decide(view, strategy) == Action(1, ActionName.STAND)


def test_an_offer_that_no_strategy_knows_is_taken_all_the_same(strategy: Strategy) -> None:
    unknown = msgspec.structs.replace(strategy, hands={})
    view = at_the_table(strategy, "8S TD 8H 7D")
    assert decide(view, unknown).action is ActionName.HIT


def test_there_is_nothing_to_decide_when_the_match_is_over(strategy: Strategy) -> None:
    state = start(ruleset_of({"rounds": 1}), 1, seeds("over")).state
    for _ in range(STEP_LIMIT):
        if state.finished:
            break
        state = apply(state, decide(table_view(state), strategy), seeds("more")).state
    with pytest.raises(NothingToDecide):
        decide(table_view(state), strategy)


def played(ruleset: Ruleset, seats: int, strategy: Strategy, name: str) -> list[MatchState]:
    source = seeds(name)
    states = [start(ruleset, seats, source).state]
    while not states[-1].finished:
        assert len(states) < STEP_LIMIT
        action = decide(table_view(states[-1]), strategy)
        states.append(apply(states[-1], action, source).state)
    return states


RULES: list[dict[str, object]] = [
    {"decks": 1, "resplit_aces": True, "split_by": "value", "surrender": "late"},
    {"initial_chips": 100, "max_bet": 100, "double_after_split": False, "max_hands": 2},
    {"hole_card": "european", "soft17": "hit", "rebuys": 1},
]


@pytest.mark.parametrize("rules", RULES)
def test_six_of_them_play_a_whole_match_and_no_move_is_refused(rules: dict[str, object]) -> None:
    ruleset = ruleset_of({**rules, "rounds": 12})
    states = played(ruleset, 6, solve(ruleset), "whole match")
    assert states[-1].finished


@pytest.mark.parametrize("rules", RULES)
def test_the_playbook_of_a_simulation_decides_as_the_cpu(rules: dict[str, object]) -> None:
    ruleset = ruleset_of({**rules, "rounds": 20})
    strategy = solve(ruleset)
    playbook = Playbook(strategy)
    compared = 0
    for state in played(ruleset, 3, strategy, "compared"):
        if state.phase is not Phase.PLAYING:
            continue
        seat = state.seats[state.seat - 1]
        hand = seat.hands[state.hand]
        allowed = [
            action
            for action in playbook.preference(state.dealer[0], hand)
            if JUDGES[action](ruleset, seat, hand) is None
        ]
        assert decide(table_view(state), strategy).action is allowed[0]
        compared += 1
    assert compared > 20
