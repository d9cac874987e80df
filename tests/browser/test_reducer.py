"""The browser's reducer gives the server's view at every step of random matches."""

from __future__ import annotations

import json
import random
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Page

from tables.blackjack import engine, events
from tables.blackjack.actions import Action
from tables.blackjack.ruleset import Ruleset, as_mapping
from tables.blackjack.view import table_view

RULES = [
    Ruleset(rounds=6),
    Ruleset(rounds=6, decks=1, split_by="value", resplit_aces=True, surrender="late", rebuys=1),
    Ruleset(rounds=5, hole_card="european", soft17="hit", initial_chips=100, max_bet=100),
]

COMPARE = """async (text) => {
  const steps = JSON.parse(text);
  const { reduce } = await import("/static/taku/js/reducer.js");
  let view = null;
  for (const [index, step] of steps.entries()) {
    const before = JSON.stringify(view);
    const next = step.events.reduce(reduce, view);
    if (JSON.stringify(view) !== before) return `step ${index}: the view before was changed`;
    view = next;
    const differing = Object.keys(step.view).filter(
      (key) => sorted(view[key]) !== sorted(step.view[key]),
    );
    if (differing.length) {
      const of = (one) => JSON.stringify(differing.map((key) => [key, one[key]]));
      const after = JSON.stringify(step.events);
      return `step ${index}: ${of(view)} is not ${of(step.view)} after ${after}`;
    }
  }
  return null;
  function sorted(value) {
    return JSON.stringify(value, (_, one) =>
      one && typeof one === "object" && !Array.isArray(one)
        ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
        : one,
    );
  }
}"""


def plain(value: object) -> Any:
    """A struct as the JSON that goes over the wire."""
    return msgspec.json.decode(msgspec.json.encode(value))


def played(rules: Ruleset, seats: int, dice: random.Random) -> list[dict[str, Any]]:
    """A random match as steps of events and the view after them, as the table tells it."""
    seq = 0
    version = 0
    players = tuple(
        events.StartedSeat(
            number,
            events.SeatedPlayer(f"id{number}", f"P{number}", "0000"),
            events.Controller.HUMAN,
        )
        for number in range(1, seats + 1)
    )

    def told(step: engine.Step, extra: list[events.Event]) -> dict[str, Any]:
        nonlocal seq
        turn = engine.turn(step.state)
        happened = [*extra, *step.events]
        if turn is not None:
            happened.append(
                events.TurnStarted(
                    turn.seat, turn.phase, turn.hand, version, None, turn.legal, turn.refused
                )
            )
        else:
            happened.append(
                events.MatchFinished(
                    tuple(
                        events.FinalResult(one.seat, one.place, one.outcome, one.chips)
                        for one in engine.results(step.state)
                    )
                )
            )
        out = []
        for event in happened:
            seq += 1
            out.append(
                plain(event) | {"seq": seq, "version": version, "at": "2026-01-01T00:00:00Z"}
            )
        view = plain(table_view(step.state))
        for seat, started in zip(view["seats"], plain(players), strict=True):
            seat |= {"player": started["player"], "controller": started["controller"]}
        if turn is not None:
            view["to_act"] = plain(turn) | {"version": version, "deadline": None}
        return {"events": out, "view": view | {"version": version, "seq": seq}}

    kind = events.MatchKind.SOLO if seats == 1 else events.MatchKind.PARTY
    step = engine.start(rules, seats, lambda: dice.randbytes(32))
    steps = [told(step, [events.MatchStarted(kind, players, dict(as_mapping(rules)))])]
    while (turn := engine.turn(step.state)) is not None:
        choice = dice.choice(turn.legal)
        amount = None
        if choice.action == "bet":
            amount = dice.randrange(choice.min, choice.max + 1, choice.step)
        step = engine.apply(
            step.state, Action(turn.seat, choice.action, amount), lambda: dice.randbytes(32)
        )
        version += 1
        steps.append(told(step, []))
    return steps


@pytest.mark.parametrize("rules", RULES, ids=["default", "one deck", "european"])
@pytest.mark.parametrize("seats", [1, 3, 6])
def test_events_reduce_to_the_servers_view(
    page: Page, stage_url: str, rules: Ruleset, seats: int
) -> None:
    page.goto(stage_url)
    for seed in range({1: 4, 3: 2, 6: 1}[seats]):
        steps = played(rules, seats, random.Random(f"{seats}-{seed}"))
        assert page.evaluate(COMPARE, json.dumps(steps)) is None
