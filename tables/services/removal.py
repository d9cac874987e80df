"""Taking a player out of everything: before their account ends, and when they are banned.

Each part can be done again, so whatever stops half-way is finished by doing all of it once more.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from uuid import UUID

from accounts.models import Device, Player
from accounts.services import players
from accounts.services.devices import refuse_young
from ratings.services import RatingsBusy, refresh_board
from tables.blackjack.actions import MatchOver
from tables.blackjack.events import ControlReason
from tables.hub import Poke, poke, publish
from tables.models import MatchStatus, Seat
from tables.queue_view import TicketEnd
from tables.services import queue
from tables.services.batch import Leave, Rename, apply_one
from tables.services.parties import leave_any_party


def delete_account(*, player_id: UUID, acting: Device | None, now: datetime) -> None:
    """Leave the party, give the seat to the CPU for good, then end the account.

    The account ends last, so that its player can ask again if this is interrupted; and what was
    entered meanwhile by another device is left after it. Raises DeviceTooYoung, PlayerGone.
    """
    if acting is not None:
        refuse_young(acting=acting, now=now)
    _leave_everything(player_id, ControlReason.DELETED)
    players.delete_player(player_id=player_id, acting=acting, now=now)
    _leave_everything(player_id, ControlReason.DELETED)
    show_name(player_id)
    refresh_standing(player_id=player_id, now=now)
    publish([poke(player_id, Poke.DELETED)])


def ban_player(*, player_id: UUID, until: datetime | None, reason: str, now: datetime) -> Player:
    """Ban a player, then take them out of their party and give their seat to the CPU for good."""
    player = players.ban_player(player_id=player_id, until=until, reason=reason, now=now)
    send_away(player_id=player_id, now=now)
    return player


def send_away(*, player_id: UUID, now: datetime) -> None:
    """Take a banned player out of everything, off the board, and close their sockets."""
    _leave_everything(player_id, ControlReason.BANNED)
    refresh_standing(player_id=player_id, now=now)
    publish([poke(player_id, Poke.BANNED)])


def show_name(player_id: UUID) -> None:
    """Show the player's present name at every table at which they have a seat."""
    playing = Seat.objects.filter(player_id=player_id, match__status=MatchStatus.PLAYING)
    for match_id in playing.values_list("match_id", flat=True):
        apply_one(Rename(match_id, player_id))


def refresh_standing(*, player_id: UUID, now: datetime) -> None:
    """Take the player off the leaderboard, or put them back, at once (ratings.md RT4.2)."""
    with suppress(RatingsBusy):  # then the job does it, within minutes
        refresh_board(now=now, players=[player_id])


_TICKET_ENDS = {
    ControlReason.BANNED: TicketEnd.BANNED,
    ControlReason.DELETED: TicketEnd.DELETED,
}


def _leave_everything(player_id: UUID, reason: ControlReason) -> None:
    queue.leave(player_id=player_id, reason=_TICKET_ENDS[reason], blameless=True)
    leave_any_party(player_id=player_id)
    for match_id in Seat.objects.filter(player_id=player_id, live=True).values_list(
        "match_id", flat=True
    ):
        try:
            apply_one(Leave(match_id, player_id, reason))
        except MatchOver:  # it has ended meanwhile, and let go of everybody
            continue
