"""What a socket's client may say, and what it is told besides news (api.md, WebSocket)."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import Meta, Raw, Struct, UnsetType

from tables.blackjack.actions import ActionName
from tables.match_view import MatchView

MOST_BYTES = 4096

MessageId = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[\x21-\x7e]+$")]


class ClientFrame(Struct, frozen=True, tag_field="type", kw_only=True):
    """A message from a client; the reply to one with an `id` carries it too."""

    id: MessageId | None = None


class Hello(ClientFrame, frozen=True, tag="hello"):
    """Who the client is, if neither cookie nor header said so, and its language."""

    token: str | None = None
    language: str | None = None


class Subscribe(ClientFrame, frozen=True, tag="subscribe"):
    """News of a match from now on, beginning with a snapshot."""

    match: UUID


class Unsubscribe(ClientFrame, frozen=True, tag="unsubscribe"):
    """No more news of a match."""

    match: UUID


class Act(ClientFrame, frozen=True, tag="action"):
    """A decision, made for the view of `version`; `amount` belongs to a bet alone."""

    match: UUID
    action: ActionName
    version: int
    amount: int | UnsetType = msgspec.UNSET


class Return(ClientFrame, frozen=True, tag="return"):
    """The seat back that the CPU holds."""

    match: UUID


class Resume(ClientFrame, frozen=True, tag="resume"):
    """What happened in a match after `seq`, and its news from now on."""

    match: UUID
    seq: Annotated[int, Meta(ge=0)]


class Ping(ClientFrame, frozen=True, tag="ping"):
    """Are you there, and what time is it?"""


AnyFrame = Hello | Subscribe | Unsubscribe | Act | Return | Resume | Ping


class ServerFrame(Struct, frozen=True, tag_field="type", kw_only=True):
    """A message to one client."""


class Welcome(ServerFrame, frozen=True, tag="welcome"):
    """The socket is open, for this player or for a guest who may watch."""

    player: dict[str, Any] | None
    server_time: str | None
    language: str
    match: UUID | None
    unread: int | None


class Snapshot(ServerFrame, frozen=True, tag="snapshot"):
    """A match as this client may see it now."""

    match: UUID
    version: int
    seq: int
    view: MatchView


class Events(ServerFrame, frozen=True, tag="events"):
    """What happened in a match since, and the view after it."""

    match: UUID
    version: int
    events: Raw
    view: MatchView


class Ack(ServerFrame, frozen=True, tag="ack", omit_defaults=True):
    """Done; of an action with the version that it made, once it is committed."""

    id: str | None = None
    version: int | None = None


class Failed(ServerFrame, frozen=True, tag="error", omit_defaults=True):
    """Not done, and why; `view` is the present one where the client's was out of date."""

    code: str
    detail: str
    id: str | None = None
    view: MatchView | None = None


class Pong(ServerFrame, frozen=True, tag="pong", omit_defaults=True):
    """Here, and the server's time."""

    server_time: str | None
    id: str | None = None


class Closing(ServerFrame, frozen=True, tag="closing"):
    """The socket will be closed; come back in so many seconds, or (null) not at all."""

    reason: str
    resume_in: float | None


class NoticeFrame(ServerFrame, frozen=True, tag="notice"):
    """What staff or the system tells a player or everybody."""

    id: UUID
    kind: str
    level: str
    text: str
    until: str | None


class BadMessage(ValueError):
    """The message is no JSON object of a known form."""

    code = "bad_message"


class UnknownType(ValueError):
    """There is no message of this type."""

    code = "unknown_type"


class MessageTooLarge(ValueError):
    """The message is larger than a client may send."""

    code = "message_too_large"


class _Envelope(Struct):
    type: str | None = None
    id: MessageId | None = None


_decode = msgspec.json.Decoder(AnyFrame).decode
_decode_envelope = msgspec.json.Decoder(_Envelope).decode
_TYPES = frozenset({"hello", "subscribe", "unsubscribe", "action", "return", "resume", "ping"})

encode = msgspec.json.Encoder().encode


def read(text: str) -> AnyFrame:
    """Read a client's message. Raises MessageTooLarge, UnknownType or BadMessage."""
    if len(text) > MOST_BYTES or len(text.encode()) > MOST_BYTES:
        raise MessageTooLarge
    try:
        return _decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        try:
            kind = _decode_envelope(text).type
        except (msgspec.DecodeError, RecursionError):
            kind = None
        if kind is not None and kind not in _TYPES:
            raise UnknownType from error
        raise BadMessage(str(error)) from error


def id_of(text: str) -> str | None:
    """The id of a message that could not be read, if that at least can be."""
    try:
        return _decode_envelope(text[: 2 * MOST_BYTES]).id
    except (msgspec.DecodeError, RecursionError):
        return None
