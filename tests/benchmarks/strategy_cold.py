"""How long a cold rule set takes in a warm process: `python tests/benchmarks/strategy_cold.py`."""

import json
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tables.blackjack.ruleset import Ruleset, ruleset_of
from tables.blackjack.strategy import solve

TARGET = 5.0
RULES: tuple[dict[str, object], ...] = (
    {"decks": 8, "soft17": "hit"},
    {"decks": 1, "hole_card": "european"},
    {"decks": 2, "soft17": "hit", "surrender": "late", "resplit_aces": True},
    {"decks": 4, "split_by": "value", "blackjack_pays": "6:5"},
    {"decks": 6, "double_after_split": False, "max_hands": 2},
    {"decks": 3, "hole_card": "european", "soft17": "hit", "max_hands": 3},
)


def main() -> None:
    """Print the seconds of the processor and of the clock, and those of the process's first."""
    seconds = []
    processor = []
    for rules in ({}, *RULES):
        ruleset = ruleset_of(rules) if rules else Ruleset()
        clock, work = time.perf_counter(), time.process_time()
        solve(ruleset)
        seconds.append(round(time.perf_counter() - clock, 3))
        processor.append(round(time.process_time() - work, 3))
    print(
        json.dumps(
            {
                "rule_sets": len(RULES),
                "first": seconds[0],
                "median": statistics.median(seconds[1:]),
                "worst": max(seconds[1:]),
                "worst_processor": max(processor[1:]),
                "target": TARGET,
                "met": max(seconds[1:]) <= TARGET,
            }
        )
    )


if __name__ == "__main__":
    main()
