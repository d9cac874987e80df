"""The cards: how they are written, what they are worth, and the order of a pack."""

from functools import cache
from typing import Final

RANKS: Final = "A23456789TJQK"
SUITS: Final = "SHDC"

PACK: Final[tuple[str, ...]] = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""One pack in its canonical order: spades, hearts, diamonds, clubs, each from ace to king."""

PLACES: Final[dict[str, int]] = {card: place for place, card in enumerate(PACK)}
"""Where each card stands in the canonical order; whatever is no key is no card."""

VALUES: Final[dict[str, int]] = {
    card: 11 if card[0] == "A" else 10 if card[0] in "TJQK" else int(card[0]) for card in PACK
}
"""What each card counts, an ace high (`rules.md R6.1`)."""


def value(card: str) -> int:
    """What a card counts by itself: an ace 11, king, queen and jack 10 (`rules.md R6.1`)."""
    return VALUES[card]


@cache
def packs(decks: int) -> tuple[str, ...]:
    """Give `decks` whole packs, sorted like PACK: the cards of a fresh shoe (`rules.md R3.1`)."""
    return tuple(card for card in PACK for _ in range(decks))
