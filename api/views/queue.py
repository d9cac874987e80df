"""The ranked queue: the player's ticket, and their answer to a ready check."""

from typing import Any
from uuid import UUID

import msgspec
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from api.endpoints import PlayerEndpoint
from api.idempotency import idempotent
from api.queue_serializers import AnswerSerializer, CostSerializer, QueueSerializer
from api.throttling import Limit, network_digest, spend_or_refuse, who_of
from tables.selectors.clock import database_now
from tables.selectors.queue import next_penalties, queue_view
from tables.services import queue, ready_checks

TAGS = ["queue"]


class QueueEndpoint(PlayerEndpoint):
    """What all answers of the queue have in common: the player's place in it."""

    def place(self) -> Response:
        """The player's place as it is now; asking for it connects them to the queue."""
        queue.note_request(player_id=self.player.pk)
        view: Any = queue_view(self.player.pk, database_now())
        return Response(msgspec.to_builtins(view))

    def answered(self, request: Request) -> UUID | None:
        """The ready check that the request names."""
        given = AnswerSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        named: UUID | None = given.validated_data["ready_check"]
        return named


class QueueView(QueueEndpoint):
    """`queue/`"""

    @extend_schema(operation_id="queue_get", responses=QueueSerializer, tags=TAGS)
    def get(self, request: Request) -> Response:
        """Show the own ticket; a request counts as being there for the next 15 s."""
        return self.place()

    @extend_schema(operation_id="queue_enter", request=None, responses=QueueSerializer, tags=TAGS)
    @idempotent
    def post(self, request: Request) -> Response:
        """Search for a ranked match, as the host for the whole party; again changes nothing."""
        spend_or_refuse(Limit.of("QUEUE"), who_of(self.player, request.META))
        queue.enter(player_id=self.player.pk, now=database_now())
        return self.place()

    @extend_schema(operation_id="queue_leave", responses={204: None}, tags=TAGS)
    def delete(self, request: Request) -> Response:
        """Stop searching, for the whole party; in a ready check this declines it."""
        queue.leave(player_id=self.player.pk)
        return Response(status=204)


class AcceptView(QueueEndpoint):
    """`queue/accept/`"""

    @extend_schema(
        operation_id="queue_accept",
        request=AnswerSerializer,
        responses=QueueSerializer,
        tags=TAGS,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Accept the ready check; the last to do so makes the match."""
        ready_checks.accept(
            player_id=self.player.pk,
            check_id=self.answered(request),
            network=network_digest(request.META),
        )
        return self.place()


class DeclineView(QueueEndpoint):
    """`queue/decline/`"""

    @extend_schema(
        operation_id="queue_decline",
        request=AnswerSerializer,
        responses=QueueSerializer,
        tags=TAGS,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Decline the ready check: the ticket leaves the queue, which has a price."""
        ready_checks.decline(player_id=self.player.pk, check_id=self.answered(request))
        return self.place()


class CostView(PlayerEndpoint):
    """`queue/cost/`"""

    @extend_schema(operation_id="queue_cost", responses=CostSerializer, tags=TAGS)
    def get(self, request: Request) -> Response:
        """Show for how long not accepting a ready check would keep the player out of the queue."""
        costs = next_penalties([self.player.pk], database_now())
        return Response({"seconds": round(costs[self.player.pk])})
