"""The house rules of a match: every option, its bounds, and how a rule set is checked."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final, assert_never

import msgspec


class Soft17(StrEnum):
    """What the dealer does with a soft 17."""

    STAND = "stand"
    HIT = "hit"


class BlackjackPays(StrEnum):
    """What a blackjack wins on top of the bet."""

    THREE_TO_TWO = "3:2"
    SIX_TO_FIVE = "6:5"


class Surrender(StrEnum):
    """Whether a hand may be given up for half its bet."""

    NONE = "none"
    LATE = "late"


class HoleCard(StrEnum):
    """Whether the dealer has a hole card and peeks, or takes the second card last."""

    AMERICAN = "american"
    EUROPEAN = "european"


class SplitBy(StrEnum):
    """Which two cards are alike."""

    RANK = "rank"
    VALUE = "value"


class Ruleset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """Every option in force, in the order of `rules.md R2`; `ruleset_of` is the checked way in."""

    decks: int = 6
    soft17: Soft17 = Soft17.STAND
    blackjack_pays: BlackjackPays = BlackjackPays.THREE_TO_TWO
    double_after_split: bool = True
    surrender: Surrender = Surrender.NONE
    insurance: bool = True
    hole_card: HoleCard = HoleCard.AMERICAN
    split_by: SplitBy = SplitBy.RANK
    max_hands: int = 4
    resplit_aces: bool = False
    initial_chips: int = 1000
    max_bet: int = 200
    rounds: int = 10
    rebuys: int = 0
    turn_seconds: int | None = None


DEFAULTS: Final = Ruleset()
RANKED: Final = Ruleset(turn_seconds=30)
"""What ranked matches are played by (`rules.md R2`)."""


class OptionType(StrEnum):
    """What kind of value an option takes."""

    INTEGER = "integer"
    BOOLEAN = "boolean"
    CHOICE = "choice"


class Option(msgspec.Struct, frozen=True):
    """One option and what it may be: `values` of a choice, else bounds and step of a number."""

    key: str
    type: OptionType
    default: str | int | bool | None
    values: tuple[str | int | bool | None, ...] = ()
    min: int | None = None
    max: int | None = None
    step: int | None = None


class FaultCode(StrEnum):
    """Why a value of a rule set is refused."""

    UNKNOWN = "unknown_rule"
    WRONG_TYPE = "wrong_type"
    OUT_OF_RANGE = "out_of_range"
    NOT_A_CHOICE = "not_a_choice"
    CONFLICT = "conflict"


class RuleFault(msgspec.Struct, frozen=True):
    """One faulty key of a rule set and what is wrong with it."""

    key: str
    code: FaultCode
    detail: str


class RulesetError(ValueError):
    """A rule set that nobody can play by; `errors` names every faulty key."""

    code = "bad_rules"

    def __init__(self, errors: tuple[RuleFault, ...]) -> None:
        self.errors = errors
        super().__init__("; ".join(f"{fault.key}: {fault.detail}" for fault in errors))


def _number(key: str, low: int, high: int, step: int = 1) -> Option:
    default = getattr(DEFAULTS, key)
    return Option(key, OptionType.INTEGER, default, min=low, max=high, step=step)


def _switch(key: str) -> Option:
    return Option(key, OptionType.BOOLEAN, getattr(DEFAULTS, key), values=(True, False))


def _choice(key: str, *values: str | int | None) -> Option:
    return Option(key, OptionType.CHOICE, getattr(DEFAULTS, key), values=values)


OPTIONS: Final[tuple[Option, ...]] = (
    _number("decks", 1, 8),
    _choice("soft17", *Soft17),
    _choice("blackjack_pays", *BlackjackPays),
    _switch("double_after_split"),
    _choice("surrender", *Surrender),
    _switch("insurance"),
    _choice("hole_card", *HoleCard),
    _choice("split_by", *SplitBy),
    _choice("max_hands", 2, 3, 4),
    _switch("resplit_aces"),
    _number("initial_chips", 100, 100_000, 10),
    _number("max_bet", 10, 10_000, 10),
    _number("rounds", 1, 50),
    _number("rebuys", 0, 5),
    _choice("turn_seconds", None, 30, 60),
)
"""The table of `rules.md R2`, in its order."""

_BY_KEY: Final = {option.key: option for option in OPTIONS}


def ruleset_of(overrides: Mapping[str, object], base: Ruleset = DEFAULTS) -> Ruleset:
    """Give `base` with some options changed, checked as a whole (`rules.md R2`).

    Types are taken strictly: no true for 1, no 6.0 for 6, no "6" for 6. Raises RulesetError,
    which names every faulty key.
    """
    faults: list[RuleFault] = []
    for key, value in overrides.items():
        option = _BY_KEY.get(key)
        fault = _unknown(key) if option is None else _fault_of(option, value)
        if fault is not None:
            faults.append(fault)
    if faults:
        raise RulesetError(tuple(faults))
    ruleset = msgspec.convert({**as_mapping(base), **overrides}, Ruleset)
    faults.extend(_conflicts(ruleset))
    if faults:
        raise RulesetError(tuple(faults))
    return ruleset


def from_words(words: Mapping[str, str]) -> dict[str, object]:
    """Read options that were written as text (`decks=6`, `insurance=true`) by their types.

    What cannot be read stays text, so that `ruleset_of` refuses it by name.
    """
    return {
        key: _read(_BY_KEY[key], word) if key in _BY_KEY else word for key, word in words.items()
    }


def _read(option: Option, word: str) -> object:
    match option.type:
        case OptionType.INTEGER:
            return int(word) if _WHOLE.fullmatch(word) else word
        case OptionType.BOOLEAN | OptionType.CHOICE:
            return next((value for value in option.values if _written(value) == word), word)
    assert_never(option.type)


def _written(value: str | int | bool | None) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


_WHOLE: Final = re.compile(r"-?[0-9]{1,9}")


def as_mapping(ruleset: Ruleset) -> dict[str, str | int | bool | None]:
    """Give every option in force with plain JSON values, in the order of `rules.md R2`."""
    mapping: dict[str, str | int | bool | None] = msgspec.to_builtins(ruleset)
    return mapping


def _unknown(key: str) -> RuleFault:
    return RuleFault(key, FaultCode.UNKNOWN, "there is no such rule")


def _fault_of(option: Option, value: object) -> RuleFault | None:
    key = option.key
    match option.type:
        case OptionType.BOOLEAN:
            if type(value) is not bool:
                return RuleFault(key, FaultCode.WRONG_TYPE, "must be true or false")
        case OptionType.INTEGER:
            if type(value) is not int:
                return RuleFault(key, FaultCode.WRONG_TYPE, "must be a whole number")
            if _outside(option, value):
                multiple = f", a multiple of {option.step}" if option.step != 1 else ""
                detail = f"must be from {option.min} to {option.max}{multiple}"
                return RuleFault(key, FaultCode.OUT_OF_RANGE, detail)
        case OptionType.CHOICE:
            # By the JSON type, since in Python 30.0 equals 30 and a StrEnum equals its word.
            if not any(_same_json(value, choice) for choice in option.values):
                words = ", ".join(
                    "null" if choice is None else str(choice) for choice in option.values
                )
                return RuleFault(key, FaultCode.NOT_A_CHOICE, f"must be one of {words}")
    return None


def _outside(option: Option, number: int) -> bool:
    return (
        (option.min is not None and number < option.min)
        or (option.max is not None and number > option.max)
        or (option.step is not None and number % option.step != 0)
    )


def _same_json(value: object, choice: object) -> bool:
    if isinstance(choice, str):
        return isinstance(value, str) and value == choice
    return type(value) is type(choice) and value == choice


def _conflicts(ruleset: Ruleset) -> list[RuleFault]:
    faults: list[RuleFault] = []
    if ruleset.max_bet > ruleset.initial_chips:
        detail = f"must be at most initial_chips ({ruleset.initial_chips})"
        faults.append(RuleFault("max_bet", FaultCode.CONFLICT, detail))
    if ruleset.surrender is Surrender.LATE and ruleset.hole_card is HoleCard.EUROPEAN:
        detail = "late surrender needs a dealer who peeks, not hole_card european"
        faults.append(RuleFault("surrender", FaultCode.CONFLICT, detail))
    return faults
