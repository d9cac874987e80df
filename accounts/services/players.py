"""Players: making, renaming, setting, banning and deleting their accounts."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import IntegrityError, transaction

from accounts import preferences, tokens
from accounts.generated_names import generated_name
from accounts.languages import Language
from accounts.models import (
    Block,
    Device,
    IdempotencyRecord,
    Notice,
    NoticeKind,
    NoticeLevel,
    Player,
    RecoveryKey,
    TransferCode,
)
from accounts.names import clean, name_key
from accounts.services import notices
from accounts.services.devices import refuse_young

_TAG_TRIES: Final = 20


class PlayerGone(LookupError):
    """The account was deleted."""

    code = "player_not_found"


def make_player(*, display_name: str | None, language: Language, now: datetime) -> Player:
    """Make an account, with a generated name if none is given. Raises `NameRefused`."""
    name = generated_name(language) if display_name is None else clean(display_name)
    player = Player(settings={"language": language.value}, created_at=now)
    return _named(player, name)


@transaction.atomic
def change_player(
    *,
    player_id: UUID,
    display_name: str | None = None,
    settings: Mapping[str, object] | None = None,
) -> Player:
    """Rename the player, change the given settings, or both; all or nothing.

    Raises `NameRefused`, `PreferencesRefused`, `PlayerGone`.
    """
    player = _locked(player_id)
    if settings is not None:
        chosen = preferences.changed(player.preferences, settings)
        player.settings = preferences.as_mapping(chosen)
        player.save(update_fields=["settings"])
    if display_name is not None and (name := clean(display_name)) != player.display_name:
        _named(player, name)
    return player


@transaction.atomic
def rename_by_staff(*, player_id: UUID, display_name: str | None, now: datetime) -> Player:
    """Give the player another name, generated if none is given, and tell them."""
    player = _locked(player_id)
    name = generated_name(player.language) if display_name is None else clean(display_name)
    _named(player, name)
    notices.tell(
        player_id=player.pk, kind=NoticeKind.RENAMED, values={"display_name": name}, now=now
    )
    return player


@transaction.atomic
def ban_player(*, player_id: UUID, until: datetime | None, reason: str, now: datetime) -> Player:
    """Ban the player until a time, or until it is lifted, and tell them why."""
    player = _locked(player_id)
    player.banned_at, player.banned_until, player.ban_reason = now, until, reason
    player.save(update_fields=["banned_at", "banned_until", "ban_reason"])
    notices.tell(
        player_id=player.pk,
        kind=NoticeKind.BAN,
        level=NoticeLevel.URGENT,
        values={"reason": reason},
        until=until,
        now=now,
    )
    return player


@transaction.atomic
def lift_ban(*, player_id: UUID, now: datetime) -> Player:
    """End the player's ban, and tell them."""
    player = _locked(player_id)
    player.banned_at, player.banned_until, player.ban_reason = None, None, ""
    player.save(update_fields=["banned_at", "banned_until", "ban_reason"])
    notices.tell(player_id=player.pk, kind=NoticeKind.BAN, values={"lifted": True}, now=now)
    return player


@transaction.atomic
def delete_player(*, player_id: UUID, acting: Device | None, now: datetime) -> None:
    """Make the player nameless for ever; the row stays for the matches that they played.

    Seats, tickets and parties are left before by whoever calls. Without an acting device it is
    staff's doing. Raises `DeviceTooYoung`, `PlayerGone`.
    """
    player = _locked(player_id)
    if acting is not None:
        refuse_young(acting=acting, now=now)
    for belongings in (Device, TransferCode, RecoveryKey, Notice, IdempotencyRecord):
        belongings.objects.filter(player=player).delete()
    Block.objects.filter(blocker=player).delete()
    Block.objects.filter(blocked=player).delete()
    player.display_name, player.name_key, player.tag = "", "", tokens.new_tag()
    player.settings, player.deleted_at = {}, now
    player.save()


def _locked(player_id: UUID) -> Player:
    player = Player.objects.select_for_update(no_key=True).filter(pk=player_id).first()
    if player is None or player.deleted_at is not None:
        raise PlayerGone
    return player


def _named(player: Player, name: str) -> Player:
    """Save the player under the name, with a tag that nobody of that name has."""
    player.display_name, player.name_key = name, name_key(name)
    for _ in range(_TAG_TRIES):
        player.tag = player.tag or tokens.new_tag()
        try:
            with transaction.atomic():
                player.save()
        except IntegrityError as taken:
            if "player_told_apart" not in str(taken):
                raise
            player.tag = ""
        else:
            return player
    raise RuntimeError(f"No free tag was found in {_TAG_TRIES} tries.")
