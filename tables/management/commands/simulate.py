"""`manage.py simulate`: plays rounds by the million and prints what they brought."""

import math
import sys
import time

from django.core.management.base import CommandParser

from tables.blackjack.engine import MAX_SEATS
from tables.blackjack.simulation import Simulation
from tables.blackjack.strategy import solve
from tables.management.engine_command import EngineCommand, whole_number

_CHUNK = 2_000  # rounds between two looks at the clock
_QUIET = 3.0  # seconds without progress at the start
_PAUSE = 0.5  # seconds between two lines of it
_PLACES = 6


class Command(EngineCommand):
    """Simulate, as `engine-cli.md` says; needs neither database nor server."""

    help = "Play rounds with the computed strategy through the engine and print the edge as JSON."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the rules, how many rounds, whose cards and how many seats."""
        super().add_arguments(parser)
        parser.add_argument("--rounds", type=whole_number(1), required=True, metavar="N")
        parser.add_argument(
            "--seed",
            type=whole_number(-(10**18)),
            required=True,
            metavar="S",
            help="same seed, same cards",
        )
        parser.add_argument("--seats", type=whole_number(1, MAX_SEATS), default=1, metavar="SEATS")

    def handle(self, *args: object, **options: object) -> None:
        """Play, with progress on a terminal, and print the result.

        `seconds` are those of the play alone, without the strategy's computation.
        """
        ruleset = self.rules(str(options["rules"]))
        rounds, seed, seats = (int(str(options[key])) for key in ("rounds", "seed", "seats"))
        simulation = Simulation(ruleset, solve(ruleset), seats, seed)
        progress = Progress(rounds)
        began = time.perf_counter()
        while (played := simulation.tally.rounds) < rounds:
            simulation.play(min(_CHUNK, rounds - played))
            progress.tell(simulation.tally.rounds, time.perf_counter() - began)
        seconds = time.perf_counter() - began
        progress.end()
        tally = simulation.tally
        error = tally.standard_error(seats)
        self.write_document(
            {
                "rounds": tally.rounds,
                "hands": tally.hands,
                "edge": round(tally.edge(seats), _PLACES),
                "standard_error": None if error is None else round(error, _PLACES),
                "seconds": round(seconds, 3),
                "rounds_per_second": round(tally.rounds / seconds),
            }
        )


class Progress:
    """How far a long run is, on stderr, if that is a terminal where somebody may be looking."""

    def __init__(self, rounds: int) -> None:
        self._rounds = rounds
        self._next = _QUIET if sys.stderr.isatty() else math.inf
        self._told = False

    def tell(self, played: int, seconds: float) -> None:
        """Say how many rounds are played after so many seconds, but not all too often."""
        if seconds < self._next:
            return
        self._next = seconds + _PAUSE
        self._told = True
        share = played / self._rounds
        left = seconds / share - seconds
        sys.stderr.write(f"\r{share:6.1%}, {left:.0f} s left  ")
        sys.stderr.flush()

    def end(self) -> None:
        """Leave the line, so that the answer begins on one of its own."""
        if self._told:
            sys.stderr.write("\n")
