"""Transfer codes and recovery keys: how an account reaches another device."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from accounts import tokens
from accounts.models import Device, RecoveryKey, TransferCode
from accounts.services.devices import refuse_young

CODE_LASTS: Final = timedelta(minutes=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class IssuedCode:
    """A transfer code, shown once, and when it ends."""

    code: str
    expires_at: datetime


@transaction.atomic
def make_transfer_code(*, acting: Device, material: bytes, now: datetime) -> IssuedCode:
    """Make the account's transfer code: 15 minutes, one use, replaces the last.

    `material` is 256 bits that nobody can guess. Raises `DeviceTooYoung`.
    """
    refuse_young(acting=acting, now=now)
    issued = IssuedCode(code=tokens.transfer_code_of(material), expires_at=now + CODE_LASTS)
    TransferCode.objects.update_or_create(
        player_id=acting.player_id,
        defaults={
            "digest": tokens.digest(issued.code),
            "created_at": now,
            "expires_at": issued.expires_at,
        },
    )
    return issued


@transaction.atomic
def make_recovery_key(*, acting: Device, material: bytes, now: datetime) -> str:
    """Make the account's recovery key, replacing the last. Raises `DeviceTooYoung`."""
    refuse_young(acting=acting, now=now)
    key = tokens.recovery_key_of(material)
    RecoveryKey.objects.update_or_create(
        player_id=acting.player_id,
        defaults={"digest": tokens.digest(tokens.read_code(key)), "created_at": now},
    )
    return key
