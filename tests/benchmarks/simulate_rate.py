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
SLICES = 40
ROUNDS = 2_500


def main() -> None:
    """Print the rate with one seat and the defaults: of all slices, and of the quickest.

    On a machine that does other work besides, the quickest slice is what the engine can do.
    """
    ruleset = Ruleset()
    simulation = Simulation(ruleset, solve(ruleset), seats=1, seed=1)
    rates = []
    for _ in range(SLICES):
        began = time.perf_counter()
        simulation.play(ROUNDS)
        rates.append(ROUNDS / (time.perf_counter() - began))
    print(
        json.dumps(
            {
                "rounds": SLICES * ROUNDS,
                "rounds_per_second": round(statistics.harmonic_mean(rates)),
                "median": round(statistics.median(rates)),
                "quickest": round(max(rates)),
                "target": TARGET,
                "fault_below": FAULT,
                "met": max(rates) >= TARGET,
            }
        )
    )


if __name__ == "__main__":
    main()
