"""State, actions and events as JSON text, the same bytes for the same value."""

from collections.abc import Iterable
from typing import Final

import msgspec

from tables.blackjack.actions import Action
from tables.blackjack.events import AnyEvent, Event
from tables.blackjack.state import MatchState

_ENCODER: Final = msgspec.json.Encoder()
_STATE: Final = msgspec.json.Decoder(MatchState)
_ACTION: Final = msgspec.json.Decoder(Action)
_EVENTS: Final = msgspec.json.Decoder(tuple[AnyEvent, ...])


def encode(state: MatchState) -> str:
    """Write a state as JSON; it holds secrets, so it is for storage alone."""
    return _ENCODER.encode(state).decode()


def decode(text: str) -> MatchState:
    """Read a state; raises msgspec.DecodeError for anything that `encode` does not write."""
    return _STATE.decode(text)


def encode_action(action: Action) -> str:
    """Write an action as JSON."""
    return _ENCODER.encode(action).decode()


def decode_action(text: str) -> Action:
    """Read an action; raises msgspec.DecodeError."""
    return _ACTION.decode(text)


def encode_events(events: Iterable[Event]) -> str:
    """Write events as a JSON array, each with its `type`."""
    return _ENCODER.encode(tuple(events)).decode()


def decode_events(text: str) -> tuple[AnyEvent, ...]:
    """Read events; raises msgspec.DecodeError."""
    return _EVENTS.decode(text)
