"""What other rooms know about a player, and must do for one: the seam to `tables` and `ratings`."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

import msgspec
from django.db import transaction

from accounts import selectors
from accounts.models import Device, Notice, Player
from api.rating_serializers import rating_as_mapping
from ratings.selectors import export as ratings_export
from ratings.selectors import ranks_of, rating_of
from tables.hub import Poke, poke, publish
from tables.models import MatchKind, Outcome
from tables.queue_view import QueueStatus
from tables.selectors import export as tables_export
from tables.selectors.history import has_matches, results_of
from tables.selectors.matches import live_match_id
from tables.selectors.parties import party_of
from tables.selectors.queue import queue_view
from tables.services import removal

__all__ = [
    "Record",
    "Standing",
    "announce",
    "delete_account",
    "export_of",
    "has_matches",
    "record_of",
    "standing_of",
]


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
    party = party_of(player.pk)
    place = queue_view(player.pk, now)
    shown = msgspec.to_builtins(place)
    return Standing(
        party=None if party is None else party.code,
        match=live_match_id(player.pk),
        queue=None if place.status is QueueStatus.NONE else shown,
        penalty=None
        if place.penalty is None
        else {"until": place.penalty.until, "reason": place.penalty.reason},
    )


def record_of(*, player: Player) -> Record:
    """The player's rating, rank and counts of results."""
    by_kind = results_of(player.pk).values()
    standing = ranks_of([player.pk]).get(player.pk)
    return Record(
        rating=rating_as_mapping(rating_of(player.pk)),
        rank=None if standing is None else standing.rank,
        results={how.value: sum(by[how] for by in by_kind) for how in Outcome},
    )


class KeepStage(StrEnum):
    """How much is at stake for an account that no recovery key would bring back."""

    OFFER = "offer"
    REMINDER = "reminder"


OFFERED_AFTER: Final = 3
"""Finished matches after which a recovery key is offered."""
REMINDED_AFTER: Final = 5
"""Rated matches after which whoever made none is reminded."""


def keep_stage(*, player_id: UUID) -> KeepStage | None:
    """Whether to speak of a recovery key; None for who has one, or little to lose."""
    if selectors.recovery_key_made_at(player_id=player_id) is not None:
        return None
    results = results_of(player_id)
    if sum(results[MatchKind.RANKED].values()) >= REMINDED_AFTER:
        return KeepStage.REMINDER
    finished = sum(sum(by.values()) for by in results.values())
    return KeepStage.OFFER if finished >= OFFERED_AFTER else None


def export_of(*, player: Player) -> dict[str, Any]:
    """All that is stored about the player, in every room."""
    return {
        **selectors.export_of(player=player),
        **tables_export.export_of(player.pk),
        "ratings": ratings_export.export_of(player.pk),
    }


def delete_account(*, player: Player, acting: Device, now: datetime) -> None:
    """Leave party, ticket and seat, then make the account nameless."""
    removal.delete_account(player_id=player.pk, acting=acting, now=now)


def announce(*, notice: Notice | None, ended: Sequence[UUID]) -> None:
    """Tell a player's open sockets of a new notice, and close those of ended devices."""
    owners = Device.objects.filter(pk__in=ended).values_list("player_id", "pk")
    messages = [poke(player_id, Poke.SIGNED_OUT, device_id) for player_id, device_id in owners]
    if notice is not None:
        messages.append(poke(notice.player_id, Poke.NOTICE, notice.pk))
    transaction.on_commit(functools.partial(publish, messages))
