"""The house rules as rows of the table on `/rules/`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext

Value = str | int | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRow:
    """An option in words: what it is, its default, what it may be, and what it is in a party."""

    key: str
    name: str
    summary: str
    explanation: str
    default: str
    choices: str
    here: str | None
    changed: bool


def rule_rows(document: Mapping[str, Any], here: Mapping[str, object] | None) -> list[RuleRow]:
    """A row for each option of `rules_document`; `here` are the rules of a party, if one asks.

    What they leave out is as by default, as everywhere else (R2).
    """
    return [_row(option, here) for option in document["options"]]


def _row(option: Mapping[str, Any], here: Mapping[str, object] | None) -> RuleRow:
    value = None if here is None else here.get(option["key"], option["default"])
    return RuleRow(
        key=option["key"],
        name=option["name"],
        summary=option["summary"],
        explanation=option["explanation"],
        default=_said(option, option["default"]),
        choices=_choices(option),
        here=None if here is None else _said(option, value),
        changed=here is not None and value != option["default"],
    )


def _said(option: Mapping[str, Any], value: Any) -> str:
    for known in option["values"] or ():
        if known["value"] == value:
            return str(known["label"])
    return number_format(value, force_grouping=True)


def _choices(option: Mapping[str, Any]) -> str:
    if option["values"]:
        return gettext(", ").join(str(known["label"]) for known in option["values"])
    lowest, highest = (number_format(option[end], force_grouping=True) for end in ("min", "max"))
    return gettext("%(lowest)s to %(highest)s") % {"lowest": lowest, "highest": highest}
