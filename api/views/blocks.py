"""Whom a player wants nothing to do with."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import selectors
from accounts.services import blocks
from api.endpoints import PlayerEndpoint
from api.pagination import Page
from api.schema import listed
from api.serializers import BlockSerializer


class BlockListView(PlayerEndpoint):
    """`players/me/blocks/`"""

    @extend_schema(operation_id="blocks_list", responses=listed(BlockSerializer), tags=["blocks"])
    def get(self, request: Request) -> Response:
        """List the players blocked, the latest first."""
        rows = selectors.blocks_of(player_id=self.player.pk)
        return Page.answer(request, rows, lambda row: BlockSerializer(row).data)


class BlockView(PlayerEndpoint):
    """`players/me/blocks/{player}/`"""

    @extend_schema(
        operation_id="blocks_put", request=None, responses=BlockSerializer, tags=["blocks"]
    )
    def put(self, request: Request, player_id: UUID) -> Response:
        """Block a player; again changes nothing."""
        block = blocks.block(player=self.player, blocked_id=player_id, now=self.now)
        return Response(BlockSerializer(block).data)

    @extend_schema(operation_id="blocks_delete", responses={204: None}, tags=["blocks"])
    def delete(self, request: Request, player_id: UUID) -> Response:
        """End a block."""
        blocks.unblock(player=self.player, blocked_id=player_id)
        return Response(status=204)
