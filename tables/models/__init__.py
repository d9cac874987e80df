"""What is stored of parties, matches, presence and strategies."""

from tables.models.match import (
    Match,
    MatchKind,
    MatchRound,
    MatchShare,
    MatchStatus,
    MatchStep,
    Outcome,
    Seat,
    SeatStatistics,
    StepKind,
)
from tables.models.party import MAX_MEMBERS, Party, PartyKick, PartyMember
from tables.models.presence import Connection, Outage, Presence, Watcher, WebProcess
from tables.models.strategy import StoredStrategy, Urgency

__all__ = [
    "MAX_MEMBERS",
    "Connection",
    "Match",
    "MatchKind",
    "MatchRound",
    "MatchShare",
    "MatchStatus",
    "MatchStep",
    "Outage",
    "Outcome",
    "Party",
    "PartyKick",
    "PartyMember",
    "Presence",
    "Seat",
    "SeatStatistics",
    "StepKind",
    "StoredStrategy",
    "Urgency",
    "Watcher",
    "WebProcess",
]
