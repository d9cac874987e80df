"""Showing a match around under an alias in which names are seats."""

from __future__ import annotations

from uuid import UUID, uuid4

from django.utils import timezone

from tables.models import MatchShare
from tables.selectors.matches import MatchNotOver, may_be_shown_around, sight_of
from tables.table import NotYourSeat


def share_match(*, match_id: UUID, player_id: UUID) -> tuple[UUID, bool]:
    """Give the alias of a match for one of its players, and whether this made it.

    The alias is random: nothing leads from it to the match. Raises MatchNotFound, NotYourSeat, or
    MatchNotOver while the match is played and others may not watch it.
    """
    sight = sight_of(match_id=match_id, viewer_id=player_id)
    if sight.seat is None:
        raise NotYourSeat
    if not may_be_shown_around(sight.match):
        raise MatchNotOver
    share, made = MatchShare.objects.get_or_create(
        match=sight.match, defaults={"id": uuid4(), "created_at": timezone.now()}
    )
    return share.pk, made
