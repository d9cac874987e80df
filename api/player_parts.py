"""What other rooms know about a player, and must do for one: the seam to `tables` and `ratings`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from accounts import selectors
from accounts.models import Device, Notice, Player
from accounts.services import players


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where a player is and whether the queue is open to them (api.md, players/me/)."""

    party: str | None = None
    match: UUID | None = None
    queue: Mapping[str, Any] | None = None
    penalty: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What a public profile says besides the name."""

    rating: Mapping[str, Any] | None = None
    rank: int | None = None
    results: Mapping[str, int] | None = None


def standing_of(*, player: Player, now: datetime) -> Standing:
    """Where the player is at the moment."""
    return Standing()


def record_of(*, player: Player) -> Record:
    """The player's rating, rank and counts of results."""
    return Record()


def has_matches(player_id: UUID) -> bool:
    """Whether the player has played, or plays, a match."""
    return False


def export_of(*, player: Player) -> dict[str, Any]:
    """All that is stored about the player, in every room."""
    return selectors.export_of(player=player)


def delete_account(*, player: Player, acting: Device, now: datetime) -> None:
    """Leave party, ticket and seat, then make the account nameless."""
    players.delete_player(player_id=player.pk, acting=acting, now=now)


def announce(*, notice: Notice | None, ended: Sequence[UUID]) -> None:
    """Tell a player's open sockets of a new notice, and close those of ended devices."""
