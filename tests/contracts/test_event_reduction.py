"""The events tell everything: reducing them from the first gives the view after every step."""

import json
from copy import deepcopy
from random import Random

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from tables.blackjack import events
from tables.blackjack.codec import decode_events, encode_events
from tables.blackjack.engine import results, turn
from tables.blackjack.events import Controller, ControlReason, MatchKind
from tables.blackjack.ruleset import Ruleset, as_mapping
from tables.blackjack.state import MatchState
from tables.blackjack.view import table_view
from tests.contracts.reducer import REDUCERS, reduce
from tests.unit.blackjack_engine.matches import played, rulesets

CONTRACT = {
    "match_started": "kind seats rules",
    "shoe_started": "shoe commitment next_commitment size",
    "round_started": "round seats",
    "rebought": "seat amount chips",
    "went_out": "seat",
    "bet_placed": "seat amount chips",
    "card_dealt": "seat hand card",
    "insured": "seat stake chips",
    "insurance_declined": "seat",
    "dealer_peeked": "",
    "insurance_lost": "seats",
    "hit": "seat hand bet chips",
    "stood": "seat hand bet chips",
    "doubled": "seat hand bet chips",
    "split": "seat hand bet chips",
    "surrendered": "seat hand bet chips",
    "hand_ended": "seat hand status",
    "hole_card_opened": "card",
    "round_settled": "round dealer seats",
    "turn_started": "seat phase hand version deadline legal refused",
    "control_changed": "seat controller reason",
    "shoe_revealed": "shoe seed",
    "match_finished": "result",
    "match_voided": "reason",
    "match_restored": "",
}


class Table:
    """What the table adds to the engine: envelopes, offers, controllers, the end of the match."""

    def __init__(self, ruleset: Ruleset, seats: int) -> None:
        self.view: dict | None = None
        self.seq = 0
        self.version = -1
        self.offer_version = 0
        self.seats = tuple(
            events.StartedSeat(
                number,
                events.SeatedPlayer(f"id{number}", f"P{number}", "1"),
                Controller.HUMAN,
            )
            for number in range(1, seats + 1)
        )
        self.controllers = ["human"] * seats
        self.ruleset = ruleset
        self.status = "playing"

    def tell(self, *told: events.Event) -> None:
        assert decode_events(encode_events(told)) == told
        for event in json.loads(encode_events(told)):
            self.seq += 1
            envelope = {"seq": self.seq, "version": self.version, "at": "…Z"}
            self.view = reduce(self.view, {**envelope, **event})

    def begin(self) -> None:
        self.tell(events.MatchStarted(MatchKind.PARTY, self.seats, self.ruleset))

    def advance(self, state: MatchState, told: tuple[events.Event, ...]) -> None:
        self.version += 1
        if self.view is None:
            self.begin()
        self.tell(*told)
        if state.finished:
            self.status = "finished"
            final = tuple(
                events.FinalResult(r.seat, r.place, r.outcome, r.chips) for r in results(state)
            )
            self.tell(events.MatchFinished(final))
        else:
            self.offer(state)

    def offer(self, state: MatchState, again: bool = False) -> None:
        offered = turn(state)
        offer = self.offer_version if again else self.version
        self.tell(
            events.TurnStarted(
                offered.seat,
                offered.phase,
                offered.hand,
                offer,
                f"{self.seq}Z",
                offered.legal,
                offered.refused,
            )
        )
        self.offer_version = offer

    def hand_over(self, seat: int, controller: Controller, reason: ControlReason | None) -> None:
        self.version += 1
        self.controllers[seat - 1] = controller.value
        self.tell(events.ControlChanged(seat, controller, reason))

    def expected(self, state: MatchState) -> dict:
        shown = json.loads(msgspec.json.encode(table_view(state)))
        for seat, started in zip(shown["seats"], self.seats, strict=True):
            seat["player"] = json.loads(msgspec.json.encode(started.player))
            seat["controller"] = self.controllers[started.seat - 1]
        if shown["to_act"] is not None:
            shown["to_act"].update(version=self.offer_version, deadline=f"{self.seq - 1}Z")
        return {
            **shown,
            "seq": self.seq,
            "version": self.version,
            "status": self.status,
            "kind": "party",
            "rules": as_mapping(self.ruleset),
            "result": json.loads(msgspec.json.encode(results(state))) or None,
        }


def test_every_event_has_exactly_the_members_of_the_contract() -> None:
    kinds = {
        kind.__struct_config__.tag: " ".join(kind.__struct_fields__)
        for kind in events.AnyEvent.__args__
    }
    assert kinds == CONTRACT
    assert set(REDUCERS) == set(CONTRACT)


@settings(max_examples=40, deadline=None)
@given(rulesets(), st.integers(1, 6), st.randoms(use_true_random=False))
def test_reducing_the_events_gives_the_view_of_every_version(
    ruleset: Ruleset, seats: int, random: Random
) -> None:
    random = Random(random.getrandbits(64))
    table = Table(ruleset, seats)
    for step in played(ruleset, seats, random, limit=120):
        table.advance(step.state, step.events)
        assert table.view == table.expected(step.state)
        if random.random() < 0.1:
            table.hand_over(random.randint(1, seats), Controller.CPU, ControlReason.ABSENT)
            if not step.state.finished:
                table.offer(step.state, again=True)
            assert table.view == table.expected(step.state)


def test_a_voided_match_may_count_again() -> None:
    table = Table(Ruleset(rounds=1), 1)
    for step in played(Ruleset(rounds=1), 1, Random(3)):
        table.advance(step.state, step.events)
    finished = deepcopy(table.view)
    table.tell(events.MatchVoided("a fault"))
    assert table.view["status"] == "void"
    table.tell(events.MatchRestored())
    assert {**table.view, "seq": 0} == {**finished, "seq": 0}
