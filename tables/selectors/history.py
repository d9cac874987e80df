"""What a player has played: lists for them and for strangers, and counts of results."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db.models import Count, Prefetch, QuerySet

from accounts.selectors import player_of
from tables.models import MatchKind, MatchStatus, Outcome, Seat

Results = dict[MatchKind, dict[Outcome, int]]


def matches_played(
    *,
    player_id: UUID,
    viewer_id: UUID | None,
    kind: MatchKind | None = None,
    result: Outcome | None = None,
    earliest: datetime | None = None,
    before: datetime | None = None,
) -> QuerySet[Seat]:
    """A player's matches, one row a seat, with everybody who sat there.

    Strangers see only the ranked ones (api.md, Reading without an account). Times are those of
    the match's start. Raises PlayerNotFound.
    """
    player_of(player_id=player_id)
    seats = Seat.objects.filter(player_id=player_id)
    if viewer_id != player_id:
        seats = seats.filter(kind=MatchKind.RANKED)
    if kind is not None:
        seats = seats.filter(kind=kind)
    if result is not None:
        seats = seats.filter(outcome=result)
    if earliest is not None:
        seats = seats.filter(started_at__gte=earliest)
    if before is not None:
        seats = seats.filter(started_at__lt=before)
    everybody = Prefetch("match__seats", Seat.objects.order_by("number").select_related("player"))
    return seats.select_related("match").prefetch_related(everybody)


def results_of(player_id: UUID) -> Results:
    """How many matches a player has won, drawn and lost, by kind; void ones do not count."""
    results: Results = {kind: dict.fromkeys(Outcome, 0) for kind in MatchKind}
    counted = (
        Seat.objects.filter(player_id=player_id, match__status=MatchStatus.FINISHED)
        .values_list("kind", "outcome")
        .annotate(count=Count("pk"))
    )
    for kind, outcome, count in counted.order_by():
        results[MatchKind(kind)][Outcome(outcome)] = count
    return results


def has_matches(player_id: UUID) -> bool:
    """Whether the player has played, or plays, a match."""
    return Seat.objects.filter(player_id=player_id).exists()
