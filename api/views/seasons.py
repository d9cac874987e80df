"""Seasons."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.endpoints import Endpoint
from api.pagination import Page
from api.rating_serializers import SeasonSerializer
from api.schema import listed
from ratings import selectors


class SeasonPage(Page):
    """Seasons, the newest first."""

    ordering = ("-number",)


class SeasonListView(Endpoint):
    """`seasons/`"""

    @extend_schema(
        operation_id="seasons_list", responses=listed(SeasonSerializer), tags=["leaderboard"]
    )
    def get(self, request: Request) -> Response:
        """List the seasons."""
        return SeasonPage.answer(
            request, selectors.seasons(), lambda season: SeasonSerializer(season).data
        )
