"""`manage.py simulate_queue`: waits, spreads and match sizes of a synthetic day."""

import json
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

from django.core.management.base import BaseCommand

from tables.queue_day import Crowd, Day, percentile, simulate
from tables.tickets import STANDARD, Policy


def _party_sizes(text: str) -> dict[int, float]:
    """`1:0.8,2:0.2` as shares of tickets by party size."""
    try:
        shares = {
            int(size): float(share) for size, share in (pair.split(":") for pair in text.split(","))
        }
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not like 1:0.8,2:0.2") from None
    if not shares or not set(shares) <= {1, 2, 3, 4, 5} or min(shares.values()) < 0:
        raise ArgumentTypeError("party sizes are 1 to 5, shares at least 0")
    if not sum(shares.values()):
        raise ArgumentTypeError("at least one share is above 0")
    return shares


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise ArgumentTypeError(f"{text} is not above 0")
    return value


class Command(BaseCommand):
    help = "Simulates a day of the ranked queue and prints waits, spreads and match sizes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        crowd = Crowd()
        parser.add_argument(
            "--arrivals", type=_positive, default=crowd.per_minute, help="tickets per minute"
        )
        parser.add_argument("--hours", type=_positive, default=crowd.hours)
        parser.add_argument("--rating-mean", type=float, default=crowd.mean)
        parser.add_argument("--rating-deviation", type=_positive, default=crowd.deviation)
        parser.add_argument(
            "--party-sizes",
            type=_party_sizes,
            default=dict(crowd.party_sizes),
            metavar="1:0.8,2:0.2",
            help="shares of tickets by party size",
        )
        parser.add_argument(
            "--patience", type=_positive, default=crowd.patience, help="seconds until giving up"
        )
        parser.add_argument("--wave", type=_positive, default=2.0, help="seconds between waves")
        parser.add_argument(
            "--window", type=_positive, default=STANDARD.first_window / 1000, help="points"
        )
        parser.add_argument(
            "--growth",
            type=_positive,
            default=STANDARD.window_growth / 1000,
            help="points for each second waited",
        )
        parser.add_argument(
            "--unlimited-after", type=_positive, default=STANDARD.unlimited_after, help="seconds"
        )
        parser.add_argument("--three-after", type=_positive, default=STANDARD.three_after)
        parser.add_argument("--two-after", type=_positive, default=STANDARD.two_after)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--json", action="store_true", help="for machines")

    def handle(self, *args: Any, **options: Any) -> None:
        day = simulate(
            crowd=Crowd(
                per_minute=options["arrivals"],
                hours=options["hours"],
                mean=options["rating_mean"],
                deviation=options["rating_deviation"],
                party_sizes=options["party_sizes"],
                patience=options["patience"],
            ),
            policy=Policy(
                first_window=round(1000 * options["window"]),
                window_growth=round(1000 * options["growth"]),
                unlimited_after=options["unlimited_after"],
                three_after=options["three_after"],
                two_after=options["two_after"],
            ),
            wave=options["wave"],
            seed=options["seed"],
        )
        figures = _figures(day)
        if options["json"]:
            self.stdout.write(json.dumps(figures))
            return
        for name, value in figures.items():
            self.stdout.write(f"{name.replace('_', ' '):<28}{_text(value)}")


def _figures(day: Day) -> dict[str, object]:
    return {
        "tickets": day.tickets,
        "tickets_matched": day.matched,
        "tickets_given_up": day.gave_up,
        "tickets_still_waiting": day.still_waiting,
        "matches": sum(day.sizes.values()),
        "matches_by_players": {str(size): count for size, count in day.sizes.items()},
        "wait_median_s": percentile(day.waits, 0.5),
        "wait_95_s": percentile(day.waits, 0.95),
        "spread_median_points": percentile(day.spreads, 0.5),
        "spread_95_points": percentile(day.spreads, 0.95),
        "quality_median": percentile(day.qualities, 0.5),
    }


def _text(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, dict):
        return ", ".join(f"{count} of {size}" for size, count in value.items()) or "-"
    return str(value)
