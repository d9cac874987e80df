"""What the commands over the engine share: rules from JSON, one line of error, one document."""

import argparse
import json
from collections.abc import Callable
from typing import Any, Final, NoReturn

import msgspec
from django.core.management.base import BaseCommand, CommandError, CommandParser

from tables.blackjack.ruleset import Ruleset, RulesetError, ruleset_of

_DIGITS: Final = 18  # of a number in the arguments, so that it stays one that can be counted to


class EngineCommand(BaseCommand):
    """A command of `engine-cli.md`: needs no database; bad input ends it with 2 and one line."""

    requires_system_checks = ()

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Give a parser whose errors are one line: without the usage before them."""
        kwargs.setdefault("usage", argparse.SUPPRESS)
        return super().create_parser(prog_name, subcommand, **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the house rules."""
        parser.add_argument(
            "--rules", default="{}", metavar="JSON", help="overrides of the default rules"
        )

    def rules(self, document: str) -> Ruleset:
        """Read the `--rules`; ends the command if they are none."""
        try:
            overrides = json.loads(document, parse_constant=_no_constant, object_pairs_hook=_object)
        except RecursionError:
            self.fail("rules: nested too deeply")
        except ValueError as error:
            self.fail(f"rules: not JSON: {error}")
        if not isinstance(overrides, dict):
            self.fail("rules: must be an object")
        try:
            return ruleset_of(overrides)
        except RulesetError as error:
            self.fail(f"rules: {error}")

    def fail(self, what: str) -> NoReturn:
        """End the command with 2 and one printable line."""
        line = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in what)
        raise CommandError(line, returncode=2)

    def write_document(self, document: object) -> None:
        """Print one JSON document."""
        self.stdout.write(msgspec.json.encode(document).decode())


def whole_number(low: int, high: int | None = None) -> Callable[[str], int]:
    """Give an argument type: a whole number within these bounds."""

    def parse(text: str) -> int:
        # int() takes more than digits: spaces, underscores, other scripts' digits.
        digits = text[1:] if text.startswith("-") else text
        if not (digits.isascii() and digits.isdigit()):
            raise argparse.ArgumentTypeError(f"{text!a} is no whole number")
        if len(digits) > _DIGITS:
            raise argparse.ArgumentTypeError(f"may have at most {_DIGITS} digits")
        number = int(text)
        if number < low or (high is not None and number > high):
            bounds = f"from {low}" + ("" if high is None else f" to {high}")
            raise argparse.ArgumentTypeError(f"must be {bounds}")
        return number

    return parse


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return members


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
