"""Signing in: a new account, or an existing one on a new device, once however often it is asked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import connection, transaction

from accounts import selectors, tokens
from accounts.languages import Language
from accounts.models import (
    Device,
    Notice,
    NoticeKind,
    NoticeLevel,
    Player,
    RecoveryKey,
    SignIn,
    TransferCode,
)
from accounts.services import devices, notices
from accounts.services.devices import Identity
from accounts.services.players import make_player
from accounts.services.repeats import KeyReused

KEY_LASTS: Final = timedelta(minutes=10)
PAGE_LASTS: Final = timedelta(minutes=1)


class UnknownTransferCode(LookupError):
    """No account has this transfer code or recovery key, or its time is over."""

    code = "transfer_code_unknown"


class WouldLoseAccount(Exception):
    """The account signed in now has matches and no other device, so it would be lost."""

    code = "would_lose_account"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What makes two signing-in requests one (api.md, Idempotency-Key)."""

    digest: bytes
    lasts: timedelta
    same_content: bool


def key_scope(key: str) -> Scope:
    """The scope of an Idempotency-Key: 10 minutes, and the same content."""
    return Scope(digest=tokens.digest("key:" + key), lasts=KEY_LASTS, same_content=True)


def page_scope(csrf_token: str) -> Scope:
    """The scope of a browser's CSRF token: two tabs within a minute are one account."""
    return Scope(digest=tokens.digest("page:" + csrf_token), lasts=PAGE_LASTS, same_content=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a signing-in comes from: the browser, what it calls itself, what it asked."""

    browser: UUID
    label: str
    scopes: Sequence[Scope]
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """Who is signed in now. `token` is shown this once; None if nothing had to be made."""

    player: Player
    device: Device
    token: str | None
    notice: Notice | None = None
    ended: tuple[UUID, ...] = field(default=())
    """Devices that this ended."""


@transaction.atomic
def create_account(
    *, display_name: str | None, language: Language, origin: Origin, now: datetime
) -> SignedIn:
    """Make an account and sign its first device in; a repeat gives the same account again.

    Raises `NameRefused`, `KeyReused`.
    """
    if (again := _again(origin, now)) is not None:
        return again
    player = make_player(display_name=display_name, language=language, now=now)
    return _signed_in(player, origin, now)


@transaction.atomic
def transfer_account(
    *,
    code: str,
    signed_in: Identity | None,
    has_matches: Callable[[UUID], bool],
    replace: bool,
    origin: Origin,
    now: datetime,
) -> SignedIn:
    """Sign a new device in to the account of a transfer code or recovery key.

    A transfer code is used up by it, a recovery key is not. The account's other devices are told.
    Whoever was signed in on this device is signed out on it. Raises `UnknownTransferCode`,
    `WouldLoseAccount` (unless `replace`), `TooManyDevices`, `KeyReused`.
    """
    if (again := _again(origin, now)) is not None:
        return again
    player = _owner_of(code, now)
    if signed_in is not None and signed_in.player.pk == player.pk:
        return SignedIn(player=player, device=signed_in.device, token=None)
    ended: tuple[UUID, ...] = ()
    if signed_in is not None:
        if not replace and _is_last_of_played(signed_in, has_matches, now):
            raise WouldLoseAccount
        ended = devices.end_device(device=signed_in.device, now=now)
    TransferCode.objects.filter(player=player).delete()
    done = _signed_in(player, origin, now)
    notice = notices.tell(
        player_id=player.pk,
        kind=NoticeKind.DEVICE_ADDED,
        level=NoticeLevel.WARNING,
        values={"device": done.device.label},
        now=now,
    )
    return SignedIn(player=player, device=done.device, token=done.token, notice=notice, ended=ended)


def _signed_in(player: Player, origin: Origin, now: datetime) -> SignedIn:
    device = devices.add_device(player=player, browser=origin.browser, label=origin.label, now=now)
    token = devices.issue_token(device=device, now=now)
    for scope in origin.scopes:
        SignIn.objects.update_or_create(
            scope=scope.digest,
            defaults={
                "content": origin.content,
                "device": device,
                "expires_at": now + scope.lasts,
            },
        )
    return SignedIn(player=player, device=device, token=token)


def _again(origin: Origin, now: datetime) -> SignedIn | None:
    """Find the signing-in that this one repeats. Two at once wait here for each other."""
    scopes = {scope.digest: scope for scope in origin.scopes}
    _hold(sorted(scopes))
    earlier = (
        SignIn.objects.select_related("device__player")
        .filter(scope__in=list(scopes), expires_at__gt=now, device__revoked_at__isnull=True)
        .order_by("expires_at")
    )
    for found in earlier:
        same = bytes(found.content) == origin.content
        if scopes[bytes(found.scope)].same_content and not same:
            raise KeyReused
    for found in earlier:
        token = devices.issue_twin(device=found.device, now=now)
        return SignedIn(player=found.device.player, device=found.device, token=token)
    return None


def _hold(digests: Sequence[bytes]) -> None:
    with connection.cursor() as cursor:
        for digest in digests:
            number = int.from_bytes(digest[:8], signed=True)
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [number])


def _owner_of(code: str, now: datetime) -> Player:
    digest = tokens.digest(tokens.read_code(code))
    transfer = (
        TransferCode.objects.select_for_update(of=("self",))
        .select_related("player")
        .filter(digest=digest, expires_at__gt=now)
        .first()
    )
    if transfer is not None:
        return transfer.player
    recovery = RecoveryKey.objects.select_related("player").filter(digest=digest).first()
    if recovery is not None:
        return recovery.player
    raise UnknownTransferCode


def _is_last_of_played(
    identity: Identity, has_matches: Callable[[UUID], bool], now: datetime
) -> bool:
    used = selectors.devices_in_use(player_id=identity.player.pk, now=now)
    return not used.exclude(pk=identity.device.pk).exists() and has_matches(identity.player.pk)
