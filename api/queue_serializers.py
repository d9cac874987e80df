"""The shapes of the ranked queue in REST."""

from typing import Any

from rest_framework import serializers

from api.serializers import StopSerializer
from tables.queue_view import QueueStatus


class AnswerSerializer(serializers.Serializer[Any]):
    """Which ready check is answered; without one, the present one."""

    ready_check = serializers.UUIDField(required=False, allow_null=True, default=None)


class ReadyCheckSerializer(serializers.Serializer[Any]):
    """A ready check: how many are asked, how many accepted, whether this player has answered."""

    id = serializers.UUIDField()
    deadline = serializers.DateTimeField()
    size = serializers.IntegerField()
    accepted = serializers.IntegerField()
    answered = serializers.BooleanField()


class CostSerializer(serializers.Serializer[Any]):
    """`seconds` out of the queue that declining a ready check, or not answering it, costs now."""

    seconds = serializers.IntegerField()


class QueueSerializer(serializers.Serializer[Any]):
    """A player's place in the ranked queue.

    `waiting` counts players; `estimate` is in seconds, null when unknown; `window` is the spread
    in rating points that the player accepts by now, null without a limit or a ticket.
    """

    status = serializers.ChoiceField(choices=[(each.value, each.name) for each in QueueStatus])
    since = serializers.DateTimeField(allow_null=True)
    waiting = serializers.IntegerField()
    estimate = serializers.IntegerField(allow_null=True)
    window = serializers.IntegerField(allow_null=True)
    party = serializers.CharField(allow_null=True)
    ready_check = ReadyCheckSerializer(allow_null=True)
    match = serializers.UUIDField(allow_null=True)
    penalty = StopSerializer(allow_null=True)
