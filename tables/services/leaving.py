"""Leaving a match on purpose, and taking the seat back (rules.md R11.3, R11.4)."""

from __future__ import annotations

from uuid import UUID

from tables.match_view import MatchView, seen_by
from tables.selectors.matches import sight_of, view_of
from tables.services.batch import Done, Leave, Return, apply_one
from tables.services.visits import visit


def leave_match(*, match_id: UUID, player_id: UUID) -> MatchView:
    """Give the player's seat to the CPU at once; they are free for another match.

    Leaving again changes nothing. Raises MatchNotFound, NotYourSeat, MatchOver.
    """
    sight_of(match_id=match_id, viewer_id=player_id)
    return _seen(apply_one(Leave(match_id, player_id)), match_id, player_id)


def return_to_match(*, match_id: UUID, player_id: UUID) -> MatchView:
    """Give the player the seat back that the CPU holds, and connect them to it.

    Raises MatchNotFound, NotYourSeat, MatchOver, or InMatch if another match has them now.
    """
    sight_of(match_id=match_id, viewer_id=player_id)
    done = apply_one(Return(match_id, player_id))
    visit(match_id=match_id, viewer_id=player_id)
    return _seen(done, match_id, player_id)


def _seen(done: Done, match_id: UUID, player_id: UUID) -> MatchView:
    if done.view is None:
        return view_of(sight_of(match_id=match_id, viewer_id=player_id))
    return seen_by(done.view, done.seat)
