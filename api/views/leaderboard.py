"""Leaderboards: pages, the own standing, and how ratings are spread."""

from datetime import datetime
from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from api import keyset
from api.endpoints import Endpoint, PlayerEndpoint
from api.pagination import BadCursor
from api.rating_serializers import (
    BandSerializer,
    EntrySerializer,
    OwnStandingSerializer,
    bands_as_mappings,
    entries_as_mappings,
    missing_as_mappings,
    rating_as_mapping,
)
from api.schema import listed
from ratings import selectors
from ratings.selectors.boards import Entry, Key

TAGS = ["leaderboard"]
SEASON = OpenApiParameter("season", int, description="A season's number; the running one without.")
AROUND_SIDE = 20


class SeasonFilterSerializer(serializers.Serializer[Any]):
    """Which season's leaderboard is asked for."""

    season = serializers.IntegerField(
        required=False, allow_null=True, default=None, min_value=1, max_value=2**31 - 1
    )


def season_of(request: Request) -> int | None:
    """The number of the season that is asked for, None for the running one. Raises
    `SeasonNotFound`."""
    asked = SeasonFilterSerializer(data=request.query_params)
    asked.is_valid(raise_exception=True)
    number: int | None = asked.validated_data["season"]
    if number is not None:
        selectors.season_that_began(number=number)
    return number


class LeaderboardView(Endpoint):
    """`leaderboard/`"""

    @extend_schema(
        operation_id="leaderboard_list",
        parameters=[
            SEASON,
            OpenApiParameter(
                "around", str, description="A player's id, or `me`: they and those next to them."
            ),
        ],
        responses=listed(EntrySerializer),
        tags=TAGS,
    )
    def get(self, request: Request) -> Response:
        """List the players of a season by shown rating, the best first."""
        viewer = self.viewer
        return Response(board_shown(request, viewer_id=None if viewer is None else viewer.pk))


def board_shown(
    request: Request, *, viewer_id: UUID | None, usual: int = keyset.LIMIT
) -> dict[str, Any]:
    """Give the lines of a leaderboard that the query asks for, with links to those beside them.

    Raises `BadCursor`, `SeasonNotFound`, `serializers.ValidationError`, and `NotAuthenticated`
    where a guest asks for themselves.
    """
    season = season_of(request)
    around = request.query_params.get("around")
    cursor = keyset.decode(request, 3)
    if around and cursor is None:
        limit = keyset.limit_of(request, 2 * AROUND_SIDE + 1)
        page = selectors.around(
            _asked_for(around, viewer_id), season=season, each_side=max(1, limit // 2)
        )
    else:
        after, before = _keys(cursor)
        page = selectors.page(
            season=season, after=after, before=before, most=keyset.limit_of(request, usual)
        )
    rows = page.entries
    return keyset.page(
        request,
        entries_as_mappings(rows),
        following=_cursor("a", rows[-1]) if rows and page.more_below else None,
        preceding=_cursor("b", rows[0]) if rows and page.more_above else None,
    )


def _asked_for(around: str, viewer_id: UUID | None) -> UUID:
    if around == "me":
        if viewer_id is None:
            raise NotAuthenticated
        return viewer_id
    try:
        return UUID(around)
    except ValueError:
        raise serializers.ValidationError({"around": "invalid"}, "invalid") from None


def _cursor(side: str, entry: Entry) -> str:
    return keyset.encode(side, entry.shown, entry.player_id)


def _keys(cursor: tuple[str, ...] | None) -> tuple[Key | None, Key | None]:
    """After which line the page begins, or before which it ends."""
    if cursor is None:
        return None, None
    side, shown, player = cursor
    try:
        key = Key(int(shown), UUID(player))
    except ValueError:
        raise BadCursor from None
    if side not in ("a", "b") or not -(2**31) <= key.shown < 2**31:
        raise BadCursor
    return (key, None) if side == "a" else (None, key)


class OwnStandingView(PlayerEndpoint):
    """`leaderboard/me/`"""

    @extend_schema(
        operation_id="leaderboard_me",
        parameters=[SEASON],
        responses=OwnStandingSerializer,
        tags=TAGS,
    )
    def get(self, request: Request) -> Response:
        """Tell where the own account stands, or what it is missing to be on the leaderboard."""
        return Response(standing_shown(self.player.pk, now=self.now, season=season_of(request)))


def standing_shown(player_id: UUID, *, now: datetime, season: int | None) -> dict[str, Any]:
    """Give a player's place on a leaderboard, or what is missing to be on it (RT4.2)."""
    standing, missing = selectors.standing_of(player_id, now=now, season=season)
    return {
        "rank": None if standing is None else standing.rank,
        "percentile": None if standing is None else standing.percentile,
        "missing": missing_as_mappings(missing),
        "rating": rating_as_mapping(selectors.rating_of(player_id)),
    }


class DistributionView(Endpoint):
    """`leaderboard/distribution/`"""

    @extend_schema(
        operation_id="leaderboard_distribution",
        parameters=[SEASON],
        responses=BandSerializer(many=True),
        tags=TAGS,
    )
    def get(self, request: Request) -> Response:
        """Count the players of a leaderboard by shown rating."""
        return Response(bands_as_mappings(selectors.distribution(season=season_of(request))))
