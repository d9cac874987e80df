"""`manage.py restore_match`: lets a void match count again (ratings.md RT3.1)."""

from uuid import UUID

from django.utils import timezone

from tables.management.verdict_command import VerdictCommand
from tables.services.verdicts import restore_match


class Command(VerdictCommand):
    """Judges one match."""

    help = "Lets a void match count again; its players are told."
    done = "counts"

    def judge(self, *, match_id: UUID, reason: str, actor: str) -> bool:
        """Decide it; False if it was so already."""
        return restore_match(match_id=match_id, reason=reason, actor=actor, now=timezone.now())
