"""The house rules that there are."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.endpoints import Endpoint
from api.party_serializers import RulesSerializer
from api.rule_texts import rules_document
from tables.selectors.edges import effects
from tables.services.edges import want_effects


class RulesView(Endpoint):
    """`rules/`"""

    open_to_banned = True

    @extend_schema(operation_id="rules_read", responses=RulesSerializer, tags=["rules"])
    def get(self, request: Request) -> Response:
        """Tell every option, what it may be and what it means, and named sets of rules.

        What an option does to the edge is null until it has been computed.
        """
        want_effects()
        return Response(rules_document(effects()))
