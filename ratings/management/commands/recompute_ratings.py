"""`manage.py recompute_ratings`: replays all rated matches (ratings.md RT3.2, RT3.3)."""

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError
from dataclasses import asdict
from math import log
from time import monotonic
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from ratings import elo
from ratings.history import Quality
from ratings.services.checks import Report, check
from ratings.services.generations import RecomputeRunning, recompute


def _positive(text: str) -> int:
    value = int(text)
    if not 0 < value <= 1000:
        raise ArgumentTypeError(f"{text} is not from 1 to 1000")
    return value


class Command(BaseCommand):
    help = (
        "Replays all rated matches into a new generation of ratings and switches to it. With "
        "--check, --dry-run, --k or --provisional-k it changes nothing and says what differs."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--check",
            action="store_true",
            help="exit with 1 if any rating, count, board or stored transfer differs",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="say what would change and change nothing"
        )
        parser.add_argument("--k", type=_positive, help="what if K had been this")
        parser.add_argument(
            "--provisional-k", type=_positive, help="what if K of provisional players had been this"
        )
        parser.add_argument("--json", action="store_true", help="for machines")

    def handle(self, *args: Any, **options: Any) -> None:
        start = monotonic()
        k, provisional_k = options["k"], options["provisional_k"]
        if options["check"] and (k or provisional_k):
            raise CommandError("--check compares with the seasons' own K's.")

        def tell(text: str) -> None:
            if not options["json"]:
                self.stderr.write(f"{monotonic() - start:7.1f} s  {text}")

        if options["check"] or options["dry_run"] or k or provisional_k:
            report = check(now=timezone.now(), k=k, provisional_k=provisional_k, tell=tell)
            figures = _report(report)
        else:
            try:
                done = recompute(now=timezone.now(), tell=tell)
            except RecomputeRunning:
                raise CommandError("Another recomputation is running.") from None
            report = None
            figures = {
                "generation": done.generation,
                "matches": done.matches,
                "players": done.players,
                **_quality(done.quality),
            }
        figures["seconds"] = round(monotonic() - start, 3)
        if options["json"]:
            self.stdout.write(json.dumps(figures))
        else:
            for name, value in figures.items():
                self.stdout.write(f"{name.replace('_', ' '):<24}{'-' if value is None else value}")
        if options["check"] and report is not None and report.differs:
            sys.exit(1)


def _report(report: Report) -> dict[str, Any]:
    return {
        "matches": report.matches,
        "players": report.players,
        "differing_players": report.differing,
        "differing_counts": report.differing_counts,
        "differing_transfers": report.differing_transfers,
        "largest_difference": elo.exact(report.largest_difference),
        **_quality(report.quality),
    }


def _quality(quality: Quality) -> dict[str, Any]:
    """How well ratings foretold pairs, beside always saying one half."""
    return {**asdict(quality), "log_loss_of_half": log(2), "accuracy_of_half": 0.5}
