"""Devices: issuing and proving their tokens, signing them out."""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction

from accounts import selectors, tokens
from accounts.models import Device, DeviceToken, Notice, NoticeKind, Player
from accounts.selectors import UNUSED_ENDS
from accounts.services import notices

YOUNG: Final = timedelta(hours=72)
"""How long a device may not act against older ones (api.md, devices)."""
MOST_DEVICES: Final = 10
TWINS_SETTLE: Final = timedelta(hours=1)
"""How long both secrets of a repeated signing-in are good (api.md, Idempotency-Key)."""
_NOTED_EVERY: Final = timedelta(minutes=1)
_LABEL_LENGTH: Final = 80


class DeviceNotFound(LookupError):
    """The player has no such device in use."""

    code = "device_not_found"


class DeviceTooYoung(PermissionError):
    """A young device may not do this while there are older ones."""

    code = "device_too_young"

    def __init__(self, until: datetime) -> None:
        super().__init__(self.code)
        self.members = {"until": until}


class TooManyDevices(Exception):
    """The account is on as many devices as an account may be on."""

    code = "too_many_devices"


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who a request is from, and by which device."""

    player: Player
    device: Device


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedOut:
    """The devices that have just ended, and what their player is told."""

    devices: tuple[UUID, ...]
    notice: Notice | None


def authenticate(*, token: str, now: datetime) -> Identity | None:
    """Tell whose token this is, or None if it is nobody's or has ended.

    Notes the use, to the minute. A token ends when its device is signed out, its player deleted,
    or when it was not used for 400 days; of twins the one not used last ends after an hour.
    """
    digest = tokens.digest(token)
    proof = _live_token(digest, now)
    if proof is not None and proof.settles_at is not None and now >= proof.settles_at:
        _settle(device_id=proof.device_id)
        proof = _live_token(digest, now)
    if proof is None or not hmac.compare_digest(bytes(proof.digest), digest):
        return None
    if proof.settles_at is not None or now - proof.last_used_at >= _NOTED_EVERY:
        DeviceToken.objects.filter(pk=proof.pk, last_used_at__lt=now).update(last_used_at=now)
    device = proof.device
    if now - device.last_used_at >= _NOTED_EVERY:
        Device.objects.filter(pk=device.pk, last_used_at__lt=now).update(last_used_at=now)
    return Identity(player=device.player, device=device)


def add_device(*, player: Player, browser: UUID, label: str, now: datetime) -> Device:
    """Put the account on one more device. Raises `TooManyDevices`."""
    if selectors.devices_in_use(player_id=player.pk, now=now).count() >= MOST_DEVICES:
        raise TooManyDevices
    return Device.objects.create(
        player=player,
        browser=browser,
        label=label[:_LABEL_LENGTH],
        created_at=now,
        last_used_at=now,
    )


def issue_token(*, device: Device, now: datetime) -> str:
    """Make a secret for the device and give it, this once."""
    token = tokens.new_token()
    DeviceToken.objects.create(
        device=device, digest=tokens.digest(token), created_at=now, last_used_at=now
    )
    return token


def issue_twin(*, device: Device, now: datetime) -> str:
    """Make another secret beside those there are; within an hour it shows which one arrived."""
    token = issue_token(device=device, now=now)
    device.tokens.update(settles_at=now + TWINS_SETTLE)
    return token


@transaction.atomic
def sign_out(*, acting: Device, device_id: UUID, now: datetime) -> SignedOut:
    """Sign out one device of the acting one's player, itself included.

    Raises `DeviceNotFound`, `DeviceTooYoung`.
    """
    devices = selectors.devices_in_use(player_id=acting.player_id, now=now)
    device = devices.select_for_update().filter(pk=device_id).first()
    if device is None:
        raise DeviceNotFound
    if device.pk == acting.pk:
        return SignedOut(devices=_end([device], now=now), notice=None)
    if device.created_at < acting.created_at:
        refuse_young(acting=acting, now=now)
    return _end_and_tell([device], now=now)


@transaction.atomic
def sign_out_others(*, acting: Device, now: datetime) -> SignedOut:
    """Sign out every device of the player but the acting one. Raises `DeviceTooYoung`."""
    refuse_young(acting=acting, now=now)
    devices = selectors.devices_in_use(player_id=acting.player_id, now=now)
    return _end_and_tell(list(devices.select_for_update().exclude(pk=acting.pk)), now=now)


@transaction.atomic
def sign_out_all(*, player_id: UUID, now: datetime) -> SignedOut:
    """As staff, sign out every device of a player; a notice waits for them."""
    devices = selectors.devices_in_use(player_id=player_id, now=now)
    return _end_and_tell(list(devices.select_for_update()), now=now)


def end_device(*, device: Device, now: datetime) -> tuple[UUID, ...]:
    """End a device that its own browser leaves behind."""
    return _end([device], now=now)


def refuse_young(*, acting: Device, now: datetime) -> None:
    """Raise `DeviceTooYoung` for a device under 72 h old that has older ones beside it."""
    until = acting.created_at + YOUNG
    if now >= until:
        return
    devices = selectors.devices_in_use(player_id=acting.player_id, now=now)
    if devices.filter(created_at__lt=acting.created_at).exists():
        raise DeviceTooYoung(until)


def _live_token(digest: bytes, now: datetime) -> DeviceToken | None:
    return (
        DeviceToken.objects.select_related("device__player")
        .filter(
            digest=digest,
            last_used_at__gt=now - UNUSED_ENDS,
            device__revoked_at__isnull=True,
            device__player__deleted_at__isnull=True,
        )
        .first()
    )


@transaction.atomic
def _settle(*, device_id: UUID) -> None:
    Device.objects.select_for_update().get(pk=device_id)
    last, *others = DeviceToken.objects.filter(device_id=device_id).order_by(
        "-last_used_at", "-created_at", "-id"
    )
    DeviceToken.objects.filter(pk__in=[other.pk for other in others]).delete()
    DeviceToken.objects.filter(pk=last.pk).update(settles_at=None)


def _end(devices: Sequence[Device], *, now: datetime) -> tuple[UUID, ...]:
    ended = tuple(device.pk for device in devices)
    Device.objects.filter(pk__in=ended).update(revoked_at=now)
    DeviceToken.objects.filter(device_id__in=ended).delete()
    return ended


def _end_and_tell(devices: Sequence[Device], *, now: datetime) -> SignedOut:
    if not devices:
        return SignedOut(devices=(), notice=None)
    notice = notices.tell(
        player_id=devices[0].player_id,
        kind=NoticeKind.DEVICE_SIGNED_OUT,
        values={"devices": [device.label for device in devices]},
        now=now,
    )
    return SignedOut(devices=_end(devices, now=now), notice=notice)
