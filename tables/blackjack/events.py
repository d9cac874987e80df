"""The events of a match, one frozen value each, with exactly the members of `api.md`."""

from enum import StrEnum

import msgspec

from tables.blackjack.hand import HandStatus, Outcome
from tables.blackjack.results import MatchOutcome
from tables.blackjack.ruleset import Ruleset
from tables.blackjack.state import Phase
from tables.blackjack.turn import LegalAction, RefusedAction


class MatchKind(StrEnum):
    """How a match came to be."""

    RANKED = "ranked"
    PARTY = "party"
    SOLO = "solo"


class Controller(StrEnum):
    """Who decides for a seat."""

    HUMAN = "human"
    CPU = "cpu"


class ControlReason(StrEnum):
    """Why the CPU has a seat (`rules.md R11.4`)."""

    ABSENT = "absent"
    IDLE = "idle"
    LEFT = "left"
    BANNED = "banned"
    DELETED = "deleted"


def _tag(name: str) -> str:
    """Give the event's `type`: its class name in snake case."""
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name)[1:]


class Event(msgspec.Struct, frozen=True, tag_field="type", tag=_tag):
    """Something that happened at the table; `seq`, `version`, `at` and `by` are put round it."""

    @property
    def type(self) -> str:
        """The event's name in `api.md`."""
        return str(self.__struct_config__.tag)


class SeatedPlayer(msgspec.Struct, frozen=True):
    """The player in a seat, as everybody may see them; without an id where names are seats."""

    id: str | None
    display_name: str
    tag: str


class StartedSeat(msgspec.Struct, frozen=True):
    """A seat when the match starts."""

    seat: int
    player: SeatedPlayer | None
    controller: Controller


class MatchStarted(Event, frozen=True):
    """The match has begun; `rules` holds every option in force."""

    kind: MatchKind
    seats: tuple[StartedSeat, ...]
    rules: Ruleset


class ShoeStarted(Event, frozen=True):
    """A shoe comes into use, `size` cards (`rules.md R3.4`)."""

    shoe: int
    commitment: str
    next_commitment: str
    size: int


class RoundStarted(Event, frozen=True):
    """A round begins for these seats; the last one's cards are cleared away."""

    round: int
    seats: tuple[int, ...]


class Rebought(Event, frozen=True):
    """A seat got `amount` chips by a re-buy (`rules.md R10.1`)."""

    seat: int
    amount: int
    chips: int


class WentOut(Event, frozen=True):
    """A seat sits out the rest (`rules.md R10.1`)."""

    seat: int


class BetPlaced(Event, frozen=True):
    """A bet left the seat's chips (`rules.md R4.2`)."""

    seat: int
    amount: int
    chips: int


class CardDealt(Event, frozen=True):
    """A card came to a hand; to the dealer if `seat` is null, face down if `card` is."""

    seat: int | None
    hand: int | None
    card: str | None


class Insured(Event, frozen=True):
    """A seat insured for `stake` chips (`rules.md R7.1`)."""

    seat: int
    stake: int
    chips: int


class InsuranceDeclined(Event, frozen=True):
    """A seat declined insurance."""

    seat: int


class DealerPeeked(Event, frozen=True):
    """The dealer looked at the hole card; what it is, is not told (`rules.md R7.2`)."""


class InsuranceLost(Event, frozen=True):
    """The dealer has no blackjack: these seats' insurance is lost."""

    seats: tuple[int, ...]


class HandDecision(Event, frozen=True):
    """A decision on a hand: its stake and the seat's chips after it."""

    seat: int
    hand: int
    bet: int
    chips: int


class Hit(HandDecision, frozen=True):
    """The hand takes a card (`rules.md R8.2`)."""


class Stood(HandDecision, frozen=True):
    """The hand ends as it is (`rules.md R8.2`)."""


class Doubled(HandDecision, frozen=True):
    """The stake is doubled for one last card (`rules.md R8.3`)."""


class Split(HandDecision, frozen=True):
    """The second card made a new hand to the right, with an equal bet (`rules.md R8.4`)."""


class Surrendered(HandDecision, frozen=True):
    """The hand is given up for half its bet (`rules.md R8.6`)."""


class HandEnded(Event, frozen=True):
    """The hand takes no more decisions."""

    seat: int
    hand: int
    status: HandStatus


class HoleCardOpened(Event, frozen=True):
    """The dealer's hole card is turned up."""

    card: str


class SettledDealer(msgspec.Struct, frozen=True):
    """The dealer's hand at settlement."""

    cards: tuple[str, ...]
    total: int
    blackjack: bool


class HandSettlement(msgspec.Struct, frozen=True):
    """What came of a hand, and what it gave back to the chips."""

    outcome: Outcome
    returned: int


class SeatSettlement(msgspec.Struct, frozen=True):
    """What a seat has after the settlement, and what came of its stakes."""

    seat: int
    chips: int
    insurance_returned: int
    hands: tuple[HandSettlement, ...]


class RoundSettled(Event, frozen=True):
    """The round is settled (`rules.md R9`)."""

    round: int
    dealer: SettledDealer
    seats: tuple[SeatSettlement, ...]


class TurnStarted(Event, frozen=True):
    """A decision is offered, by the version at which it is, until `deadline` (ISO 8601)."""

    seat: int
    phase: Phase
    hand: int | None
    version: int
    deadline: str | None
    legal: tuple[LegalAction, ...]
    refused: tuple[RefusedAction, ...]


class ControlChanged(Event, frozen=True):
    """A seat changed hands; `reason` is why the CPU has it, null for a human."""

    seat: int
    controller: Controller
    reason: ControlReason | None


class ShoeRevealed(Event, frozen=True):
    """The seed (hex) of a shoe after its last use (`rules.md R3.4`)."""

    shoe: int
    seed: str


class FinalResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """A seat's result; the ratings are strings with three places, in a rated match only."""

    seat: int
    place: int
    outcome: MatchOutcome
    chips: int
    rating_before: str | None = None
    rating_after: str | None = None


class MatchFinished(Event, frozen=True):
    """The match is over."""

    result: tuple[FinalResult, ...]


class MatchVoided(Event, frozen=True):
    """The match does not count."""

    reason: str


class MatchRestored(Event, frozen=True):
    """The match counts again."""


EngineEvent = (
    ShoeStarted
    | RoundStarted
    | Rebought
    | WentOut
    | BetPlaced
    | CardDealt
    | Insured
    | InsuranceDeclined
    | DealerPeeked
    | InsuranceLost
    | Hit
    | Stood
    | Doubled
    | Split
    | Surrendered
    | HandEnded
    | HoleCardOpened
    | RoundSettled
    | ShoeRevealed
)
"""What the rules engine tells."""

TableEvent = (
    MatchStarted | TurnStarted | ControlChanged | MatchFinished | MatchVoided | MatchRestored
)
"""What the table tells beside it: people, clocks and staff."""

AnyEvent = EngineEvent | TableEvent
