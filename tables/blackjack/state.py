"""The whole state of a match as one frozen value: everything that the rules need, and no more."""

from enum import StrEnum
from typing import Final

import msgspec

from tables.blackjack.hand import Hand
from tables.blackjack.ruleset import HoleCard, Ruleset
from tables.blackjack.shoe import Sealed, Shoe


class Phase(StrEnum):
    """What the table waits for; `settled` only once the match is over."""

    BETTING = "betting"
    INSURANCE = "insurance"
    PLAYING = "playing"
    SETTLED = "settled"


# Quick names; see hand.py.
BETTING: Final = Phase.BETTING
INSURANCE: Final = Phase.INSURANCE
PLAYING: Final = Phase.PLAYING
SETTLED: Final = Phase.SETTLED


class Seat(msgspec.Struct, frozen=True, gc=False):
    """One seat in one round, all amounts in chips; `bet` is its first bet, 0 before it.

    `insurance` stays as placed until the next round, whatever became of it.
    """

    chips: int
    bet: int = 0
    insurance: int = 0
    insurance_returned: int = 0
    rebuys: int = 0
    out: bool = False
    hands: tuple[Hand, ...] = ()


class SettledRound(msgspec.Struct, frozen=True, gc=False):
    """A round as it was settled; seats without hands were not in it."""

    round: int
    dealer: tuple[str, ...]
    total: int
    blackjack: bool
    seats: tuple[Seat, ...]


class MatchState(Sealed, frozen=True, gc=False):
    """A match between two decisions.

    `seat` (from 1) and `hand` (from 0) are on turn; `seat` is 0 once the match is over. `drawn`
    counts the cards dealt from the present shoe, `drawn_before` those dealt from it in earlier
    rounds. `dealer` holds the hole card too, so only `view.py` shows it.
    """

    ruleset: Ruleset
    phase: Phase
    round: int
    seats: tuple[Seat, ...]
    dealer: tuple[str, ...]
    seat: int
    hand: int
    shoe: Shoe
    drawn: int
    drawn_before: int
    last_round: SettledRound | None = None
    endless: bool = False

    @property
    def finished(self) -> bool:
        """Whether the match is over (`rules.md R1.3`)."""
        return self.phase is SETTLED

    @property
    def hole_card_hidden(self) -> bool:
        """Whether the dealer's second card lies face down (`rules.md R5.2`)."""
        return (
            self.ruleset.hole_card is HoleCard.AMERICAN
            and len(self.dealer) == 2
            and self.phase is not SETTLED
        )

    def __repr__(self) -> str:
        """Say where the match stands, without a card."""
        return f"<MatchState round {self.round}, {self.phase.value}, seat {self.seat}>"
