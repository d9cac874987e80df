"""What happened: the events and rounds of a match, and the matches of a player."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from msgspec import Raw, Struct
from rest_framework.request import Request
from rest_framework.response import Response

from api.endpoints import Endpoint
from api.match_answers import TAGS, MatchEndpoint
from api.match_serializers import (
    AfterSerializer,
    HistoryFilterSerializer,
    PlayedMatchSerializer,
)
from api.pagination import Page
from api.schema import listed, struct
from ratings.elo import exact
from ratings.selectors import match_ratings
from tables.blackjack.view import RoundRecord
from tables.models import MatchKind, Outcome, Seat
from tables.selectors.history import matches_played
from tables.selectors.matches import rounds_of, told_until_now


class Told(Struct, frozen=True):
    """The events after some number; `version` and `seq` are those of the match after the last."""

    match: UUID
    version: int
    seq: int
    events: Raw


class EventsView(MatchEndpoint):
    """`matches/{id}/events/`"""

    @extend_schema(
        operation_id="matches_events",
        parameters=[AfterSerializer],
        responses={200: struct(Told)},
        tags=TAGS,
    )
    def get(self, request: Request, match_id: UUID) -> HttpResponse:
        """Tell what has happened after an event, in order."""
        asked = AfterSerializer(data=request.query_params)
        asked.is_valid(raise_exception=True)
        sight = self.look_at(match_id)
        match = sight.match
        events = told_until_now(sight, asked.validated_data["after"])
        return self.tell(sight, Told(sight.shown_id, match.version, match.seq, events))


class RoundsView(MatchEndpoint):
    """`matches/{id}/rounds/`"""

    @extend_schema(
        operation_id="matches_rounds",
        responses={200: {"type": "array", "items": struct(RoundRecord)}},
        tags=TAGS,
    )
    def get(self, request: Request, match_id: UUID) -> HttpResponse:
        """Give the settled rounds, in order."""
        sight = self.look_at(match_id)
        return self.tell(sight, rounds_of(sight.match))


class HistoryPage(Page):
    """Matches of a player, the latest started first."""

    ordering = ("-started_at", "-match_id")


class PlayedMatchesView(Endpoint):
    """`players/{id}/matches/`"""

    @extend_schema(
        operation_id="players_matches_list",
        parameters=[
            OpenApiParameter("kind", str, enum=[kind.value for kind in MatchKind]),
            OpenApiParameter("result", str, enum=[result.value for result in Outcome]),
            OpenApiParameter("from", OpenApiTypes.DATETIME, description="A day or a time."),
            OpenApiParameter("to", OpenApiTypes.DATETIME, description="A day or a time."),
        ],
        responses=listed(PlayedMatchSerializer),
        tags=["players"],
    )
    def get(self, request: Request, player_id: UUID) -> Response:
        """List a player's matches; of somebody else only the ranked ones."""
        viewer = self.viewer
        viewer_id = None if viewer is None else viewer.pk
        return Response(matches_shown(request, player_id=player_id, viewer_id=viewer_id))


def matches_shown(request: Request, *, player_id: UUID, viewer_id: UUID | None) -> Any:
    """Give a page of a player's matches by the query's filters, as the viewer may see them.

    Raises `PlayerNotFound`, `BadCursor`, `serializers.ValidationError`.
    """
    asked = HistoryFilterSerializer(data=request.query_params)
    asked.is_valid(raise_exception=True)
    rows = matches_played(player_id=player_id, viewer_id=viewer_id, **asked.validated_data)
    page = HistoryPage()
    seats = page.paginate_queryset(rows, request) or []
    context = {"rating_changes": rating_changes(player_id, seats)}
    shown = [PlayedMatchSerializer(seat, context=context).data for seat in seats]
    return page.get_paginated_response(shown).data


def rating_changes(player_id: UUID, seats: Sequence[Seat]) -> dict[UUID, str]:
    """By how much each of these matches moved the player's rating, where it did, with three
    places; in one query."""
    ranked = [seat.match_id for seat in seats if seat.kind == MatchKind.RANKED]
    return {
        match_id: exact(rated.changes[rated.players.index(player_id)])
        for match_id, rated in (match_ratings(ranked) if ranked else {}).items()
    }
