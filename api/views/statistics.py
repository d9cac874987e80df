"""A player's figures."""

from typing import Any, Final
from uuid import UUID

import msgspec
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.endpoints import Endpoint
from api.schema import struct
from ratings.elo import shown
from ratings.selectors import peak_of
from tables.selectors.statistics import Statistics, statistics_of

SHOWN: Final[Any] = {
    "allOf": [
        struct(Statistics),
        {
            "type": "object",
            "required": ["rating_peak"],
            "properties": {"rating_peak": {"type": "integer"}},
        },
    ]
}


class StatisticsView(Endpoint):
    """`players/{id}/statistics/`"""

    @extend_schema(operation_id="players_statistics", responses={200: SHOWN}, tags=["players"])
    def get(self, request: Request, player_id: UUID) -> Response:
        """Show what a player has done over all matches that count."""
        return Response(statistics_shown(player_id))


def statistics_shown(player_id: UUID) -> dict[str, Any]:
    """Give a player's figures. Raises `PlayerNotFound`."""
    peak = shown(peak_of(player_id))
    return {**msgspec.to_builtins(statistics_of(player_id)), "rating_peak": peak}
