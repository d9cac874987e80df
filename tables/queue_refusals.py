"""Why something cannot be done in the ranked queue, each with its code of api.md."""

from datetime import datetime
from typing import ClassVar


class QueueRefusal(Exception):
    """Something that the queue does not allow now; nothing was done."""

    code: ClassVar[str]


class PartyTooLarge(QueueRefusal):
    """More members than may search together (matchmaking.md 1)."""

    code = "party_too_large"


class ReadyCheckOver(QueueRefusal):
    """The player is not asked, or by another ready check than the one that was answered."""

    code = "ready_check_over"


class OutOfQueue(QueueRefusal):
    """The player, or a member of their party, may not search until a time (matchmaking.md 5)."""

    code = "penalty"

    def __init__(self, *, until: datetime, reason: str) -> None:
        super().__init__()
        self.members = {"until": until, "reason": reason}


class QueueClosed(QueueRefusal):
    """Nobody may search at present."""

    code = "queue_closed"
