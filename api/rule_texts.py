"""What each house rule is called and what it means, for people (rules.md R2)."""

from collections.abc import Mapping
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from msgspec import Struct

from tables.blackjack.presets import PRESET_RULES, PresetKey
from tables.blackjack.ruleset import OPTIONS, FaultCode, Option

Word = str | Promise
Value = str | int | bool | None


class OptionText(Struct, frozen=True):
    """An option's name, one sentence, an explanation, and labels of its values if it has some."""

    name: Word
    summary: Word
    explanation: Word
    labels: Mapping[Value, Word] = {}


class Conflict(Struct, frozen=True):
    """A value that cannot stand together with a value of another option.

    Without values it is the number that may not be greater than that of the other option.
    """

    key: str
    other: str
    value: Value = None
    other_value: Value = None


class Preset(Struct, frozen=True):
    """What a named set of rules is called and what it means."""

    key: PresetKey
    name: Word
    summary: Word


_ALLOWED: Final[Mapping[Value, Word]] = {
    True: pgettext_lazy("rule", "Allowed"),
    False: pgettext_lazy("rule", "Not allowed"),
}
_OFFERED: Final[Mapping[Value, Word]] = {
    True: pgettext_lazy("rule", "Offered"),
    False: pgettext_lazy("rule", "Not offered"),
}

TEXTS: Final[Mapping[str, OptionText]] = {
    "decks": OptionText(
        _("Decks"),
        _("How many packs of 52 cards are in the shoe."),
        _(
            "With fewer decks a blackjack is a little more frequent, and the cards that are gone "
            "say more about those to come."
        ),
    ),
    "soft17": OptionText(
        _("Dealer's soft 17"),
        _("What the dealer does with a 17 in which an ace counts 11."),
        _(
            "A dealer who hits soft 17 gets to a better total more often, and busts more often "
            "too; for the players it is a little worse."
        ),
        {"stand": _("Stands (S17)"), "hit": _("Hits (H17)")},
    ),
    "blackjack_pays": OptionText(
        _("Blackjack pays"),
        _("What an ace with a ten-point card as the first two cards wins."),
        _("For 100 points placed, 3:2 wins 150 points and 6:5 wins 120."),
        {"3:2": _("3:2"), "6:5": _("6:5")},
    ),
    "double_after_split": OptionText(
        _("Double after split"),
        _("Whether a hand that comes from a split may be doubled."),
        _("Split aces may never be doubled."),
        _ALLOWED,
    ),
    "surrender": OptionText(
        _("Surrender"),
        _("Whether a hand may be given up for half its bet."),
        _(
            "Late surrender is the first decision on the first two cards, after the dealer has "
            "looked for a blackjack. It needs a dealer with a hole card."
        ),
        {"none": pgettext_lazy("surrender", "None"), "late": _("Late surrender")},
    ),
    "insurance": OptionText(
        _("Insurance"),
        _("Whether half the bet may be placed on a dealer blackjack when an ace is up."),
        _(
            "It wins 2:1 if the dealer has a blackjack and is lost otherwise. In the long run "
            "it costs more than it brings."
        ),
        _OFFERED,
    ),
    "hole_card": OptionText(
        _("Hole card"),
        _("Whether the dealer takes a second card face down and looks for a blackjack."),
        _(
            "Without a hole card the dealer draws when everybody has finished: a blackjack then "
            "takes doubled and split bets as well."
        ),
        {"american": _("American (peeks)"), "european": _("European (no hole card)")},
    ),
    "split_by": OptionText(
        _("Alike for a split"),
        _("Which two cards may be split."),
        _("By rank only a king goes with a king; by value any two ten-point cards are alike."),
        {"rank": _("Same rank"), "value": _("Any two ten-point cards too")},
    ),
    "max_hands": OptionText(
        _("Hands at most"),
        _("How many hands a seat may have by splitting."),
        _("With 2 a hand is split once, with 4 three times."),
        {2: _("2 hands"), 3: _("3 hands"), 4: _("4 hands")},
    ),
    "resplit_aces": OptionText(
        _("Splitting aces again"),
        _("Whether split aces that draw another ace may be split again."),
        _("Split aces get one card each and end; this is their only other decision."),
        _ALLOWED,
    ),
    "initial_chips": OptionText(
        _("Chips at the start"),
        _("How many points everybody starts with."),
        _("Chips are points of this match alone. They cannot be bought, cashed or carried over."),
    ),
    "max_bet": OptionText(
        _("Highest bet"),
        _("How many points may be placed on a hand before the deal."),
        _("It is at most the chips at the start. The lowest bet is always 10."),
    ),
    "rounds": OptionText(
        _("Rounds"),
        _("How many rounds a match has."),
        _("The most chips after the last one win. Ten rounds take about 15 minutes."),
    ),
    "rebuys": OptionText(
        _("Re-buys"),
        _("How often a player without chips may start anew."),
        _("Each one is deducted from the result, so that it cannot buy a win."),
    ),
    "turn_seconds": OptionText(
        _("Time limit"),
        _("How long a decision may take."),
        _("What is not decided in time the CPU decides, once; after two in a row it goes on."),
        {
            None: pgettext_lazy("time limit", "None"),
            30: _("30 seconds"),
            60: _("60 seconds"),
        },
    ),
}

CONFLICTS: Final = (
    Conflict("surrender", "hole_card", "late", "european"),
    Conflict("hole_card", "surrender", "european", "late"),
    Conflict("max_bet", "initial_chips"),
)

PRESETS: Final = (
    Preset(PresetKey.STANDARD, _("Standard"), _("The rules that most people know.")),
    Preset(PresetKey.EUROPEAN, _("European"), _("The dealer has no hole card.")),
    Preset(PresetKey.SINGLE_DECK, _("Single deck"), _("One pack of cards.")),
    Preset(
        PresetKey.STRICT,
        _("Strict"),
        _("The dealer hits soft 17, a blackjack wins less, no double after a split."),
    ),
    Preset(
        PresetKey.GENTLE,
        _("Gentle"),
        _("Late surrender, aces split again, any two ten-point cards are alike."),
    ),
)

_BY_KEY: Final = {option.key: option for option in OPTIONS}


def rules_document(effects: Mapping[str, Mapping[Value, float | None]]) -> dict[str, Any]:
    """All options and presets in the present language, as `GET rules/` shows them (api.md).

    `effects` are the points of edge of each value against the default, as far as known.
    """
    return {
        "options": [_option(option, effects.get(option.key, {})) for option in OPTIONS],
        "presets": [
            {
                "key": preset.key.value,
                "name": str(preset.name),
                "summary": str(preset.summary),
                "rules": dict(PRESET_RULES[preset.key]),
            }
            for preset in PRESETS
        ],
    }


def _option(option: Option, effect: Mapping[Value, float | None]) -> dict[str, Any]:
    text = TEXTS[option.key]
    return {
        "key": option.key,
        "type": option.type.value,
        "values": [{"value": value, "label": str(text.labels[value])} for value in option.values]
        or None,
        "min": option.min,
        "max": option.max,
        "step": option.step,
        "default": option.default,
        "name": str(text.name),
        "summary": str(text.summary),
        "explanation": str(text.explanation),
        "effect": [{"value": value, "points": points} for value, points in effect.items()] or None,
        "conflicts": [
            {
                "value": conflict.value,
                "option": conflict.other,
                "option_value": conflict.other_value,
                "detail": _conflict_text(conflict.key, conflict.other),
            }
            for conflict in CONFLICTS
            if conflict.key == option.key
        ],
    }


def fault_text(key: str, code: str) -> str | None:
    """Say in the present language what is wrong with the value of a rule; None for other codes."""
    option = _BY_KEY.get(key)
    match code:
        case FaultCode.UNKNOWN:
            return gettext("There is no such rule.")
        case FaultCode.WRONG_TYPE if option is not None:
            return (
                gettext("This must be a whole number.")
                if option.min is not None
                else gettext("This must be true or false.")
            )
        case FaultCode.OUT_OF_RANGE if option is not None and option.step == 1:
            return gettext("This must be from %(min)s to %(max)s.") % {
                "min": option.min,
                "max": option.max,
            }
        case FaultCode.OUT_OF_RANGE if option is not None:
            return gettext("This must be from %(min)s to %(max)s, a multiple of %(step)s.") % {
                "min": option.min,
                "max": option.max,
                "step": option.step,
            }
        case FaultCode.NOT_A_CHOICE if option is not None:
            words = ("null" if value is None else str(value) for value in option.values)
            return gettext("This must be one of %(words)s.") % {"words": ", ".join(words)}
        case FaultCode.CONFLICT:
            other = next((found.other for found in CONFLICTS if found.key == key), None)
            return None if other is None else _conflict_text(key, other)
    return None


def _conflict_text(key: str, other: str) -> str:
    if {key, other} == {"surrender", "hole_card"}:
        return gettext("Late surrender needs a dealer with a hole card.")
    return gettext("The highest bet is at most the chips at the start.")
