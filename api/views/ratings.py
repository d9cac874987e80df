"""Why ratings moved: a rated match's pairs, and a player's rated matches."""

from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.selectors import player_of
from api import keyset
from api.endpoints import Endpoint
from api.match_answers import TAGS, MatchEndpoint
from api.pagination import BadCursor
from api.rating_serializers import (
    RatingPointSerializer,
    TransferSerializer,
    point_as_mapping,
    transfers_as_mappings,
)
from api.schema import listed
from ratings import selectors


class TransfersView(MatchEndpoint):
    """`matches/{id}/transfers/`"""

    @extend_schema(
        operation_id="matches_transfers", responses=TransferSerializer(many=True), tags=TAGS
    )
    def get(self, request: Request, match_id: UUID) -> HttpResponse:
        """Give the pairs of a rated match; none where nothing was rated or it does not count."""
        sight = self.look_at(match_id)
        if sight.nameless:
            return self.tell(sight, [])
        rated = selectors.match_ratings([sight.match.pk]).get(sight.match.pk)
        return self.tell(sight, [] if rated is None else transfers_as_mappings(rated))


class RatingHistoryView(Endpoint):
    """`players/{id}/rating-history/`"""

    @extend_schema(
        operation_id="players_rating_history_list",
        responses=listed(RatingPointSerializer),
        tags=["players"],
    )
    def get(self, request: Request, player_id: UUID) -> Response:
        """List a player's rated matches that count, the newest first."""
        player_of(player_id=player_id)
        side, seq = _edge(keyset.decode(request, 2))
        limit = keyset.limit_of(request, keyset.MOST)
        if side == "b":
            rows = selectors.matches_since(player_id, after_seq=seq, most=limit + 1)
            shown = rows[-limit:]
            older, newer = True, len(rows) > limit
        else:
            before = seq if side else None
            rows = selectors.matches_of(player_id, before_seq=before, most=limit + 1)
            shown = rows[:limit]
            older, newer = len(rows) > limit, side == "a"
        return Response(
            keyset.page(
                request,
                [point_as_mapping(player_id, rated) for rated in shown],
                following=keyset.encode("a", shown[-1].seq) if shown and older else None,
                preceding=keyset.encode("b", shown[0].seq) if shown and newer else None,
            )
        )


def _edge(cursor: tuple[str, ...] | None) -> tuple[str, int]:
    """After (a) or before (b) which entry of the rating sequence the page is; no side without a
    cursor. Raises `BadCursor`."""
    if cursor is None:
        return "", 0
    side, text = cursor
    try:
        seq = int(text)
    except ValueError:
        raise BadCursor from None
    if side not in ("a", "b") or not 0 <= seq < 2**63:
        raise BadCursor
    return side, seq
