"""What there is to read about accounts."""

from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import Q, QuerySet

from accounts import preferences
from accounts.models import (
    Announcement,
    Block,
    Device,
    IdempotencyRecord,
    Notice,
    Player,
    RecoveryKey,
)

UNUSED_ENDS: Final = timedelta(days=400)
"""A device not used for so long is signed out; the browser's cookie lasts as long."""


class PlayerNotFound(LookupError):
    """There is no such player."""

    code = "player_not_found"


def player_of(*, player_id: UUID) -> Player:
    """Find a player, deleted ones included: their matches stay. Raises `PlayerNotFound`."""
    player = Player.objects.filter(pk=player_id).first()
    if player is None:
        raise PlayerNotFound
    return player


def devices_in_use(*, player_id: UUID, now: datetime) -> QuerySet[Device]:
    """The devices that speak for the player."""
    return Device.objects.filter(
        player_id=player_id, revoked_at__isnull=True, last_used_at__gt=now - UNUSED_ENDS
    )


def blocks_of(*, player_id: UUID) -> QuerySet[Block]:
    """The player's blocks, with whom they are against."""
    return Block.objects.filter(blocker_id=player_id).select_related("blocked")


def is_blocked(*, blocker_id: UUID, player_id: UUID) -> bool:
    """Tell whether the first blocks the second (api.md: may not join my party)."""
    return Block.objects.filter(blocker_id=blocker_id, blocked_id=player_id).exists()


def notices_of(*, player_id: UUID) -> QuerySet[Notice]:
    """What the player was told."""
    return Notice.objects.filter(player_id=player_id)


def unread(*, player_id: UUID) -> int:
    """How many notices the player has not read."""
    return Notice.objects.filter(player_id=player_id, read_at__isnull=True).count()


def recovery_key_made_at(*, player_id: UUID) -> datetime | None:
    """When the player made the recovery key in force, None without one."""
    return (
        RecoveryKey.objects.filter(player_id=player_id).values_list("created_at", flat=True).first()
    )


def export_of(*, player: Player) -> dict[str, Any]:
    """All that is stored here about the player, less the digests of secrets."""
    return {
        "player": {
            "id": player.pk,
            "display_name": player.display_name,
            "tag": player.tag,
            "settings": preferences.as_mapping(player.preferences),
            "created_at": player.created_at,
            "ban": None
            if player.banned_at is None
            else {
                "since": player.banned_at,
                "until": player.banned_until,
                "reason": player.ban_reason,
            },
        },
        "devices": list(
            player.devices.order_by("id").values(
                "id", "label", "browser", "created_at", "last_used_at", "revoked_at"
            )
        ),
        "transfer_code": _times(player, "transfer_code", ("created_at", "expires_at")),
        "recovery_key": _times(player, "recovery_key", ("created_at",)),
        "blocks": [
            {"player": block.blocked_id, "created_at": block.created_at}
            for block in blocks_of(player_id=player.pk).order_by("id")
        ],
        "notices": list(
            notices_of(player_id=player.pk)
            .order_by("id")
            .values("id", "kind", "level", "values", "text", "until", "created_at", "read_at")
        ),
        "repeatable_requests": list(
            IdempotencyRecord.objects.filter(player=player)
            .order_by("id")
            .values("status", "created_at")
        ),
    }


def _times(player: Player, relation: str, names: tuple[str, ...]) -> dict[str, datetime] | None:
    secret = getattr(player, relation, None)
    return None if secret is None else {name: getattr(secret, name) for name in names}


def announcements_in_force(*, now: datetime) -> QuerySet[Announcement]:
    """What everybody is told at a time."""
    begun = Announcement.objects.filter(starts_at__lte=now)
    return begun.filter(Q(ends_at__isnull=True) | Q(ends_at__gt=now))
