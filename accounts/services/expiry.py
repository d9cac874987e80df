"""Expiry: removing what has served its time, so that nothing personal stays by accident."""

from datetime import datetime

from accounts.models import IdempotencyRecord, SignIn, TransferCode
from accounts.services.repeats import ANSWERS_LAST


def forget_expired(*, now: datetime) -> int:
    """Delete ended scopes, codes and kept answers; give how many rows went."""
    ended = (
        SignIn.objects.filter(expires_at__lte=now),
        TransferCode.objects.filter(expires_at__lte=now),
        IdempotencyRecord.objects.filter(created_at__lte=now - ANSWERS_LAST),
    )
    return sum(rows.delete()[0] for rows in ended)
