"""The shapes of matches in REST: what is read from requests, and lists; views are msgspec's own."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.utils.dateparse import parse_date, parse_datetime
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from api.fields import Whole
from tables.blackjack.actions import ActionName
from tables.models import Match, MatchKind, MatchStatus, Outcome, Seat


class NewMatchSerializer(serializers.Serializer[Any]):
    """A match alone against the dealer; rules that are not given are the defaults."""

    rules = serializers.DictField(required=False, allow_null=True, default=None)


class ActionSerializer(serializers.Serializer[Any]):
    """A decision, made for a version of the match; a bet has an amount in chips."""

    action = serializers.ChoiceField(choices=[name.value for name in ActionName])
    version = Whole()
    amount = Whole(required=False, allow_null=True)

    def validate_action(self, action: object) -> object:
        """Take nothing but text."""
        if not isinstance(action, str):
            raise serializers.ValidationError(code="invalid")
        return action

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        """A bet has an amount, and nothing else has one."""
        has_amount = given.get("amount") is not None
        if has_amount != (given["action"] == ActionName.BET):
            fault = "unknown_field" if has_amount else "required"
            raise serializers.ValidationError(
                {"amount": serializers.ErrorDetail(str(_AMOUNT[has_amount]), fault)}
            )
        return given


_AMOUNT = {True: _("Only a bet has an amount."), False: _("A bet needs an amount.")}


class AfterSerializer(serializers.Serializer[Any]):
    """From which event on."""

    after = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=0)


class ShareSerializer(serializers.Serializer[Any]):
    """The alias under which a match may be shown around."""

    id = serializers.UUIDField()


class PlayerAtSeatSerializer(serializers.Serializer[Seat]):
    """A player at a table, under their present name."""

    seat = serializers.IntegerField(source="number")
    id = serializers.UUIDField(source="player_id")
    display_name = serializers.CharField(source="player.shown_name")
    tag = serializers.CharField(source="player.tag")


class LiveMatchSerializer(serializers.Serializer[Match]):
    """A match that is being played and may be watched."""

    id = serializers.UUIDField()
    kind = serializers.ChoiceField(choices=MatchKind.choices)
    status = serializers.ChoiceField(choices=MatchStatus.choices)
    started_at = serializers.DateTimeField()
    players = PlayerAtSeatSerializer(source="seats.all", many=True)
    watchable = serializers.BooleanField()
    watchers = serializers.IntegerField()


class PlayedMatchSerializer(serializers.Serializer[Seat]):
    """A match of a player: what came of it for them, once it is over."""

    id = serializers.UUIDField(source="match_id")
    kind = serializers.ChoiceField(choices=MatchKind.choices)
    started_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    status = serializers.ChoiceField(source="match.status", choices=MatchStatus.choices)
    players = PlayerAtSeatSerializer(source="match.seats.all", many=True)
    place = serializers.IntegerField(allow_null=True)
    outcome = serializers.ChoiceField(choices=Outcome.choices, allow_null=True)
    chips = serializers.IntegerField(allow_null=True)
    rating_change = serializers.SerializerMethodField()

    def get_rating_change(self, seat: Seat) -> str | None:
        """By how much the rating moved, with three places; null where nothing was rated."""
        changes: Mapping[UUID, str] = self.context.get("rating_changes", {})
        return changes.get(seat.match_id)


class Moment(serializers.Field[datetime, str, str, Any]):
    """A day or a time; a day stands for its first moment (UTC), or with `end` for its last."""

    def __init__(self, *, end: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self._end = end

    def to_internal_value(self, data: object) -> datetime:
        """Read ISO 8601, in UTC where nothing else is said; gives the first moment outside."""
        try:
            day = parse_date(str(data))
            time = parse_datetime(str(data)) if day is None else None
            if day is not None:
                midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
                return midnight + timedelta(days=1) if self._end else midnight
            if time is not None:
                aware = time if time.tzinfo is not None else time.replace(tzinfo=UTC)
                return aware + timedelta(microseconds=1) if self._end else aware
        except (ValueError, OverflowError):
            pass
        raise serializers.ValidationError(code="invalid")


class HistoryFilterSerializer(serializers.Serializer[Any]):
    """Which of a player's matches are asked for."""

    kind = serializers.ChoiceField(choices=MatchKind.choices, required=False)
    result = serializers.ChoiceField(choices=Outcome.choices, required=False)

    def get_fields(self) -> dict[str, Any]:
        """Add the two whose names are words of Python or of nobody else."""
        fields: dict[str, Any] = super().get_fields()
        fields["from"] = Moment(required=False, source="earliest")
        fields["to"] = Moment(required=False, source="before", end=True)
        return fields
