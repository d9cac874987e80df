"""The messages about a match that go to every one of its sockets, encoded once (api.md)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec
from msgspec import Raw, Struct

from tables.hub import Header, MatchMessage
from tables.match_view import MatchView, Presence


class EventsMessage(Struct, frozen=True, tag_field="type", tag="events"):
    """`events`: what happened since, and the view after it."""

    match: str
    version: int
    events: Raw
    view: MatchView


class PresenceMessage(Struct, frozen=True, tag_field="type", tag="presence"):
    """`presence`: who is away, since when, and when the CPU takes over."""

    match: str
    seats: tuple[Presence, ...]


_encode = msgspec.json.Encoder().encode


def joined(texts: Sequence[str]) -> str:
    """JSON arrays, joined into one as text."""
    inner = ",".join(text[1:-1] for text in texts if len(text) > 2)
    return f"[{inner}]"


def seconds_until(time: datetime | None, now: datetime) -> float | None:
    """Seconds from `now` to `time`, never negative; None stays None."""
    return None if time is None else max(0.0, (time - now).total_seconds())


def events_message(
    view: MatchView, first_seq: int, events: Sequence[str], *, wake_in: float | None, news: int = 0
) -> MatchMessage:
    """Steps from `first_seq` on, each step's events as a JSON array, with the view after them.

    `news` is the message's number (see Header).
    """
    body = EventsMessage(view.id, view.version, Raw(joined(events).encode()), view)
    private = view.status == "playing" and not view.watchable
    header = Header(UUID(view.id), first_seq, view.seq, view.version, wake_in, private, news)
    return MatchMessage(header, _encode(body).decode())


def presence_message(
    match_id: UUID,
    seats: tuple[Presence, ...],
    *,
    seq: int,
    version: int,
    wake_in: float | None,
    news: int,
) -> MatchMessage:
    """Presence as it is now; it moves neither version nor seq."""
    header = Header(match_id, seq + 1, seq, version, wake_in, news=news)
    return MatchMessage(header, _encode(PresenceMessage(str(match_id), seats)).decode())
