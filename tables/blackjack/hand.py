"""A hand of cards: its total, its stake, how it ended and what came of it."""

from enum import StrEnum
from typing import Final

import msgspec

from tables.blackjack.cards import VALUES


class HandStatus(StrEnum):
    """Where a hand stands in its round."""

    PLAYING = "playing"
    WAITING = "waiting"
    STOOD = "stood"
    DOUBLED = "doubled"
    BUST = "bust"
    BLACKJACK = "blackjack"
    SURRENDERED = "surrendered"
    SPLIT_ACE = "split_ace"


class Outcome(StrEnum):
    """What came of a hand at settlement (`engine-cli.md`)."""

    BLACKJACK = "blackjack"
    WIN = "win"
    PUSH = "push"
    LOSE = "lose"
    BUST = "bust"
    SURRENDER = "surrender"


# Reading a member off its enum takes ten times as long as reading a constant, and every round does
# dozens of such reads; so where rounds are played the members have names of their own.
WAITING: Final = HandStatus.WAITING
STOOD: Final = HandStatus.STOOD
DOUBLED: Final = HandStatus.DOUBLED
BUST: Final = HandStatus.BUST
BLACKJACK: Final = HandStatus.BLACKJACK
SURRENDERED: Final = HandStatus.SURRENDERED
SPLIT_ACE: Final = HandStatus.SPLIT_ACE

LIVE: Final = frozenset({STOOD, DOUBLED, SPLIT_ACE})
"""What an ended hand is when the dealer still has to beat it (`rules.md R9.1`)."""


class Hand(msgspec.Struct, frozen=True, gc=False):
    """One hand. `bet` is its whole stake; `total` and `soft` are kept, not recomputed.

    A hand that has not ended is `waiting` here; the view calls the one on turn `playing`. So a turn
    that passes on touches no hand.
    """

    cards: tuple[str, ...]
    bet: int
    total: int
    soft: bool
    status: HandStatus = HandStatus.WAITING
    from_split: bool = False
    outcome: Outcome | None = None
    returned: int | None = None

    @property
    def of_split_aces(self) -> bool:
        """Whether the hand's first card is an ace that was split (`rules.md R8.5`)."""
        return self.from_split and self.cards[0][0] == "A"


def add(total: int, soft: bool, card: str) -> tuple[int, bool]:
    """Give total and softness with one card more (`rules.md R6.1`).

    An ace comes in as 11, and at most one counts so: over 21 that one falls to 1.
    """
    total += VALUES[card]
    if card[0] == "A":
        if not soft and total <= 21:
            return total, True
        total -= 10
    if soft and total > 21:
        return total - 10, False
    return total, soft


def count(cards: tuple[str, ...]) -> tuple[int, bool]:
    """Give total and softness of some cards (`rules.md R6.1`)."""
    total, soft = 0, False
    for card in cards:
        total, soft = add(total, soft, card)
    return total, soft


def count_two(first: str, second: str) -> tuple[int, bool]:
    """Give total and softness of a hand's first two cards; as `count`, with less to look at."""
    total = VALUES[first] + VALUES[second]
    if total == 22:
        return 12, True
    return total, first[0] == "A" or second[0] == "A"


def is_natural(cards: tuple[str, ...]) -> bool:
    """Whether two cards are an ace and a ten-point card (`rules.md R6.2`)."""
    return len(cards) == 2 and VALUES[cards[0]] + VALUES[cards[1]] == 21
