"""`manage.py list_problems`: prints docs/problems.md, the catalogue of errors for readers."""

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import translation

from api.catalogue import CATALOGUE, FIELD_TEXTS

_HEAD = """\
# Problems

Every error of the REST API is an RFC 9457 document (`application/problem+json`) with one of these
codes; the socket's `error` messages use the same ones. Texts follow `Accept-Language`, codes never
change. This page is printed by `python manage.py list_problems`.

| code | status | title | 日本語 |
|---|---|---|---|
"""
_FIELDS = """
Where a field is at fault, `errors` names it with one of these codes, or with one of Django REST
framework's own (`required`, `null`, `invalid`, `max_length`, ...):

| code | meaning | 日本語 |
|---|---|---|
"""


class Command(BaseCommand):
    """Prints the catalogue as Markdown."""

    help = "Print docs/problems.md."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the page."""
        self.stdout.write(page(), ending="")


def page() -> str:
    """Write the page."""
    problems = (
        f"| `{code}` | {entry.status} | {_in('en', entry.title)} | {_in('ja', entry.title)} |\n"
        for code, entry in CATALOGUE.items()
    )
    fields = (
        f"| `{code}` | {_in('en', text)} | {_in('ja', text)} |\n"
        for code, text in FIELD_TEXTS.items()
    )
    return _HEAD + "".join(problems) + _FIELDS + "".join(fields)


def _in(language: str, text: object) -> str:
    with translation.override(language):
        return str(text)
