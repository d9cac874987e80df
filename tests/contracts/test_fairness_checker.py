"""The checker of docs/fairness.md, run as a third party would, finds honest matches honest."""

import json
import re
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from random import Random

import msgspec
import pytest

from tables.blackjack import events
from tables.blackjack.codec import decode_events, encode_events
from tables.blackjack.engine import apply, start
from tables.blackjack.events import MatchKind
from tables.blackjack.fairness import shoe_records
from tables.blackjack.ruleset import Ruleset
from tables.blackjack.shuffle import ALGORITHM
from tests.unit.blackjack_engine.matches import random_action
from tests.unit.blackjack_engine.test_blackjack_shoe import CROWD, RUN_OUT, split_and_hit

DOCUMENT = Path(__file__).parents[2] / "docs" / "fairness.md"
SHORT, LONG = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)


def told(ruleset: Ruleset, seats: int, number: int, decide: object) -> list[dict]:
    """All events of a match, as its events resource gives them."""
    seeds = Random(number).randbytes
    step = start(ruleset, seats, lambda: seeds(32))
    everything: list[events.Event] = [events.MatchStarted(MatchKind.PARTY, (), ruleset)]
    everything += step.events
    while not step.state.finished:
        step = apply(step.state, decide(step.state), lambda: seeds(32))
        everything += step.events
    return json.loads(encode_events(everything))


def check_summary(path: Path, shoes: list[dict]) -> subprocess.CompletedProcess[str]:
    """By the short checker, from what the fairness resource gives."""
    return check(path, {"match": "…", "algorithm": ALGORITHM, "shoes": shoes}, SHORT)


def check(path: Path, match: object, program: str = LONG) -> subprocess.CompletedProcess[str]:
    checker = path / "checker.py"
    checker.write_text(program)
    record = path / "record.json"
    record.write_text(json.dumps(match))
    return subprocess.run(
        [sys.executable, "-I", str(checker), str(record)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(("seats", "number"), RUN_OUT)
def test_matches_whose_shoe_runs_out_within_a_round_check(
    tmp_path: Path, seats: int, number: int
) -> None:
    match = told(CROWD, seats, number, split_and_hit)
    ended = check(tmp_path, match)
    shoes = sum(event["type"] == "shoe_started" for event in match)
    assert (ended.returncode, ended.stdout) == (0, f"{shoes} shoes as promised\n"), ended.stderr


def summary(match: list[dict], decks: int) -> list[dict]:
    records = shoe_records(decks, decode_events(json.dumps(match)))
    return json.loads(msgspec.json.encode(records))


@pytest.mark.parametrize(("seats", "number"), RUN_OUT[:3])
def test_the_summary_checks_and_a_lie_in_it_is_found(
    tmp_path: Path, seats: int, number: int
) -> None:
    shoes = summary(told(CROWD, seats, number, split_and_hit), decks=1)
    assert check_summary(tmp_path, shoes).stdout == "as promised\n"
    assert any(shoe["refill"] for shoe in shoes)
    lie = deepcopy(shoes)
    lie[-1]["cards"][0], lie[-1]["cards"][1] = lie[-1]["cards"][1], lie[-1]["cards"][0]
    assert "other cards" in check_summary(tmp_path, lie).stderr
    shoes[0]["seed"] = "00" * 32
    assert "another seed" in check_summary(tmp_path, shoes).stderr


@pytest.mark.parametrize("hole_card", ["american", "european"])
def test_ordinary_matches_check(tmp_path: Path, hole_card: str) -> None:
    random = Random(11)
    ruleset = Ruleset(decks=2, rounds=20, hole_card=hole_card)
    match = told(ruleset, 4, 11, lambda state: random_action(state, random))
    assert check(tmp_path, match).returncode == 0


def changed(match: list[dict], what: str) -> list[dict]:
    """The match with one lie in it."""
    lie = deepcopy(match)
    event = next(event for event in reversed(lie) if event["type"] == what)
    match what:
        case "card_dealt" | "hole_card_opened":
            event["card"] = "2S" if event["card"] != "2S" else "3S"
        case "shoe_revealed":
            event["seed"] = "00" + event["seed"][2:]
        case "shoe_started":
            event["size"] += 1
    return lie


@pytest.mark.parametrize(
    "what", ["card_dealt", "hole_card_opened", "shoe_revealed", "shoe_started"]
)
def test_a_lie_is_found(tmp_path: Path, what: str) -> None:
    match = told(CROWD, 2, 27, split_and_hit)
    ended = check(tmp_path, changed(match, what))
    assert ended.returncode == 1
    assert "AssertionError" in ended.stderr


def test_a_shoe_that_was_not_promised_is_found(tmp_path: Path) -> None:
    match = told(CROWD, 2, 27, split_and_hit)
    started = [event for event in match if event["type"] == "shoe_started"]
    started[0]["next_commitment"] = "sha256:" + "0" * 64
    assert "another commitment" in check(tmp_path, match).stderr


def test_the_record_of_a_live_match_tells_no_seed() -> None:
    step = start(Ruleset(), 1, lambda: b"\1" * 32)
    (record,) = shoe_records(6, step.events)
    assert (record.seed, record.cards, record.refill, record.size) == (None, None, None, 312)


def test_the_checkers_are_short_and_use_the_standard_library_alone() -> None:
    assert len(SHORT.splitlines()) <= 20
    assert len(LONG.splitlines()) <= 40
    for program in (SHORT, LONG):
        imports = re.findall(r"^import (.*)$", program, re.MULTILINE)
        assert imports == ["hashlib, itertools, json, sys"]
