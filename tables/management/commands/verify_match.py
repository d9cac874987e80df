"""`manage.py verify_match`: replays stored matches from their seeds and decisions."""

from __future__ import annotations

from argparse import ArgumentParser
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from tables.models import Match
from tables.selectors.matches import MatchNotFound
from tables.services.verification import verify_match


class Command(BaseCommand):
    """Verifies one match or all; exits with 1 if anything differs."""

    help = "Replays stored matches and compares events, rounds, versions and state byte for byte."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One match by its id, or all."""
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("id", nargs="?", type=UUID, help="The match.")
        which.add_argument("--all", action="store_true", help="Every match, played or playing.")

    def handle(self, *args: object, **options: object) -> None:
        """Print a line a match. Raises CommandError if any differs."""
        given = options["id"]
        if isinstance(given, UUID):
            match_ids = [given]
        else:
            match_ids = list(Match.objects.order_by("id").values_list("id", flat=True))
        wrong = 0
        for match_id in match_ids:
            try:
                found = verify_match(match_id)
            except MatchNotFound as missing:
                raise CommandError(f"There is no match {match_id}.") from missing
            if found.difference is None:
                self.stdout.write(
                    f"{match_id} ok: {found.status}, version {found.version}, {found.seq} events"
                )
            else:
                wrong += 1
                self.stdout.write(f"{match_id} differs: {found.difference}")
        if wrong:
            raise CommandError(f"{wrong} of {len(match_ids)} matches differ from their replay.")
