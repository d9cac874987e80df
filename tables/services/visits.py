"""Looking at a match by REST: who sees it, and that whoever has a seat there is connected."""

from __future__ import annotations

import time
from datetime import timedelta
from uuid import UUID

from tables import seating as clockwork
from tables.models import MatchStatus, Seat
from tables.selectors.matches import Sight, sight_of
from tables.services import presence
from tables.services.batch import Arrive, apply_one
from tables.services.presence import Place

MOST_NOTED = 50_000

_noted: dict[UUID, tuple[UUID, float]] = {}
"""Whose request for which match this process wrote down lately, and when by its own clock."""


def visit(*, match_id: UUID, viewer_id: UUID | None) -> Sight:
    """Find a match for a viewer, and connect them to it if it is the one they play.

    A player whom the table has for away is there again before they see it (rules.md R11.4).
    Raises MatchNotFound.
    """
    sight = sight_of(match_id=match_id, viewer_id=viewer_id)
    if viewer_id is None or sight.seat is None or sight.match.status != MatchStatus.PLAYING:
        return sight
    hold = clockwork.decode(sight.match.seating).hold(sight.seat)
    if not hold.awaited:
        return sight
    if hold.connected:
        note_request(player_id=viewer_id, match_id=match_id)
        return sight
    presence.touch(player_id=viewer_id, place=Place.MATCH, match_id=match_id)
    apply_one(Arrive(match_id, viewer_id))
    return sight_of(match_id=match_id, viewer_id=viewer_id)


def note_request(*, player_id: UUID, match_id: UUID) -> None:
    """Note that a player asked for the match that they play; for any other nothing is noted.

    Cheap enough for every action: most of the time this process knows that it is noted already.
    """
    now = time.monotonic()
    known, noted_at = _noted.get(player_id, (None, 0.0))
    good_for = presence.touch_every(Place.MATCH)
    if known == match_id and timedelta(seconds=now - noted_at) < good_for:
        return
    if not Seat.objects.filter(match_id=match_id, player_id=player_id, live=True).exists():
        return
    if not presence.touch(player_id=player_id, place=Place.MATCH, match_id=match_id):
        return
    if len(_noted) >= MOST_NOTED:
        _noted.clear()
    _noted[player_id] = (match_id, now)
