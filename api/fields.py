"""Fields that take exactly one JSON type: a number is no text and a text no truth value."""

from typing import Any

from rest_framework import serializers


class Text(serializers.CharField):
    """A JSON string, as it is."""

    def __init__(self, **options: Any) -> None:
        super().__init__(trim_whitespace=False, **options)

    def to_internal_value(self, data: Any) -> str:
        """Refuse what is no string."""
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class Flag(serializers.BooleanField):
    """JSON `true` or `false`."""

    def to_internal_value(self, data: Any) -> bool:
        """Refuse what is neither."""
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class Whole(serializers.IntegerField):
    """A JSON number without a fraction."""

    def to_internal_value(self, data: Any) -> int:
        """Refuse what is no whole number."""
        if not isinstance(data, int) or isinstance(data, bool):
            self.fail("invalid")
        return super().to_internal_value(data)
