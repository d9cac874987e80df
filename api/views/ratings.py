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
        cursor = keyset.decode(request, 1)
        limit = keyset.limit_of(request, keyset.MOST)
        try:
            before = None if cursor is None else int(cursor[0])
        except ValueError:
            raise BadCursor from None
        if before is not None and not 0 <= before < 2**63:
            raise BadCursor
        rows = selectors.matches_of(player_id, before_seq=before, most=limit + 1)
        shown = rows[:limit]
        return Response(
            keyset.page(
                request,
                [point_as_mapping(player_id, rated) for rated in shown],
                following=keyset.encode(shown[-1].seq) if len(rows) > limit else None,
                preceding=None,
            )
        )
