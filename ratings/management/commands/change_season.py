"""`manage.py change_season`: ends the running season and begins the next (ratings.md RT3.4)."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from ratings.services import change_season, end_season, running_season


class Command(BaseCommand):
    help = (
        "Ends the running season and begins the next. Asked twice, it acts once: a season that "
        "began within the last day is ended only if --closing names it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--closing",
            type=int,
            metavar="NUMBER",
            help="end this season, if it is the running one",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        before = running_season(now=now).number
        closing = options["closing"]
        season = end_season(now=now) if closing is None else change_season(now=now, closing=closing)
        changed = season.number != before
        self.stdout.write(f"Season {season.number} {'begins' if changed else 'was running'}.")
