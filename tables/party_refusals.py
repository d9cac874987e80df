"""Why something cannot be done with a party, each with its code of api.md."""

from collections.abc import Mapping
from datetime import datetime
from typing import ClassVar
from uuid import UUID


class PartyRefusal(Exception):
    """Something that a party does not allow now; nothing was done."""

    code: ClassVar[str]


class PartyNotFound(PartyRefusal):
    """No party has this code."""

    code = "party_not_found"


class PartyFull(PartyRefusal):
    """Every place is taken."""

    code = "party_full"


class PartyStarted(PartyRefusal):
    """The party's match is being played."""

    code = "party_started"


class Kicked(PartyRefusal):
    """The host has removed this player, who cannot come back to this party."""

    code = "kicked"


class BlockedByHost(PartyRefusal):
    """The host blocks this player."""

    code = "blocked"


class AlreadyInParty(PartyRefusal):
    """The player is in another party; leave that one first."""

    code = "already_in_party"


class InMatch(PartyRefusal):
    """A player has a seat at another live match; its id is told only to that player."""

    code = "in_match"

    def __init__(self, match_id: UUID | None = None) -> None:
        super().__init__()
        self.match_id = match_id
        self.members: Mapping[str, str] = {} if match_id is None else {"match": str(match_id)}


class Searching(PartyRefusal):
    """The party is in the ranked queue, which would be half of it."""

    code = "searching"


class NotInParty(PartyRefusal):
    """The player is no member of this party."""

    code = "not_in_party"


class NotAMember(PartyRefusal):
    """The player that this is about is no member of this party."""

    code = "not_a_member"


class NotHost(PartyRefusal):
    """Only the host may do this."""

    code = "not_host"


class CannotKickYourself(PartyRefusal):
    """The host leaves; there is nobody who could remove them."""

    code = "cannot_kick_yourself"


class PlayerBanned(PartyRefusal):
    """The player may not play at present."""

    code = "banned"

    def __init__(self, *, until: datetime | None, reason: str) -> None:
        super().__init__()
        self.members = {"until": until, "reason": reason}


class NotEveryoneReady(PartyRefusal):
    """Somebody else than the host is not ready."""

    code = "not_everyone_ready"


class PartyChanged(PartyRefusal):
    """The party has another version than the one that the request was made for."""

    code = "precondition_failed"


class NoFreeCode(PartyRefusal):
    """Every code that was drawn is taken."""

    code = "unavailable"
