"""The result of a finished match with the ratings that are in force now (ratings.md RT3.1)."""

from __future__ import annotations

from uuid import UUID

from ratings.elo import exact
from ratings.selectors.ratings import match_ratings
from tables.blackjack.events import FinalResult
from tables.blackjack.state import MatchState
from tables.match_view import final_results
from tables.models import MatchKind


def result_of(match_id: UUID, kind: str, state: MatchState) -> tuple[FinalResult, ...] | None:
    """Each seat's result, None while the match is played.

    A rated match's shows what it did to ratings by the present numbers; one that does not count
    shows no ratings.
    """
    if not state.finished:
        return None
    rated = match_ratings([match_id]).get(match_id) if kind == MatchKind.RANKED else None
    if rated is None:
        return final_results(state)
    return final_results(
        state,
        [
            (exact(before), exact(after))
            for before, after in zip(rated.before, rated.after, strict=True)
        ],
    )
