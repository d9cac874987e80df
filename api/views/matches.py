"""Matches: starting one alone, looking at one, leaving the table and coming back to it."""

from uuid import UUID

import msgspec
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.endpoints import PlayerEndpoint
from api.idempotency import idempotent
from api.match_answers import OBJECT, TAGS, MatchEndpoint
from api.match_serializers import NewMatchSerializer
from tables.selectors.matches import view_of
from tables.services.solo import start_alone


class MatchListView(PlayerEndpoint):
    """`matches/`"""

    @extend_schema(
        operation_id="matches_create",
        request=NewMatchSerializer,
        responses={201: OBJECT},
        tags=TAGS,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Play alone against the dealer, at once."""
        given = NewMatchSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        rules = given.validated_data["rules"] or {}
        sight = start_alone(player_id=self.player.pk, rules=rules)
        return Response(msgspec.to_builtins(view_of(sight)), status=201)


class MatchView(MatchEndpoint):
    """`matches/{id}/`"""

    @extend_schema(operation_id="matches_get", responses={200: OBJECT}, tags=TAGS)
    def get(self, request: Request, match_id: UUID) -> HttpResponse:
        """Show a match as this viewer may see it, while it is played and ever after."""
        return self.show(self.look_at(match_id))
