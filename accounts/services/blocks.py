"""Blocks: a player who wants nothing to do with another."""

from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction

from accounts.models import Block, Player
from accounts.selectors import PlayerNotFound

MOST_BLOCKS: Final = 500


class CannotBlockYourself(ValueError):
    """A player may not block themselves."""

    code = "cannot_block_yourself"


class TooManyBlocks(Exception):
    """The player blocks as many others as one may."""

    code = "too_many_blocks"


@transaction.atomic
def block(*, player: Player, blocked_id: UUID, now: datetime) -> Block:
    """Block a player; again changes nothing.

    Raises `CannotBlockYourself`, `PlayerNotFound`, `TooManyBlocks`.
    """
    if blocked_id == player.pk:
        raise CannotBlockYourself
    if not Player.objects.filter(pk=blocked_id, deleted_at__isnull=True).exists():
        raise PlayerNotFound
    Player.objects.select_for_update(no_key=True).get(pk=player.pk)
    present = Block.objects.filter(blocker=player)
    again = present.select_related("blocked").filter(blocked_id=blocked_id).first()
    if again is not None:
        return again
    if present.count() >= MOST_BLOCKS:
        raise TooManyBlocks
    return Block.objects.create(blocker=player, blocked_id=blocked_id, created_at=now)


def unblock(*, player: Player, blocked_id: UUID) -> None:
    """End a block, if there is one."""
    Block.objects.filter(blocker=player, blocked_id=blocked_id).delete()
