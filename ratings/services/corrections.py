"""Makes a rated match count no more, or again (ratings.md RT3.1)."""

from datetime import datetime
from uuid import UUID

from django.db import transaction

from ratings.locks import share_ratings
from ratings.models import Correction, RatedMatch


def void_match(*, match_id: UUID, now: datetime) -> bool:
    """Let a rated match count no more, as if it had never been; it shows at the next switch of
    generation, within a minute. False if it did not count already, or was never rated."""
    return _correct(match_id=match_id, counted=False, now=now)


def restore_match(*, match_id: UUID, now: datetime) -> bool:
    """Let a voided match count again, as if it always had. False if it counts already, or was
    never rated."""
    return _correct(match_id=match_id, counted=True, now=now)


def _correct(*, match_id: UUID, counted: bool, now: datetime) -> bool:
    with transaction.atomic():
        share_ratings()
        changed = RatedMatch.objects.filter(match_id=match_id, counted=not counted).update(
            counted=counted
        )
        if changed:
            Correction.objects.create(match_id=match_id, counted=counted, made_at=now)
        return bool(changed)
