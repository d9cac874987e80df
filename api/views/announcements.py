"""What everybody is told."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import selectors
from api.endpoints import Endpoint
from api.pagination import Page
from api.schema import listed
from api.serializers import AnnouncementSerializer


class AnnouncementListView(Endpoint):
    """`announcements/`"""

    open_to_banned = True

    @extend_schema(
        operation_id="announcements_list",
        responses=listed(AnnouncementSerializer),
        tags=["notices"],
    )
    def get(self, request: Request) -> Response:
        """List the announcements in force, the latest first."""
        rows = selectors.announcements_in_force(now=self.now)
        return Page.answer(request, rows, lambda row: AnnouncementSerializer(row).data)
