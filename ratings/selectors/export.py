"""All that is stored here about one player: their seasons, and the rated matches that count."""

from typing import Any, Final
from uuid import UUID

from ratings import elo
from ratings.models import Flag, Rating, RatingHead
from ratings.selectors.ratings import matches_of

EVERY: Final = 2**31
"""More matches than anybody plays."""


def export_of(player_id: UUID) -> dict[str, Any]:
    """Give it as plain values by the numbers in force, ratings with three places."""
    return {
        "seasons": [
            {
                "season": row.season_id,
                "rating": elo.exact(row.rating),
                "peak": elo.exact(row.peak),
                "matches": row.matches,
                "last_at": row.last_at,
                "on_board": row.on_board,
            }
            for row in Rating.objects.filter(
                player_id=player_id, generation__in=RatingHead.objects.values("generation")
            ).order_by("season_id")
        ],
        "flags": list(
            Flag.objects.filter(players__contains=[player_id])
            .order_by("created_at", "id")
            .values("kind", "match", "details", "state", "created_at", "updated_at")
        ),
        "matches": [
            {
                "match": rated.match_id,
                "season": rated.season,
                "finished_at": rated.finished_at,
                "rating_before": elo.exact(rated.before[seat]),
                "rating_after": elo.exact(rated.after[seat]),
            }
            for rated in reversed(matches_of(player_id, most=EVERY))
            for seat in [rated.players.index(player_id)]
        ],
    }
