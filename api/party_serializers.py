"""The shapes of parties and house rules in REST."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from api.fields import Flag
from api.serializers import PlayerSerializer
from tables.blackjack.ruleset import OptionType
from tables.party_view import Departure, PartyStatus


@extend_schema_field({"type": "object", "additionalProperties": True})
class RulesField(serializers.DictField):
    """House rules by key; which there are and what they may be says `rules/`."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Take an object as it is; the rules engine looks at what is in it."""
        if not isinstance(data, dict):
            self.fail("not_a_dict", input_type=type(data).__name__)
        return data


@extend_schema_field(
    {"oneOf": [{"type": "string"}, {"type": "integer"}, {"type": "boolean"}, {"type": "null"}]}
)
class ValueField(serializers.Field[Any, Any, Any, Any]):
    """The value of a rule."""

    def to_representation(self, value: Any) -> Any:
        """As it is."""
        return value


class NewPartySerializer(serializers.Serializer[Any]):
    """A party to be made: what differs from the default rules, and whether others may watch."""

    rules = RulesField(required=False)
    watchable = Flag(required=False)


class ReadySerializer(serializers.Serializer[Any]):
    """Whether the own ready mark is set."""

    ready = Flag()


class MemberSerializer(serializers.Serializer[Any]):
    """Which member something is about."""

    player = serializers.UUIDField()


class PartyMemberSerializer(serializers.Serializer[Any]):
    """A member of a party."""

    player = PlayerSerializer()
    ready = serializers.BooleanField()
    connected = serializers.BooleanField()
    joined_at = serializers.DateTimeField()


class PartySerializer(serializers.Serializer[Any]):
    """A party as its members see it."""

    code = serializers.CharField()
    join_url = serializers.CharField()
    status = serializers.ChoiceField(
        choices=[(status.value, status.name) for status in PartyStatus]
    )
    host = PlayerSerializer()
    members = PartyMemberSerializer(many=True)
    max_members = serializers.IntegerField()
    rules = RulesField()
    changed = serializers.ListField(child=serializers.CharField())
    edge = serializers.FloatField(allow_null=True)
    watchable = serializers.BooleanField()
    match = serializers.UUIDField(allow_null=True)
    version = serializers.IntegerField()


class CountsSerializer(serializers.Serializer[Any]):
    """How many there are."""

    members = serializers.IntegerField()
    ready = serializers.IntegerField()


class CanJoinSerializer(serializers.Serializer[Any]):
    """Whether the visitor may join, or the code of what is in the way."""

    ok = serializers.BooleanField()
    code = serializers.CharField(allow_null=True)


class PartyPreviewSerializer(serializers.Serializer[Any]):
    """A party as somebody sees it who is not in it."""

    code = serializers.CharField()
    join_url = serializers.CharField()
    status = serializers.ChoiceField(
        choices=[(status.value, status.name) for status in PartyStatus]
    )
    host = PlayerSerializer()
    counts = CountsSerializer()
    max_members = serializers.IntegerField()
    rules = RulesField()
    can_join = CanJoinSerializer()


class LeftSerializer(serializers.Serializer[Any]):
    """That the party is left."""

    party = serializers.JSONField(allow_null=True)
    reason = serializers.ChoiceField(choices=[reason.value for reason in Departure])


class RuleValueSerializer(serializers.Serializer[Any]):
    """A value that an option may have, and what it is called."""

    value = ValueField()
    label = serializers.CharField()  # type: ignore[assignment]  # the name of api.md


class RuleEffectSerializer(serializers.Serializer[Any]):
    """Points of edge of a value against the default; null until computed."""

    value = ValueField()
    points = serializers.FloatField(allow_null=True)


class RuleConflictSerializer(serializers.Serializer[Any]):
    """What the option cannot stand together with.

    With null values: the number may not be greater than that of the other option.
    """

    value = ValueField(allow_null=True)
    option = serializers.CharField()
    option_value = ValueField(allow_null=True)
    detail = serializers.CharField()


class RuleOptionSerializer(serializers.Serializer[Any]):
    """An option of the house rules (rules.md R2)."""

    key = serializers.CharField()
    type = serializers.ChoiceField(choices=[kind.value for kind in OptionType])
    values = RuleValueSerializer(many=True, allow_null=True)
    min = serializers.IntegerField(allow_null=True)
    max = serializers.IntegerField(allow_null=True)
    step = serializers.IntegerField(allow_null=True)
    default = ValueField(allow_null=True)
    name = serializers.CharField()
    summary = serializers.CharField()
    explanation = serializers.CharField()
    effect = RuleEffectSerializer(many=True, allow_null=True)
    conflicts = RuleConflictSerializer(many=True)


class RulePresetSerializer(serializers.Serializer[Any]):
    """A named set of rules: the default, with these changes."""

    key = serializers.CharField()
    name = serializers.CharField()
    summary = serializers.CharField()
    rules = RulesField()


class RulesSerializer(serializers.Serializer[Any]):
    """All house rules."""

    options = RuleOptionSerializer(many=True)
    presets = RulePresetSerializer(many=True)
