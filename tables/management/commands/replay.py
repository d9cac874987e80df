"""`manage.py replay`: plays scripted matches and prints what came of them."""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from django.core.management.base import BaseCommand, CommandError

from tables.blackjack.script import MalformedScript, play, read, write


class Command(BaseCommand):
    """Replay, as `engine-cli.md` says; needs neither database nor server."""

    help = "Play a scripted match and print its rounds, chips and what comes next as JSON."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Take the file, and whether it holds many scripts."""
        parser.add_argument("file", metavar="FILE", help="the script; - for standard input")
        parser.add_argument(
            "--jsonl", action="store_true", help="one script per line, one answer per line"
        )

    def handle(self, *args: object, **options: object) -> None:
        """Print one answer, or one per line; exit with 2 at a malformed script."""
        with _opened(str(options["file"])) as source:
            if not options["jsonl"]:
                self._answer(source.read(), "")
                return
            for number, line in enumerate(source, start=1):
                self._answer(line, f"line {number}: ")
                self.stdout.flush()

    def _answer(self, document: bytes, where: str) -> None:
        try:
            script = read(document)
        except MalformedScript as error:
            raise CommandError(f"{where}{error}", returncode=2) from None
        self.stdout.write(write(play(script)))


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    if path == "-":
        yield sys.stdin.buffer
        return
    try:
        source = open(path, "rb")  # noqa: SIM115  (closed below; the error is about opening alone)
    except (OSError, ValueError) as error:
        raise CommandError(f"cannot read {path!a}: {error}", returncode=2) from None
    with source:
        yield source
