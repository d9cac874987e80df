"""Clocks, absence and return at a table (rules.md R11), with time passed in."""

import functools
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import count

import msgspec
import pytest

from tables.blackjack import engine
from tables.blackjack.actions import ActionName
from tables.blackjack.events import Controller, ControlReason, MatchKind
from tables.blackjack.ruleset import Ruleset
from tables.blackjack.strategy import Strategy, solve
from tables.match_view import final_results
from tables.seating import Clocks, SeatHold, Sighting
from tables.table import CpuHasSeat, NotYourSeat, StaleVersion, Table, open_table

START = datetime(2026, 1, 1, tzinfo=UTC)
CLOCKED = Ruleset(turn_seconds=30)
HERE = Sighting(socket=True)


@functools.cache
def strategy() -> Strategy:
    return solve(Ruleset())


def after(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def gone(seconds: float) -> Sighting:
    return Sighting(socket=False, gone_at=after(seconds))


def table(
    players: str = "ABC",
    ruleset: Ruleset = CLOCKED,
    kind: MatchKind = MatchKind.PARTY,
    first_seed: int = 1,
) -> Table:
    seeds = count(first_seed)
    return open_table(
        kind=kind,
        ruleset=ruleset,
        holds=[SeatHold(name, name, "tag") for name in players],
        outage=0,
        clocks=Clocks(),
        finish=lambda state, _: final_results(state),
        new_seed=lambda: next(seeds).to_bytes(32, "big"),
        now=START,
    )


def bet(at: Table, seconds: float, amount: int = 20) -> None:
    assert at.turn is not None
    at.act(
        seat=at.turn.seat,
        action=ActionName.BET,
        amount=amount,
        version=at.version,
        now=after(seconds),
        action_id=None,
    )


def wake(at: Table, seconds: float, seen: Mapping[str, Sighting] | None = None) -> None:
    """What the sweep does at a time: look who is there, then do what is due."""
    if seen is not None:
        at.see(seen, after(seconds))
    at.do_what_is_due(strategy, after(seconds))


def told(at: Table) -> list[dict[str, object]]:
    return [event for step in at.steps for event in msgspec.json.decode(step.events)]


def last_by(at: Table) -> object:
    return [event["by"] for event in told(at) if "by" in event][-1]


def test_a_deadline_is_full_when_the_turn_starts() -> None:
    at = table()
    assert at.seating.deadline == after(30)
    bet(at, 10)
    assert at.seating.deadline == after(40)


def test_what_is_on_its_way_has_half_a_second() -> None:
    at = table()
    wake(at, 30.4)
    assert at.version == 0
    bet(at, 30.4)
    assert last_by(at) == "player"


def test_an_expired_turn_is_decided_once_by_the_cpu() -> None:
    at = table()
    wake(at, 30.6)
    wake(at, 30.6)
    assert at.version == 1
    assert last_by(at) == "timeout"
    assert at.state.seats[0].bet == 10
    assert at.seating.hold(1).controller is Controller.HUMAN


def test_an_action_after_the_expiry_finds_another_turn() -> None:
    at = table()
    wake(at, 30.6)
    with pytest.raises(StaleVersion):
        at.act(seat=1, action=ActionName.BET, amount=20, version=0, now=after(30.6), action_id=None)


def test_after_two_expiries_in_a_row_the_cpu_keeps_the_seat() -> None:
    """Nobody waits for every turn of who is not there (CK-15)."""
    at = table("A", Ruleset(turn_seconds=30, rounds=50))
    seconds = 0.0
    expiries = 0
    while at.seating.hold(1).controller is Controller.HUMAN:
        seconds += 31
        expiries += 1
        wake(at, seconds)
    assert expiries == 2
    assert at.seating.hold(1).reason is ControlReason.IDLE
    assert at.seating.deadline is None


def test_two_expiries_in_one_phase_are_two_answers() -> None:
    """Each seat's own, and the round goes on (CK-02)."""
    at = before_insurance("ABCD")
    seconds = 0.0
    for silent in (True, False, True, False):
        assert at.turn.phase == "insurance"
        if silent:
            seconds += 30.6
            wake(at, seconds)
            assert last_by(at) == "timeout"
        else:
            at.act(
                seat=at.turn.seat,
                action=ActionName.DECLINE,
                amount=None,
                version=at.version,
                now=after(seconds),
                action_id=None,
            )
    answers = [event["seat"] for event in told(at) if event["type"] == "insurance_declined"]
    assert answers == [1, 2, 3, 4]
    assert at.turn.phase != "insurance"


def before_insurance(players: str) -> Table:
    """A table at which everybody has bet and the dealer shows an ace."""
    for first_seed in count(1, 2):
        at = table(players, first_seed=first_seed)
        for _ in players:
            bet(at, 0)
        if at.turn.phase == "insurance":
            return at
    raise AssertionError("no seed deals an ace")


def test_the_cpu_s_planned_move_is_dropped_if_the_player_is_back() -> None:
    """Who decides is looked up when it is done (CK-09)."""
    at = table("AB")
    at.leave(1, ControlReason.LEFT, after(1))
    planned = at.wake_at
    assert planned == after(1.8)
    at.give_back(1, after(1.5))
    wake(at, 1.8)
    assert at.turn.seat == 1
    assert not [event for event in told(at) if event["type"] == "bet_placed"]
    bet(at, 2)
    assert [event["by"] for event in told(at) if event["type"] == "bet_placed"] == ["player"]


def test_who_leaves_on_their_own_turn_holds_up_nobody() -> None:
    """The CPU has the seat and decides after its pause, not at the end of the clock (CK-12)."""
    at = table("AB", Ruleset(turn_seconds=None))
    at.leave(1, ControlReason.LEFT, after(5))
    assert at.wake_at == after(5.8)
    wake(at, 5.8)
    assert at.turn.seat == 2


def test_who_is_away_while_another_thinks_is_not_gone_on_their_own_first_second() -> None:
    """Back within the grace, or just after it, the turn is theirs with a full clock (CK-19)."""
    for thought, held_by in ((25, Controller.HUMAN), (40, Controller.CPU)):
        at = table("AB", Ruleset(turn_seconds=60))
        seen = {"A": HERE, "B": gone(0)}
        wake(at, thought - 1, seen)
        bet(at, thought)
        wake(at, thought, seen)
        assert at.turn.seat == 2
        assert at.seating.hold(2).controller is held_by
        at.see({"A": HERE, "B": HERE}, after(thought + 0.7))
        assert at.seating.hold(2).controller is Controller.HUMAN
        assert at.seating.deadline >= after(thought + 60)
        bet(at, thought + 1)
        assert last_by(at) == "player"


def test_the_round_goes_on_as_soon_as_the_grace_is_over() -> None:
    """Also where nobody has a clock, and the others have answered (CK-20)."""
    at = table("ABC", Ruleset(turn_seconds=None))
    seen = {"A": HERE, "B": HERE, "C": gone(0)}
    wake(at, 1, seen)
    bet(at, 2)
    bet(at, 3)
    assert at.wake_at == after(30)
    wake(at, 30, seen)
    wake(at, 30.8, seen)
    assert at.state.seats[2].bet == 10
    assert [event["type"] for event in told(at)].count("card_dealt") >= 7


def test_a_decision_of_ones_own_forgives_an_expiry() -> None:
    at = table("A", Ruleset(turn_seconds=30, rounds=50))
    wake(at, 31)
    assert at.seating.hold(1).expiries == 1
    at.act(
        seat=1,
        action=at.turn.legal[0].action,
        amount=at.turn.legal[0].min,
        version=at.version,
        now=after(32),
        action_id=None,
    )
    assert at.seating.hold(1).expiries == 0


def test_an_idle_seat_comes_back_on_return_and_not_on_being_connected() -> None:
    at = table("AB")
    while at.seating.hold(1).controller is Controller.HUMAN:
        wake(at, (at.seating.deadline - START).total_seconds() + 0.6, {"A": HERE, "B": HERE})
        if at.turn.seat == 2:
            seconds = (at.seating.deadline - START).total_seconds() - 1
            offer = at.turn.legal[0]
            at.act(
                seat=2,
                action=offer.action,
                amount=offer.min,
                version=at.version,
                now=after(seconds),
                action_id=None,
            )
    now = at.steps[-1].at
    at.see({"A": HERE, "B": HERE}, now)
    assert at.seating.hold(1).reason is ControlReason.IDLE
    at.give_back(1, now)
    assert at.seating.hold(1).controller is Controller.HUMAN


def test_a_new_connection_ends_idleness() -> None:
    at = table("A", Ruleset(turn_seconds=30, rounds=50))
    for seconds in (31, 62):
        wake(at, seconds)
    at.see({"A": HERE}, after(62.3), newly={"A"})
    assert at.seating.hold(1).controller is Controller.HUMAN


def test_who_is_away_for_the_grace_is_played_for() -> None:
    at = table()
    seen = {"A": HERE, "B": gone(5), "C": HERE}
    wake(at, 6, seen)
    assert at.seating.hold(2).away_since == after(5)
    assert at.wake_at == after(30.5)
    bet(at, 20)
    wake(at, 34.9, seen)
    assert at.seating.hold(2).controller is Controller.HUMAN
    wake(at, 35, seen)
    assert at.seating.hold(2).reason is ControlReason.ABSENT
    wake(at, 35.8, seen)
    assert at.turn.seat == 3
    assert last_by(at) == "cpu"


def test_the_cpu_pauses_so_that_people_can_follow() -> None:
    at = table()
    at.leave(2, ControlReason.LEFT, after(1))
    bet(at, 10)
    wake(at, 10.7)
    assert at.turn.seat == 2
    assert at.wake_at == after(10.8)
    wake(at, 10.8)
    assert at.turn.seat == 3


def test_who_comes_back_has_the_same_seat_and_a_full_clock() -> None:
    at = table()
    bet(at, 0)
    seen = {"A": HERE, "B": gone(0), "C": HERE}
    wake(at, 1, seen)
    wake(at, 30, seen)
    assert at.seating.hold(2).controller is Controller.CPU
    at.see({**seen, "B": HERE}, after(30.3))
    assert at.seating.hold(2).controller is Controller.HUMAN
    assert at.seating.deadline == after(60.3)
    at.do_what_is_due(strategy, after(31))
    bet(at, 40)
    assert last_by(at) == "player"


def test_flapping_does_not_start_the_grace_anew() -> None:
    """It is a budget of the round (CK-17)."""
    at = table("AB", Ruleset())
    away = 0.0
    seconds = 0.0
    while at.seating.hold(2).controller is Controller.HUMAN:
        wake(at, seconds, {"A": HERE, "B": gone(seconds)})
        wake(at, seconds + 19, {"A": HERE, "B": gone(seconds)})
        away += 19
        if at.seating.hold(2).controller is Controller.CPU:
            break
        wake(at, seconds + 19, {"A": HERE, "B": HERE})
        seconds += 20
        assert seconds < 100
    assert away == 38


def test_time_away_counts_anew_in_the_next_round() -> None:
    at = table("A", Ruleset(rounds=50))
    at.see({"A": gone(0)}, after(10))
    at.see({"A": HERE}, after(20))
    assert at.seating.hold(1).away_in_round == 10  # before the table stood still
    while at.state.round == 1:
        offer = at.turn.legal[0]
        at.act(
            seat=1,
            action=offer.action,
            amount=offer.min,
            version=at.version,
            now=after(21),
            action_id=None,
        )
    assert at.seating.hold(1).away_in_round == 0


def test_a_table_without_anybody_waits_and_its_clock_stands_still() -> None:
    at = table("AB")
    nobody = {"A": gone(10), "B": gone(10)}
    wake(at, 10, nobody)
    assert at.seating.deadline is None
    assert told(at)[-1]["type"] == "turn_started"
    assert told(at)[-1]["deadline"] is None
    wake(at, 500, nobody)
    assert at.version == 0
    wake(at, 500, {**nobody, "A": HERE})
    assert at.seating.deadline == after(520)


def test_an_abandoned_table_is_played_to_the_end_in_steps() -> None:
    """No spinning, however much the CPU has to decide (CK-14)."""
    at = table("AB", Ruleset(rounds=50))
    nobody = {"A": gone(0), "B": gone(0)}
    wake(at, 0, nobody)
    assert at.wake_at == after(600)
    wake(at, 600, nobody)
    decisions = sum(step.kind == "decision" for step in at.steps)
    assert decisions == 50
    for _ in range(100):
        if at.over:
            break
        assert at.wake_at <= after(600)
        wake(at, 600, nobody)
    assert at.over
    assert told(at)[-1]["type"] == "match_finished"


def test_alone_a_table_waits_for_a_day() -> None:
    at = table("A", Ruleset())
    wake(at, 0, {"A": gone(0)})
    assert at.wake_at == after(86400)


def test_who_leaves_alone_has_the_match_played_to_its_end() -> None:
    at = table("A", Ruleset(rounds=2))
    at.leave(1, ControlReason.LEFT, after(1))
    wake(at, 1)
    assert at.over


def test_ranked_never_waits() -> None:
    at = table("AB", CLOCKED, MatchKind.RANKED)
    nobody = {"A": gone(0), "B": gone(0)}
    wake(at, 1, nobody)
    assert at.seating.deadline == after(30)
    wake(at, 30, nobody)
    assert at.seating.hold(1).reason is ControlReason.ABSENT
    assert at.seating.hold(2).reason is ControlReason.ABSENT


def test_a_left_seat_comes_back_only_on_return() -> None:
    at = table()
    at.leave(1, ControlReason.LEFT, after(1))
    at.see({"A": HERE, "B": HERE, "C": HERE}, after(1.2), newly={"A"})
    assert at.seating.hold(1).reason is ControlReason.LEFT
    with pytest.raises(CpuHasSeat):
        bet(at, 1.3)
    at.give_back(1, after(1.4))
    bet(at, 1.5)


def test_a_deleted_player_never_comes_back() -> None:
    at = table()
    at.leave(1, ControlReason.DELETED, after(1))
    at.leave(1, ControlReason.LEFT, after(2))
    with pytest.raises(NotYourSeat):
        at.give_back(1, after(3))
    assert at.seating.hold(1).reason is ControlReason.DELETED


def test_every_version_is_one_step() -> None:
    at = table("AB")
    bet(at, 1)
    at.leave(1, ControlReason.LEFT, after(2))
    bet(at, 3)
    for seconds in range(4, 400):
        wake(at, seconds)
    versions = [step.version for step in at.steps if step.kind != "clock"]
    assert versions == list(range(at.version + 1))
    seqs = [event["seq"] for event in told(at)]
    assert seqs == list(range(1, at.seq + 1))


def test_an_unclocked_table_has_no_deadline() -> None:
    at = table("AB", Ruleset())
    assert at.seating.deadline is None
    assert at.wake_at is None
    assert engine.turn(at.state) is not None


def test_a_seat_changes_hands_in_the_middle_of_a_split_and_comes_back() -> None:
    """The next decision is the player's again (CK-10)."""
    at = in_the_middle_of_a_split()
    hand = at.turn.hand
    seen = {"A": gone(1), "B": HERE}
    wake(at, 1, seen)
    wake(at, 31, seen)
    assert at.seating.hold(1).reason is ControlReason.ABSENT
    wake(at, 31.8, seen)
    assert last_by(at) == "cpu"
    assert at.turn.seat == 1
    at.see({"A": HERE, "B": HERE}, after(32))
    offer = at.turn.legal[0]
    assert at.turn.hand in {hand, hand + 1}
    at.act(
        seat=1,
        action=offer.action,
        amount=None,
        version=at.version,
        now=after(33),
        action_id=None,
    )
    assert last_by(at) == "player"


def in_the_middle_of_a_split() -> Table:
    """A table for two at which seat 1 has just split into hands that the CPU hits."""
    for first_seed in count(1, 2):
        at = table("AB", Ruleset(turn_seconds=60), first_seed=first_seed)
        bet(at, 0)
        bet(at, 0)
        if at.turn.seat != 1 or at.turn.phase != "playing":
            continue
        if ActionName.SPLIT not in {offer.action for offer in at.turn.legal}:
            continue
        split = {"seat": 1, "amount": None, "action_id": None}
        at.act(action=ActionName.SPLIT, version=at.version, now=after(0), **split)
        if at.turn.seat == 1 and all(hand.total < 10 for hand in at.state.seats[0].hands):
            return at
    raise AssertionError("no seed deals a pair")


def test_time_that_stood_still_is_nobodys_time_away() -> None:
    at = table("AB", Ruleset())
    wake(at, 0, {"A": gone(0), "B": gone(0)})
    wake(at, 300, {"A": HERE, "B": HERE})
    wake(at, 301, {"A": HERE, "B": gone(301)})
    assert at.seating.hold(2).controller is Controller.HUMAN
    assert at.wake_at == after(331)


def test_the_grace_of_who_is_still_away_goes_on_where_it_stood() -> None:
    at = table("AB", Ruleset())
    wake(at, 0, {"A": gone(0), "B": HERE})
    wake(at, 10, {"A": gone(0), "B": gone(10)})
    wake(at, 300, {"A": gone(0), "B": HERE})
    assert at.seating.hold(1).controller is Controller.HUMAN
    assert at.wake_at == after(320)


def test_a_new_round_does_not_charge_the_time_that_the_table_stood_still() -> None:
    at = table("AB", Ruleset(rounds=50))
    nobody = {"A": gone(10), "B": gone(10)}
    wake(at, 10, nobody)
    wake(at, 310, {**nobody, "B": HERE})
    while at.state.round == 1:
        offer = at.turn.legal[0]
        at.act(
            seat=at.turn.seat,
            action=offer.action,
            amount=offer.min,
            version=at.version,
            now=after(312),
            action_id=None,
        )
    wake(at, 312, {**nobody, "B": HERE})
    assert at.seating.hold(1).controller is Controller.HUMAN
    assert at.wake_at == after(340)
    wake(at, 340, {**nobody, "B": HERE})
    assert at.seating.hold(1).controller is Controller.CPU


def test_who_takes_the_seat_back_without_a_socket_is_there_for_a_while() -> None:
    at = table("AB", Ruleset())
    at.leave(1, ControlReason.LEFT, after(1))
    at.give_back(1, after(2))
    assert at.wake_at == after(32)
    silent = Sighting(socket=False, rest_until=after(32))
    wake(at, 32, {"A": silent, "B": HERE})
    assert at.seating.hold(1).away_since == after(32)
