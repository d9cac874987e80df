"""What anyone needs to check that a match was dealt as promised (docs/fairness.md)."""

from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from msgspec import Struct
from rest_framework.request import Request

from api.match_answers import TAGS, MatchEndpoint
from api.schema import struct
from tables.blackjack.fairness import ShoeRecord
from tables.blackjack.shuffle import ALGORITHM
from tables.selectors.matches import shoes_of


class Fairness(Struct, frozen=True):
    """The shoes of a match: what was promised, and once revealed how it was kept."""

    match: UUID
    algorithm: str
    shoes: tuple[ShoeRecord, ...]


class FairnessView(MatchEndpoint):
    """`matches/{id}/fairness/`"""

    @extend_schema(operation_id="matches_fairness", responses={200: struct(Fairness)}, tags=TAGS)
    def get(self, request: Request, match_id: UUID) -> HttpResponse:
        """Show each shoe's commitment, and its seed and cards once it is used up."""
        sight = self.look_at(match_id)
        return self.tell(sight, Fairness(sight.shown_id, ALGORITHM, shoes_of(sight.match)))
