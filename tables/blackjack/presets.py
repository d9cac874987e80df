"""Named sets of house rules: the defaults, with some options changed."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from tables.blackjack.ruleset import BlackjackPays, HoleCard, Soft17, SplitBy, Surrender


class PresetKey(StrEnum):
    """The named sets, in the order in which they are offered."""

    STANDARD = "standard"
    EUROPEAN = "european"
    SINGLE_DECK = "single_deck"
    STRICT = "strict"
    GENTLE = "gentle"


PRESET_RULES: Final[Mapping[PresetKey, Mapping[str, str | int | bool | None]]] = {
    PresetKey.STANDARD: {},
    PresetKey.EUROPEAN: {"hole_card": HoleCard.EUROPEAN.value},
    PresetKey.SINGLE_DECK: {"decks": 1},
    PresetKey.STRICT: {
        "soft17": Soft17.HIT.value,
        "blackjack_pays": BlackjackPays.SIX_TO_FIVE.value,
        "double_after_split": False,
    },
    PresetKey.GENTLE: {
        "surrender": Surrender.LATE.value,
        "resplit_aces": True,
        "split_by": SplitBy.VALUE.value,
    },
}
"""What each of them changes."""
