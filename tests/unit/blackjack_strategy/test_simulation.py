"""Simulations: the same seed is the same play, and the play brings what was computed."""

import statistics

import pytest

from tables.blackjack.ruleset import Ruleset, ruleset_of
from tables.blackjack.simulation import Simulation, Tally, seed_stream
from tables.blackjack.strategy import Strategy, solve


@pytest.fixture(scope="module")
def strategy() -> Strategy:
    return solve(Ruleset())


def test_the_same_seed_gives_the_same_result_however_it_is_cut(strategy: Strategy) -> None:
    whole, cut = (Simulation(Ruleset(), strategy, 2, seed=7) for _ in range(2))
    whole.play(500)
    for _ in range(5):
        cut.play(100)
    assert whole.tally == cut.tally
    assert whole.tally.rounds == 500


def test_another_seed_gives_another_result(strategy: Strategy) -> None:
    tallies = []
    for seed in (1, 2):
        simulation = Simulation(Ruleset(), strategy, 1, seed)
        simulation.play(300)
        tallies.append(simulation.tally)
    assert tallies[0] != tallies[1]


def test_seeds_are_as_long_as_a_shoe_needs_and_never_repeat() -> None:
    stream = seed_stream(3)
    drawn = [stream() for _ in range(100)]
    assert {len(seed) for seed in drawn} == {32}
    assert len(set(drawn)) == 100


@pytest.mark.parametrize(
    ("rules", "seats"),
    [
        ({}, 1),
        ({"decks": 1, "surrender": "late", "resplit_aces": True}, 4),
        (
            {"hole_card": "european", "blackjack_pays": "6:5", "initial_chips": 100, "max_bet": 10},
            6,
        ),
    ],
)
def test_playing_brings_the_computed_edge(rules: dict[str, object], seats: int) -> None:
    ruleset = ruleset_of(rules)
    computed = solve(ruleset)
    simulation = Simulation(ruleset, computed, seats, seed=11)
    simulation.play(6_000 // seats)
    tally = simulation.tally
    error = tally.standard_error(seats)
    assert error is not None
    assert 0 < error < 0.03
    assert abs(tally.edge(seats) - computed.edge) < 4 * error


def test_the_standard_error_is_that_of_the_mean_of_rounds() -> None:
    results = [10, -10, 15, -20, 0, 40, -10]
    tally = Tally(len(results), 9, sum(results), sum(result * result for result in results))
    seats = 2
    per_unit = [result / (10 * seats) for result in results]
    assert tally.edge(seats) == pytest.approx(statistics.mean(per_unit))
    expected = statistics.stdev(per_unit) / len(results) ** 0.5
    assert tally.standard_error(seats) == pytest.approx(expected)
    assert Tally(1, 1, 10, 100).standard_error(1) is None
