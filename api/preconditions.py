"""`ETag` and `If-Match` by a version number: who changes what they read does not change more."""

import re
from typing import Final

from rest_framework.request import Request

_TAG: Final = re.compile(r'(?:W/)?"([^"]*)"')


def etag(version: int) -> str:
    """The entity tag of a version."""
    return f'"{version}"'


def expected_versions(request: Request) -> frozenset[int] | None:
    """The versions that `If-Match` names; None where any will do: without it, or with `*`.

    A header that names no version of ours names none: what it was made for is gone.
    """
    given = request.headers.get("If-Match")
    if given is None or given.strip() == "*":
        return None
    return frozenset(
        int(tag) for tag in _TAG.findall(given) if tag.isascii() and tag.isdigit() and len(tag) < 10
    )
