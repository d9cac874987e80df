"""The socket as an AsyncAPI 3 document, made from the very types that are sent and read."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any, Final, get_args

import msgspec

from api.consumers import frames
from tables.blackjack.events import AnyEvent
from tables.messages import PresenceMessage
from tables.party_view import PartyMessage
from tables.queue_view import QueueMessage, ReadyCheckMessage

_REF = "#/components/schemas/{name}"
_ENVELOPE = {
    "type": "object",
    "description": "What is put round every event.",
    "required": ["seq", "version", "at"],
    "properties": {
        "seq": {"type": "integer", "minimum": 1, "description": "From 1, without a gap."},
        "version": {"type": "integer", "minimum": 0},
        "at": {"type": "string", "format": "date-time"},
        "by": {"enum": ["player", "cpu", "timeout"], "description": "Of a decision's events."},
    },
}

CLIENT_MESSAGES: tuple[type[msgspec.Struct], ...] = get_args(frames.AnyFrame)
SERVER_MESSAGES: tuple[type[msgspec.Struct], ...] = (
    frames.Welcome,
    frames.Snapshot,
    frames.Events,
    PresenceMessage,
    PartyMessage,
    QueueMessage,
    ReadyCheckMessage,
    frames.NoticeFrame,
    frames.Ack,
    frames.Failed,
    frames.Pong,
    frames.Closing,
)


@functools.cache
def document() -> dict[str, Any]:
    """The whole document, as JSON-ready values."""
    reference, schemas = schemas_of((*CLIENT_MESSAGES, *SERVER_MESSAGES))
    schemas["Events"]["properties"]["events"] = EVENTS
    messages = {
        _tag(kind): {
            "name": _tag(kind),
            "title": _tag(kind),
            "summary": (kind.__doc__ or "").strip().splitlines()[0],
            "contentType": "application/json",
            "payload": reference[kind],
        }
        for kind in (*CLIENT_MESSAGES, *SERVER_MESSAGES)
    }
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Taku",
            "version": "1",
            "description": (
                "One socket per client. Text frames, one JSON object each, at most "
                f"{frames.MOST_BYTES} bytes from clients. The token comes in the cookie, in the "
                "Authorization header, or in `hello`; never in the address."
            ),
        },
        "defaultContentType": "application/json",
        "channels": {
            "socket": {
                "address": "/ws/v1/",
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in messages},
            }
        },
        "operations": {
            "say": _operation("receive", CLIENT_MESSAGES, "What a client may say."),
            "tell": _operation("send", SERVER_MESSAGES, "What a client is told."),
        },
        "components": {"messages": messages, "schemas": schemas},
    }


EVENTS: Final = {"type": "array", "items": {"$ref": _REF.format(name="EventInEnvelope")}}
"""The events of a match in their envelopes, which are stored as text."""


def schemas_of(
    kinds: Sequence[type[msgspec.Struct]],
) -> tuple[dict[type[msgspec.Struct], dict[str, Any]], dict[str, Any]]:
    """References to these types, and the schemas by name that they need, with those of events."""
    events = get_args(AnyEvent)
    types = (*kinds, *events)
    references, schemas = msgspec.json.schema_components(
        types, schema_hook=_any_value, ref_template=_REF
    )
    reference = dict(zip(types, references, strict=True))
    schemas["Envelope"] = _ENVELOPE
    schemas["EventInEnvelope"] = {
        "allOf": [
            {"$ref": _REF.format(name="Envelope")},
            {"oneOf": [reference[event] for event in events]},
        ]
    }
    return reference, schemas


def _any_value(kind: type) -> dict[str, Any]:
    """House rules are shown as a mapping whose values are of several types."""
    if kind is object:
        return {"type": ["string", "integer", "boolean", "null"]}
    raise NotImplementedError


def _operation(
    action: str, kinds: tuple[type[msgspec.Struct], ...], summary: str
) -> dict[str, Any]:
    return {
        "action": action,
        "summary": summary,
        "channel": {"$ref": "#/channels/socket"},
        "messages": [{"$ref": f"#/channels/socket/messages/{_tag(kind)}"} for kind in kinds],
    }


def _tag(kind: type[msgspec.Struct]) -> str:
    tag = kind.__struct_config__.tag
    return str(tag) if tag is not None else re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()
