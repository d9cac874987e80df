"""A party as its members, a visitor and a socket see it (api.md): built here and nowhere else."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

Rules = Mapping[str, object]


class PartyStatus(StrEnum):
    """Whether a party waits or its match is being played."""

    OPEN = "open"
    PLAYING = "playing"


class Departure(StrEnum):
    """Why somebody is in a party no longer."""

    LEFT = "left"
    KICKED = "kicked"
    CLOSED = "closed"


class Person(Struct, frozen=True):
    """A player, as everybody may see them."""

    id: str
    display_name: str
    tag: str


class MemberView(Struct, frozen=True):
    """A member of a party."""

    player: Person
    ready: bool
    connected: bool
    joined_at: datetime


class PartyView(Struct, frozen=True):
    """A party as its members see it, the same for each of them."""

    code: str
    join_url: str
    status: PartyStatus
    host: Person
    members: Sequence[MemberView]
    max_members: int
    rules: Rules
    changed: Sequence[str]
    edge: float | None
    watchable: bool
    match: str | None
    version: int


class Counts(Struct, frozen=True):
    """How many there are."""

    members: int
    ready: int


class CanJoin(Struct, frozen=True):
    """Whether the visitor may join, or the code of what is in the way."""

    ok: bool
    code: str | None


class PartyPreview(Struct, frozen=True):
    """A party as somebody sees it who is not in it."""

    code: str
    join_url: str
    status: PartyStatus
    host: Person
    counts: Counts
    max_members: int
    rules: Rules
    can_join: CanJoin


class PartyMessage(Struct, frozen=True, tag_field="type", tag="party"):
    """`party`: the player's party as it is now, or why there is none any more.

    Messages may overtake each other on their way: of two about one party that with the higher
    version counts, of two alike the later.
    """

    party: PartyView | None
    reason: Departure | None = None


class Left(Struct, frozen=True):
    """The answer to whoever has left."""

    party: None = None
    reason: Departure = Departure.LEFT
