"""The catalogue of errors, to which each problem's `type` leads."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.catalogue import CATALOGUE
from api.endpoints import Endpoint
from api.errors import UnknownAddress, entry_as_mapping
from api.serializers import ProblemSerializer


class ProblemListView(Endpoint):
    """`problems/`"""

    open_to_banned = True

    @extend_schema(
        operation_id="problems_list", responses=ProblemSerializer(many=True), tags=["problems"]
    )
    def get(self, request: Request) -> Response:
        """List every code with its status and texts."""
        return Response([entry_as_mapping(code) for code in CATALOGUE])


class ProblemView(Endpoint):
    """`problems/{code}/`"""

    open_to_banned = True

    @extend_schema(operation_id="problems_get", responses=ProblemSerializer, tags=["problems"])
    def get(self, request: Request, code: str) -> Response:
        """Say what one code means."""
        if code not in CATALOGUE:
            raise UnknownAddress
        return Response(entry_as_mapping(code))
