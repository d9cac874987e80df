"""The engine and a second, independent reading of the rules agree on any script."""

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tables.blackjack.ruleset import Ruleset, as_mapping
from tables.blackjack.script import play, read, write
from tests.unit.blackjack_engine import oracle
from tests.unit.blackjack_engine.matches import played_from, rulesets, shoes

VECTORS = Path(__file__).parents[2] / "contracts" / "vectors"


def engine_replay(document: dict) -> dict:
    transcript = json.loads(write(play(read(json.dumps(document).encode()))))
    if transcript["error"] is not None:
        assert transcript["error"].pop("message")
    return transcript


@pytest.mark.parametrize("name", ["edge.jsonl", "random.jsonl"])
def test_the_oracle_itself_reads_the_sample_as_written(name: str) -> None:
    for line in (VECTORS / name).read_text("utf-8").splitlines():
        vector = json.loads(line)
        assert oracle.replay(vector["input"]) == vector["expected"], vector["name"]


def decisions_of(ruleset: Ruleset, seats: int, shoe: list[str], random: Random) -> list[dict]:
    """Legal decisions, with a wrong one put in at the end now and then."""
    taken = []
    for step in played_from(ruleset, seats, shoe, random):
        if step.action is not None:
            taken.append(step.action)
    decisions = [{"seat": a.seat, "action": a.action.value, "amount": a.amount} for a in taken]
    for decision in decisions:
        if decision["amount"] is None:
            del decision["amount"]
    cut = random.randint(0, len(decisions))
    wrong = {"seat": random.randint(1, seats), "action": random.choice(oracle.ORDER)}
    if wrong["action"] == "bet":
        wrong["amount"] = random.choice([-10, 0, 5, 10, 15, 20, 200, 210, 10_000, 10**12])
    return [*decisions[:cut], wrong] if random.random() < 0.7 else decisions


@settings(max_examples=120, deadline=None)
@given(rulesets(), st.integers(1, 6), shoes, st.integers(0, 2**32))
def test_engine_and_oracle_agree_on_any_script(
    ruleset: Ruleset, seats: int, shoe: list[str], seed: int
) -> None:
    document = {
        "rules": as_mapping(ruleset),
        "seats": seats,
        "shoe": shoe,
        "decisions": decisions_of(ruleset, seats, shoe, Random(seed)),
    }
    assert engine_replay(document) == oracle.replay(document)
