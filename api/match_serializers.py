"""The shapes of matches in REST: what is read from requests, and lists; views are msgspec's own."""

from typing import Any

from rest_framework import serializers

from api.fields import Text, Whole
from tables.blackjack.actions import ActionName


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
                {"amount": serializers.ErrorDetail(_AMOUNT[has_amount], fault)}
            )
        return given


_AMOUNT = {True: "Only a bet has an amount.", False: "A bet has an amount."}


class AfterSerializer(serializers.Serializer[Any]):
    """From which event on."""

    after = serializers.IntegerField(min_value=0, default=0)


class ShareSerializer(serializers.Serializer[Any]):
    """The alias under which a match may be shown around."""

    id = serializers.UUIDField()


class SeatedPlayerSerializer(serializers.Serializer[Any]):
    """A player at a table."""

    seat = serializers.IntegerField()
    id = serializers.UUIDField()
    display_name = Text()
    tag = Text()
