"""A scripted match: read from JSON, played through the engine, and told as JSON."""

import json
from collections.abc import Mapping
from typing import Final, NoReturn

import msgspec

from tables.blackjack.actions import Action, ActionName, Refusal
from tables.blackjack.cards import PLACES
from tables.blackjack.engine import MAX_SEATS, apply, results, start_scripted, turn
from tables.blackjack.ruleset import Ruleset, RulesetError, ruleset_of
from tables.blackjack.shoe import no_seed
from tables.blackjack.state import MatchState, Phase
from tables.blackjack.view import RoundRecord, round_record

_KEYS: Final = ("rules", "seats", "shoe", "decisions")
_DIGITS: Final = 30
_BEYOND: Final[int] = 10**30


class MalformedScript(ValueError):
    """A document that is no scripted match; its text is one line that says what is wrong."""

    code = "malformed_script"

    def __init__(self, what: str) -> None:
        # What it quotes comes from outside; this stays one printable line all the same.
        super().__init__(
            "".join(char if char.isprintable() else ascii(char)[1:-1] for char in what)
        )


class Script(msgspec.Struct, frozen=True):
    """A scripted match: the cards in dealing order and what the seats decide."""

    ruleset: Ruleset
    seats: int
    shoe: tuple[str, ...]
    decisions: tuple[Action, ...]


class Halt(msgspec.Struct, frozen=True):
    """The first decision that the rules refused, by its index."""

    index: int
    code: str
    message: str


class Waiting(msgspec.Struct, frozen=True):
    """Whose decision is next; `hand` is null outside `playing`."""

    seat: int
    phase: Phase
    hand: int | None
    legal: tuple[ActionName, ...]


class Transcript(msgspec.Struct, frozen=True):
    """What came of a scripted match (`engine-cli.md`)."""

    rounds: tuple[RoundRecord, ...]
    to_act: Waiting | None
    finished: bool
    chips: tuple[int, ...]
    rebuys: tuple[int, ...]
    places: tuple[int | str, ...] | None
    error: Halt | None


def read(document: bytes) -> Script:
    """Read a scripted match from JSON (`engine-cli.md`); raises MalformedScript."""
    try:
        text = document.decode()
    except UnicodeDecodeError as error:
        raise MalformedScript(f"not UTF-8: byte {error.start} is {error.reason}") from None
    try:
        value = json.loads(
            text, parse_int=_whole, parse_constant=_no_constant, object_pairs_hook=_object
        )
    except json.JSONDecodeError as error:
        raise MalformedScript(
            f"not JSON: {error.msg} at line {error.lineno} column {error.colno}"
        ) from None
    except RecursionError:
        raise MalformedScript("not a scripted match: nested too deep") from None
    document_ = _mapping(value, "the document")
    _only(document_, _KEYS, "the document")
    for key in _KEYS[1:]:
        if key not in document_:
            raise MalformedScript(f"{key} is missing")
    ruleset = _ruleset(document_.get("rules", {}))
    seats = _integer(document_["seats"], "seats")
    if not 1 <= seats <= MAX_SEATS:
        raise MalformedScript(f"seats must be from 1 to {MAX_SEATS}")
    shoe = _list(document_["shoe"], "shoe")
    decisions = _list(document_["decisions"], "decisions")
    return Script(
        ruleset,
        seats,
        tuple(_card(card, f"shoe[{at}]") for at, card in enumerate(shoe)),
        tuple(_action(value, seats, f"decisions[{at}]") for at, value in enumerate(decisions)),
    )


def play(script: Script) -> Transcript:
    """Play a scripted match until its decisions end or one is refused (`engine-cli.md`)."""
    state = start_scripted(script.ruleset, script.seats, script.shoe).state
    rounds: list[RoundRecord] = []
    halt = None
    for index, decision in enumerate(script.decisions):
        settled = state.last_round
        try:
            state = apply(state, decision, no_seed).state
        except Refusal as refusal:
            halt = Halt(index, refusal.code, str(refusal))
            break
        if state.last_round is not None and state.last_round is not settled:
            rounds.append(round_record(state.last_round))
    return Transcript(
        tuple(rounds),
        _waiting(state),
        state.finished,
        tuple(seat.chips for seat in state.seats),
        tuple(seat.rebuys for seat in state.seats),
        _places(state),
        halt,
    )


def write(transcript: Transcript) -> str:
    """Give the transcript as one line of JSON."""
    return msgspec.json.encode(transcript).decode()


def _waiting(state: MatchState) -> Waiting | None:
    offered = turn(state)
    if offered is None:
        return None
    legal = tuple(legal.action for legal in offered.legal)
    return Waiting(offered.seat, offered.phase, offered.hand, legal)


def _places(state: MatchState) -> tuple[int | str, ...] | None:
    if not state.finished:
        return None
    ranked = results(state)
    if len(ranked) == 1:
        return (ranked[0].outcome.value,)
    return tuple(result.place for result in ranked)


def _whole(digits: str) -> int:
    """Read a whole number; one beyond every bound stands for all the greater ones."""
    if len(digits) > _DIGITS:
        return -_BEYOND if digits.startswith("-") else _BEYOND
    return int(digits)


def _no_constant(name: str) -> NoReturn:
    raise MalformedScript(f"not JSON: {name} is no number")


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise MalformedScript(f"the key {twice!r} stands twice in one object")
    return found


def _mapping(value: object, where: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise MalformedScript(f"{where} must be an object")
    return value


def _list(value: object, where: str) -> list[object]:
    if not isinstance(value, list):
        raise MalformedScript(f"{where} must be an array")
    return value


def _integer(value: object, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise MalformedScript(f"{where} must be a whole number")
    return value


def _only(mapping: Mapping[str, object], keys: tuple[str, ...], where: str) -> None:
    for key in mapping:
        if key not in keys:
            raise MalformedScript(f"{where} has an unknown key {key!r}")


def _ruleset(value: object) -> Ruleset:
    try:
        return ruleset_of(_mapping(value, "rules"))
    except RulesetError as error:
        raise MalformedScript(f"rules: {error}") from None


def _card(value: object, where: str) -> str:
    if not isinstance(value, str) or value not in PLACES:
        raise MalformedScript(f"{where} is no card: {_shown(value)}")
    return value


def _action(value: object, seats: int, where: str) -> Action:
    decision = _mapping(value, where)
    _only(decision, ("seat", "action", "amount"), where)
    for key in ("seat", "action"):
        if key not in decision:
            raise MalformedScript(f"{where}: {key} is missing")
    seat = _integer(decision["seat"], f"{where}: seat")
    if not 1 <= seat <= seats:
        raise MalformedScript(f"{where}: seat {seat} does not exist")
    named = decision["action"]
    if not isinstance(named, str) or named not in set(ActionName):
        raise MalformedScript(f"{where}: unknown action {_shown(named)}")
    action = ActionName(named)
    if action is not ActionName.BET:
        if "amount" in decision:
            raise MalformedScript(f"{where}: only a bet has an amount")
        return Action(seat, action)
    if "amount" not in decision:
        raise MalformedScript(f"{where}: amount is missing")
    return Action(seat, action, _integer(decision["amount"], f"{where}: amount"))


def _shown(value: object) -> str:
    """Give a short quotation of a value, for the message."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."
