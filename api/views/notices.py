"""What staff or the system told a player."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import selectors
from accounts.services import notices
from api.endpoints import PlayerEndpoint
from api.idempotency import idempotent
from api.pagination import Page
from api.schema import listed
from api.serializers import NoticeSerializer, ReadNoticesSerializer, UnreadSerializer


class NoticeListView(PlayerEndpoint):
    """`players/me/notices/`"""

    @extend_schema(
        operation_id="notices_list", responses=listed(NoticeSerializer), tags=["notices"]
    )
    def get(self, request: Request) -> Response:
        """List the own notices, the latest first."""
        rows = selectors.notices_of(player_id=self.player.pk)
        return Page.answer(request, rows, lambda row: NoticeSerializer(row).data)


class NoticesReadView(PlayerEndpoint):
    """`players/me/notices/read/`"""

    @extend_schema(
        operation_id="notices_read",
        request=ReadNoticesSerializer,
        responses=UnreadSerializer,
        tags=["notices"],
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Mark notices as read: the given ones, or all."""
        given = ReadNoticesSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        left = notices.mark_read(
            player_id=self.player.pk, notice_ids=given.validated_data["notices"], now=self.now
        )
        return Response({"unread": left})
