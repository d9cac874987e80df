"""What `void_match` and `restore_match` share: a match, a reason, and whoever decided it."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import ClassVar
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from ratings.locks import RatingsBusy
from tables.selectors.matches import MatchNotFound
from tables.services.verdicts import LONGEST_REASON, NotFinished, ReasonNeeded


class VerdictCommand(BaseCommand):
    """A command that judges one match."""

    done: ClassVar[str]
    """What became of the match."""

    def judge(self, *, match_id: UUID, reason: str, actor: str) -> bool:
        """Decide it; False if it was so already."""
        raise NotImplementedError

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The match, why, and by whom."""
        parser.add_argument("id", type=UUID, help="The match.")
        parser.add_argument("--reason", required=True, help="Why; a void's is shown to everybody.")
        parser.add_argument("--by", default="command line", help="Whoever decided it.")

    def handle(self, *args: object, **options: object) -> None:
        """Print what became of the match. Raises CommandError where it cannot be judged."""
        match_id = UUID(str(options["id"]))
        try:
            changed = self.judge(
                match_id=match_id, reason=str(options["reason"]), actor=str(options["by"])
            )
        except MatchNotFound as missing:
            raise CommandError(f"There is no match {match_id}.") from missing
        except NotFinished as playing:
            raise CommandError(f"The match {match_id} is still played.") from playing
        except ReasonNeeded as wrong:
            raise CommandError(
                f"--reason must say why, in 1 to {LONGEST_REASON} characters."
            ) from wrong
        except RatingsBusy as busy:
            raise CommandError("Ratings are being worked on; try again in a moment.") from busy
        was = "" if changed else " already"
        self.stdout.write(f"{match_id} {self.done}{was}.")
