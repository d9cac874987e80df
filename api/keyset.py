"""Lists whose pages come from a selector by keyset (api.md, Lists): links and their cursors."""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from typing import Any

from rest_framework.request import Request
from rest_framework.utils.urls import replace_query_param

from api.pagination import BadCursor

LIMIT = 20
MOST = 100


def limit_of(request: Request, usual: int = LIMIT) -> int:
    """How many rows the request asks for, at most `MOST`."""
    try:
        asked = int(request.query_params.get("limit", usual))
    except ValueError:
        return usual
    return min(asked, MOST) if asked > 0 else usual


def encode(*parts: object) -> str:
    """A cursor."""
    return urlsafe_b64encode(":".join(map(str, parts)).encode()).decode().rstrip("=")


def decode(request: Request, parts: int) -> tuple[str, ...] | None:
    """The parts of the request's cursor, None without one. Raises `BadCursor`."""
    text = request.query_params.get("cursor")
    if not text:
        return None
    try:
        found = tuple(urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode().split(":"))
    except (binascii.Error, ValueError):
        raise BadCursor from None
    if len(found) != parts:
        raise BadCursor
    return found


def page(
    request: Request, results: Sequence[Any], *, following: str | None, preceding: str | None
) -> dict[str, Any]:
    """The answer, with links to the neighbouring pages where their cursors are given."""
    address = request.build_absolute_uri()
    return {
        "results": results,
        "next": following and replace_query_param(address, "cursor", following),
        "previous": preceding and replace_query_param(address, "cursor", preceding),
    }
