"""How many rounds a second the engine plays: `python tests/benchmarks/simulate_rate.py`."""

import json
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tables.blackjack.ruleset import Ruleset
from tables.blackjack.simulation import Simulation
from tables.blackjack.strategy import solve

TARGET = 40_000
FAULT = 30_000
SLICES = 400
ROUNDS = 250


def main() -> None:
    """Print the rate with one seat and the defaults: of the whole run, and of its quickest slice.

    On a machine that does other work besides, the two are far apart, and only the quickest slice
    (a few milliseconds) says something about the engine; the target is for the whole run.
    """
    ruleset = Ruleset()
    simulation = Simulation(ruleset, solve(ruleset), seats=1, seed=1)
    rates = []
    for _ in range(SLICES):
        began = time.perf_counter()
        simulation.play(ROUNDS)
        rates.append(ROUNDS / (time.perf_counter() - began))
    rate = statistics.harmonic_mean(rates)
    print(
        json.dumps(
            {
                "rounds": SLICES * ROUNDS,
                "rounds_per_second": round(rate),
                "median": round(statistics.median(rates)),
                "quickest": round(max(rates)),
                "target": TARGET,
                "fault_below": FAULT,
                "met": rate >= TARGET,
            }
        )
    )


if __name__ == "__main__":
    main()
