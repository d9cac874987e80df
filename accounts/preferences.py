"""The settings of an account: their keys, types and defaults."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Final

import msgspec

from accounts.languages import DEFAULT, Language


class Theme(StrEnum):
    """How light the pages are."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class Motion(StrEnum):
    """How much moves."""

    SYSTEM = "system"
    FULL = "full"
    NONE = "none"


Percent = Annotated[int, msgspec.Meta(ge=0, le=100)]


class Preferences(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a player has chosen about how the game looks and sounds."""

    language: Language = DEFAULT
    theme: Theme = Theme.SYSTEM
    motion: Motion = Motion.SYSTEM
    volume: Percent = 0
    vibration: bool = False
    four_colours: bool = False
    shortcuts: bool = True
    advice: bool = True
    hide_ratings: bool = False
    confirm_over: Percent | None = None


KEYS: Final = Preferences.__struct_fields__


class PreferenceFault(StrEnum):
    """Why a setting is refused."""

    UNKNOWN = "unknown_setting"
    VALUE = "bad_setting"


class PreferencesRefused(ValueError):
    """Some of the settings given are unknown or have a value that they may not have."""

    code = "bad_settings"

    def __init__(self, faults: Mapping[str, PreferenceFault]) -> None:
        super().__init__(", ".join(faults))
        self.faults = dict(faults)


def changed(present: Preferences, given: Mapping[str, object]) -> Preferences:
    """Apply the given keys and keep the others. Raises `PreferencesRefused` naming every fault."""
    faults: dict[str, PreferenceFault] = {}
    merged = as_mapping(present)
    for key, value in given.items():
        if key not in KEYS:
            faults[key] = PreferenceFault.UNKNOWN
            continue
        try:
            msgspec.convert({key: value}, Preferences, strict=True)
        except msgspec.ValidationError:
            faults[key] = PreferenceFault.VALUE
        else:
            merged[key] = value
    if faults:
        raise PreferencesRefused(faults)
    return msgspec.convert(merged, Preferences)


def as_mapping(preferences: Preferences) -> dict[str, object]:
    """Give every setting by its key, ready for JSON."""
    mapping: dict[str, object] = msgspec.to_builtins(preferences)
    return mapping


def stored(mapping: Mapping[str, object]) -> Preferences:
    """Read what was stored; a key that no longer exists is passed over."""
    return msgspec.convert({k: v for k, v in mapping.items() if k in KEYS}, Preferences)
