"""What a seat can do, and the errors that say why it may not."""

from enum import StrEnum
from typing import ClassVar

import msgspec


class ActionName(StrEnum):
    """The actions, in the order in which they are offered (`engine-cli.md`)."""

    BET = "bet"
    INSURE = "insure"
    DECLINE = "decline"
    HIT = "hit"
    STAND = "stand"
    DOUBLE = "double"
    SPLIT = "split"
    SURRENDER = "surrender"


class Action(msgspec.Struct, frozen=True, gc=False):
    """One decision: the seat (from 1) that takes it, and of a bet its amount in chips."""

    seat: int
    action: ActionName
    amount: int | None = None


class RefusedCode(StrEnum):
    """Why the table refuses a decision on a hand that other hands or rules allow."""

    NOT_FIRST_TWO = "not_first_two"
    NOT_ALIKE = "not_alike"
    MAX_HANDS = "max_hands"
    AFTER_SPLIT = "after_split"
    SPLIT_ACES = "split_aces"
    NOT_ENOUGH_CHIPS = "not_enough_chips"
    NOT_IN_THESE_RULES = "not_in_these_rules"


class Refusal(Exception):
    """A decision that the rules refuse; nothing has happened.

    Its text is made when it is read: programs that offer one action after another never read it.
    """

    code: ClassVar[str]


class MatchOver(Refusal):
    """The match is over."""

    code = "match_over"

    def __str__(self) -> str:
        return "the match is over"


class NotYourTurn(Refusal):
    """It is another seat's turn."""

    code = "not_your_turn"

    def __init__(self, seat: int, on_turn: int) -> None:
        self.seat = seat
        self.on_turn = on_turn

    def __str__(self) -> str:
        return f"it is seat {self.on_turn}'s turn, not seat {self.seat}'s"


class IllegalAction(Refusal):
    """The action belongs to another phase, or the rules do not allow it on this hand."""

    code = "illegal_action"

    def __init__(self, action: ActionName, reason: RefusedCode | None = None) -> None:
        self.action = action
        self.reason = reason

    def __str__(self) -> str:
        why = f": {self.reason}" if self.reason is not None else ""
        return f"{self.action} is not allowed now{why}"


class BadAmount(Refusal):
    """A bet that is no multiple of ten from 10 to the table's maximum (`rules.md R4.1`)."""

    code = "bad_amount"

    def __init__(self, maximum: int) -> None:
        self.maximum = maximum

    def __str__(self) -> str:
        return f"a bet is a multiple of 10 from 10 to {self.maximum}"


class NotEnoughChips(Refusal):
    """Only chips are lacking, `short` of them."""

    code = "not_enough_chips"

    def __init__(self, short: int) -> None:
        self.short = short

    def __str__(self) -> str:
        return f"{self.short} chips are lacking"


class ShoeEmpty(Refusal):
    """A scripted shoe lacks a card that the decision needs."""

    code = "shoe_empty"

    def __str__(self) -> str:
        return "the scripted shoe has no card left for this decision"
