"""What staff do to a player's account. Each gives the record; repeated orders change nothing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from uuid import UUID

from django.db import transaction

from accounts.models import Notice, NoticeKind, Player
from accounts.selectors import devices_in_use, player_of
from accounts.services import devices, players
from staff.models import Kind, StaffAction
from staff.services.orders import Change, NothingToDo, Order, carry_out
from tables.hub import Poke, poke, publish
from tables.models import Penalty
from tables.services import removal, renaming
from tables.services.notice_news import bring_on_commit
from tables.services.penalties import lift_penalties


def note(order: Order, *, player_id: UUID) -> StaffAction:
    """Write something down about a player, for staff alone. Raises `PlayerNotFound`."""
    return carry_out(order, Kind.NOTE, lambda _: _about(player_of(player_id=player_id)))


def ban(order: Order, *, player_id: UUID, until: datetime | None) -> StaffAction:
    """Ban a player until a time, or until it is lifted; they are told why.

    Their sockets close, their ticket, party and seat are left. Raises `PlayerGone`,
    `NothingToDo` for an end that is past.
    """
    if until is not None and until <= order.now:
        raise NothingToDo

    def change(reason: str) -> Change:
        before = _ban_of(player_of(player_id=player_id))
        player = players.ban_player(
            player_id=player_id, until=until, reason=reason[:200], now=order.now
        )
        return _about(player, before=before, after=_ban_of(player))

    action = carry_out(order, Kind.BAN, change)
    if player_of(player_id=player_id).is_banned(order.now):
        removal.send_away(player_id=player_id, now=order.now)
    return action


def unban(order: Order, *, player_id: UUID) -> StaffAction:
    """Lift a player's ban. Raises `PlayerGone`, `NothingToDo`."""

    def change(_: str) -> Change:
        found = player_of(player_id=player_id)
        if found.banned_at is None:
            raise NothingToDo
        before = _ban_of(found)
        player = players.lift_ban(player_id=player_id, now=order.now)
        _tell_latest(player_id, NoticeKind.BAN)
        return _about(player, before=before, after=_ban_of(player))

    action = carry_out(order, Kind.UNBAN, change)
    removal.refresh_standing(player_id=player_id, now=order.now)
    return action


def rename(order: Order, *, player_id: UUID, display_name: str | None) -> StaffAction:
    """Give a player another name, a generated one if none is given; they are told.

    Raises `PlayerGone`, `NameRefused`.
    """

    def change(_: str) -> Change:
        before = str(player_of(player_id=player_id))
        player = players.rename_by_staff(
            player_id=player_id, display_name=display_name or None, now=order.now
        )
        _tell_latest(player_id, NoticeKind.RENAMED)
        return _about(player, before={"name": before}, after={"name": str(player)})

    action = carry_out(order, Kind.RENAME, change)
    renaming.show_new_name(player_id)
    return action


def sign_out(order: Order, *, player_id: UUID) -> StaffAction:
    """Sign out every device of a player: their sockets close, and they need their recovery key.

    Raises `NothingToDo` if there is none.
    """

    def change(_: str) -> Change:
        player = player_of(player_id=player_id)
        labels = list(
            devices_in_use(player_id=player_id, now=order.now).values_list("label", flat=True)
        )
        ended = devices.sign_out_all(player_id=player_id, now=order.now)
        if not ended.devices:
            raise NothingToDo
        transaction.on_commit(
            partial(publish, [poke(player_id, Poke.SIGNED_OUT, each) for each in ended.devices])
        )
        return _about(player, before={"devices": labels}, after={"devices": []})

    return carry_out(order, Kind.SIGN_OUT, change)


def lift_penalty(order: Order, *, player_id: UUID) -> StaffAction:
    """Let a player search again, and forget the offences that keep them out.

    Raises `NothingToDo` if nothing does.
    """

    def change(_: str) -> Change:
        player = player_of(player_id=player_id)
        held = Penalty.objects.filter(player=player_id, until__gt=order.now)
        before = [
            {"offence": each.offence, "until": each.until.isoformat()}
            for each in held.order_by("id")
        ]
        if not before:
            raise NothingToDo
        lift_penalties(player_id=player_id, now=order.now)
        return _about(player, before={"penalties": before}, after={"penalties": []})

    return carry_out(order, Kind.LIFT_PENALTY, change)


def _tell_latest(player_id: UUID, kind: NoticeKind) -> None:
    """Bring the notice just left to the player's sockets once it is committed."""
    notice = Notice.objects.filter(player=player_id, kind=kind).order_by("-id").first()
    if notice is not None:
        bring_on_commit(notice)


def _about(
    player: Player,
    *,
    before: Mapping[str, object] | None = None,
    after: Mapping[str, object] | None = None,
) -> Change:
    return Change(target=str(player), player=player.pk, before=before or {}, after=after or {})


def _ban_of(player: Player) -> dict[str, object]:
    if player.banned_at is None:
        return {"banned": False}
    until = player.banned_until
    return {
        "banned": True,
        "until": None if until is None else until.isoformat(),
        "reason": player.ban_reason,
    }
