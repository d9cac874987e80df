"""Matches: starting one alone, looking at one, leaving the table and coming back to it."""

from typing import assert_never
from uuid import UUID

import msgspec
from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from api.endpoints import Endpoint, PlayerEndpoint
from api.idempotency import idempotent
from api.match_answers import TAGS, VIEW, MatchEndpoint
from api.match_serializers import LiveMatchSerializer, NewMatchSerializer, ShareSerializer
from api.pagination import Page
from api.schema import listed
from tables.selectors.matches import live_matches, view_of
from tables.selectors.parties import party_view
from tables.services.leaving import leave_match, return_to_match
from tables.services.rematch import Begun, Waiting, press_rematch
from tables.services.sharing import share_match
from tables.services.solo import start_alone


class LivePage(Page):
    """Matches, the latest started first."""

    ordering = ("-started_at", "-id")


class MatchListView(Endpoint):
    """`matches/`"""

    @extend_schema(
        operation_id="matches_list",
        parameters=[OpenApiParameter("live", bool, description="Only `true` is listed.")],
        responses=listed(LiveMatchSerializer),
        tags=TAGS,
    )
    def get(self, request: Request) -> Response:
        """List the live matches that this viewer may watch."""
        viewer = self.viewer
        rows = live_matches(viewer_id=None if viewer is None else viewer.pk)
        if request.query_params.get("live", "true").lower() not in ("true", "1"):
            rows = rows.none()
        return LivePage.answer(request, rows, lambda match: LiveMatchSerializer(match).data)

    @extend_schema(
        operation_id="matches_create",
        request=NewMatchSerializer,
        responses={201: VIEW},
        tags=TAGS,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Play alone against the dealer, at once."""
        player = self.viewer
        if player is None:
            raise NotAuthenticated
        given = NewMatchSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        sight = start_alone(player_id=player.pk, rules=given.validated_data["rules"] or {})
        return Response(msgspec.to_builtins(view_of(sight)), status=201)


class MatchView(MatchEndpoint):
    """`matches/{id}/`"""

    @extend_schema(operation_id="matches_get", responses={200: VIEW}, tags=TAGS)
    def get(self, request: Request, match_id: UUID) -> HttpResponse:
        """Show a match as this viewer may see it, while it is played and ever after."""
        return self.show(self.look_at(match_id))


class LeaveView(PlayerEndpoint):
    """`matches/{id}/leave/`"""

    @extend_schema(operation_id="matches_leave", request=None, responses={200: VIEW}, tags=TAGS)
    @idempotent
    def post(self, request: Request, match_id: UUID) -> Response:
        """Give the own seat to the CPU, and be free for another match."""
        view = leave_match(match_id=match_id, player_id=self.player.pk)
        return Response(msgspec.to_builtins(view))


class ReturnView(PlayerEndpoint):
    """`matches/{id}/return/`"""

    @extend_schema(operation_id="matches_return", request=None, responses={200: VIEW}, tags=TAGS)
    @idempotent
    def post(self, request: Request, match_id: UUID) -> Response:
        """Take the own seat back from the CPU."""
        view = return_to_match(match_id=match_id, player_id=self.player.pk)
        return Response(msgspec.to_builtins(view))


class RematchView(PlayerEndpoint):
    """`matches/{id}/rematch/`"""

    @extend_schema(
        operation_id="matches_rematch",
        request=None,
        responses={200: VIEW, 201: VIEW},
        tags=TAGS,
    )
    @idempotent
    def post(self, request: Request, match_id: UUID) -> Response:
        """Be ready to play again: 201 the new match, or 200 the party that waits for others."""
        pressed = press_rematch(match_id=match_id, player_id=self.player.pk, now=self.now)
        match pressed:
            case Begun():
                status = 201 if pressed.is_new else 200
                return Response(msgspec.to_builtins(view_of(pressed.match)), status=status)
            case Waiting():
                origin = request.build_absolute_uri("/").rstrip("/")
                return Response(msgspec.to_builtins(party_view(pressed.party, origin=origin)))
        assert_never(pressed)


class ShareView(PlayerEndpoint):
    """`matches/{id}/share/`"""

    @extend_schema(
        operation_id="matches_share",
        request=None,
        responses={200: ShareSerializer, 201: ShareSerializer},
        tags=TAGS,
    )
    @idempotent
    def post(self, request: Request, match_id: UUID) -> Response:
        """Give an alias of an own match, under which names are seats."""
        alias, made = share_match(match_id=match_id, player_id=self.player.pk)
        return Response({"id": str(alias)}, status=201 if made else 200)
