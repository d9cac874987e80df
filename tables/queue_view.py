"""The queue as a player sees it (api.md, queue/): built here and nowhere else."""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct


class QueueStatus(StrEnum):
    """Where a player is on the way to a ranked match."""

    NONE = "none"
    WAITING = "waiting"
    READY_CHECK = "ready_check"
    MATCHED = "matched"


class TicketEnd(StrEnum):
    """Why a ticket has ended without a match, or has come back from a ready check."""

    CANCELLED = "cancelled"
    DECLINED = "declined"
    NO_ANSWER = "no_answer"
    ABSENT = "absent"
    MEMBER_LEFT = "member_left"
    BANNED = "banned"
    DELETED = "deleted"
    CLOSED = "closed"
    CHECK_FAILED = "check_failed"
    NO_MATCH = "no_match"


class ReadyCheckView(Struct, frozen=True):
    """A ready check: how many are asked, how many accepted, whether this player has answered."""

    id: str
    deadline: datetime
    size: int
    accepted: int
    answered: bool


class PenaltyView(Struct, frozen=True):
    """Until when a player may not search, and for what."""

    until: datetime
    reason: str


class QueueView(Struct, frozen=True, kw_only=True):
    """A player's place in the queue.

    `waiting`: how many players wait; `estimate`: seconds that the last matches took to find;
    `window`: the spread in points that this player accepts by now, null without a limit.
    """

    status: QueueStatus
    since: datetime | None = None
    waiting: int
    estimate: int | None = None
    window: int | None = None
    party: str | None = None
    ready_check: ReadyCheckView | None = None
    match: str | None = None
    penalty: PenaltyView | None = None


class QueueMessage(QueueView, frozen=True, kw_only=True, tag_field="type", tag="queue"):
    """`queue`: the player's place in the queue, and why it changed, if something went wrong.

    The latest counts.
    """

    reason: TicketEnd | None = None


class ReadyCheckMessage(ReadyCheckView, frozen=True, tag_field="type", tag="ready_check"):
    """`ready_check`: the player is asked, or somebody has answered."""


def told(view: QueueView) -> tuple[object, ...]:
    """What a player must have been told: two views that differ in it are news."""
    check, penalty = view.ready_check, view.penalty
    return (
        view.status,
        view.party,
        check and (check.id, check.deadline, check.accepted, check.answered),
        view.match,
        penalty and penalty.until,
    )
