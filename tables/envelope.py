"""What is put round every event: its number, version and time, and whose decision it came from."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum

import msgspec

from tables.blackjack.events import Event, TurnStarted


class By(StrEnum):
    """Whose a decision was (api.md, Events)."""

    PLAYER = "player"
    CPU = "cpu"
    TIMEOUT = "timeout"


_encode = msgspec.json.Encoder().encode


def iso(time: datetime | None) -> str | None:
    """A time as api.md writes it: UTC, ISO 8601, ending in `Z`."""
    if time is None:
        return None
    return time.astimezone(UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"


def enveloped(
    events: Sequence[Event], first_seq: int, version: int, at: datetime, by: By | None
) -> str:
    """Events as a JSON array in their envelopes, numbered from `first_seq`.

    A `turn_started` brings its own `version`, that at which its decision was offered. The
    members are joined as text: each event was encoded a moment ago and is a JSON object.
    """
    whose = f'"by":"{by}",' if by is not None else ""
    written = []
    for seq, event in enumerate(events, start=first_seq):
        known = "" if isinstance(event, TurnStarted) else f'"version":{version},'
        envelope = f'{{"seq":{seq},{known}"at":"{iso(at)}",{whose}'
        written.append(envelope + _encode(event)[1:].decode())
    return f"[{','.join(written)}]"
