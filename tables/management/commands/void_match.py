"""`manage.py void_match`: lets a finished match count no more (ratings.md RT3.1)."""

from uuid import UUID

from django.utils import timezone

from tables.management.verdict_command import VerdictCommand
from tables.services.verdicts import void_match


class Command(VerdictCommand):
    """Judges one match."""

    help = "Lets a finished match count no more; its players are told."
    done = "is void"

    def judge(self, *, match_id: UUID, reason: str, actor: str) -> bool:
        """Decide it; False if it was so already."""
        return void_match(match_id=match_id, reason=reason, actor=actor, now=timezone.now())
