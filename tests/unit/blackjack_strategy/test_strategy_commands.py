"""`manage.py strategy` and `simulate` print one document, or one line that says what is wrong."""

import json
from typing import Any

import pytest
from django.core.management import execute_from_command_line

from tables.blackjack.ruleset import Ruleset, as_mapping
from tables.blackjack.strategy import solve
from tables.management.commands.simulate import Progress


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    execute_from_command_line(["manage.py", *arguments])
    printed = capsys.readouterr()
    assert printed.err == ""
    return json.loads(printed.out)


def test_strategy_prints_rules_in_force_edge_and_hands(capsys: pytest.CaptureFixture[str]) -> None:
    answer = run(capsys, "strategy", "--rules", '{"decks": 6}')
    strategy = solve(Ruleset())
    assert list(answer) == ["rules", "edge", "hands"]
    assert answer["rules"] == as_mapping(Ruleset())
    assert answer["edge"] == strategy.edge
    sixteen = answer["hands"]["hard 16"]["T"]
    rounded = {key: worth if key == "best" else round(worth, 2) for key, worth in sixteen.items()}
    assert rounded == {"stand": -0.54, "hit": -0.53, "double": -1.07, "best": "hit"}


def test_simulate_prints_the_same_for_the_same_seed(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("simulate", "--rules", '{"decks": 2}', "--rounds", "400", "--seed", "9")
    first, second = (run(capsys, *arguments, "--seats", "2") for _ in range(2))
    assert list(first) == [
        "rounds",
        "hands",
        "edge",
        "standard_error",
        "seconds",
        "rounds_per_second",
    ]
    assert first["rounds"] == 400
    assert first["hands"] > 800
    for member in ("rounds", "hands", "edge", "standard_error"):
        assert first[member] == second[member]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("strategy", "--rules", '{"decks": 9}'), "decks"),
        (("strategy", "--rules", '{"decks": 1.0}'), "decks"),
        (("strategy", "--rules", '{"desks": 1}'), "desks"),
        (("strategy", "--rules", '{"surrender": "late", "hole_card": "european"}'), "surrender"),
        (("strategy", "--rules", '{"decks": 1, "decks": 2}'), "rules"),
        (("strategy", "--rules", '{"decks": NaN}'), "rules"),
        (("strategy", "--rules", "[]"), "rules"),
        (("strategy", "--rules", "{"), "rules"),
        (("strategy", "--rules", "[" * 100_000), "rules"),
        (("strategy", "--rules", '{"a\\nb": 1}'), "rules"),
        (("strategy", "--rules"), "--rules"),
        (("simulate", "--rules", "{}", "--seed", "1"), "--rounds"),
        (("simulate", "--rules", "{}", "--rounds", "5"), "--seed"),
        (("simulate", "--rules", "{}", "--rounds", "0", "--seed", "1"), "--rounds"),
        (("simulate", "--rules", "{}", "--rounds", "1e3", "--seed", "1"), "--rounds"),
        (("simulate", "--rules", "{}", "--rounds", "5", "--seed", "x"), "--seed"),
        (("simulate", "--rules", "{}", "--rounds", "5", "--seed", "1" * 20), "18 digits"),
        (("simulate", "--rules", "{}", "--rounds", "5", "--seed", "1", "--seats", "7"), "--seats"),
        (("simulate", "--rules", '{"decks": 0}', "--rounds", "5", "--seed", "1"), "decks"),
    ],
)
def test_bad_input_ends_with_two_and_one_line_that_names_it(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], named: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        execute_from_command_line(["manage.py", *arguments])
    printed = capsys.readouterr()
    assert ended.value.code == 2
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert printed.err.endswith("\n")
    assert named in printed.err


@pytest.mark.parametrize("terminal", [True, False])
def test_a_long_run_shows_its_progress_on_a_terminal_only(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, terminal: bool
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    progress = Progress(rounds=1000)
    for played, seconds in ((100, 1.0), (400, 4.0), (410, 4.1), (1000, 10.0)):
        progress.tell(played, seconds)
    progress.end()
    told = capsys.readouterr().err
    assert told == ("\r 40.0%, 6 s left  \r100.0%, 0 s left  \n" if terminal else "")
