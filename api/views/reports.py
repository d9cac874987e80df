"""Telling staff about a player."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.endpoints import PlayerEndpoint
from api.idempotency import idempotent
from api.serializers import NewReportSerializer, ReportSerializer
from tables.models import ReportReason
from tables.services import reports


class ReportListView(PlayerEndpoint):
    """`reports/`"""

    @extend_schema(
        operation_id="reports_create",
        request=NewReportSerializer,
        responses={201: ReportSerializer},
        tags=["notices"],
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Report a player, once per match; staff look at it."""
        given = NewReportSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        made = reports.report(
            reporter_id=self.player.pk,
            player_id=given.validated_data["player"],
            match_id=given.validated_data["match"],
            reason=ReportReason(given.validated_data["reason"]),
            text=given.validated_data["text"],
            now=self.now,
        )
        return Response(ReportSerializer(made).data, status=201)
