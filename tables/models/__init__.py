"""What is stored of parties, the ranked queue, matches, reports, presence and strategies."""

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
from tables.models.queue import (
    MatchedWait,
    Offence,
    Penalty,
    QueueState,
    ReadyCheck,
    Ticket,
    TicketMember,
)
from tables.models.report import Report, ReportReason, ReportState
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
    "MatchedWait",
    "Offence",
    "Outage",
    "Outcome",
    "Party",
    "PartyKick",
    "PartyMember",
    "Penalty",
    "Presence",
    "QueueState",
    "ReadyCheck",
    "Report",
    "ReportReason",
    "ReportState",
    "Seat",
    "SeatStatistics",
    "StepKind",
    "StoredStrategy",
    "Ticket",
    "TicketMember",
    "Urgency",
    "Watcher",
    "WebProcess",
]
