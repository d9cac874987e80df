"""Answers about a match, written by msgspec: prepared text passes through as it is."""

import hashlib
from typing import Any, Final
from uuid import UUID

import msgspec
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from msgspec.structs import replace

from api.endpoints import Endpoint
from api.schema import struct
from tables.match_view import MatchView
from tables.models import MatchStatus
from tables.selectors.matches import Sight, view_of
from tables.services.visits import visit

JSON: Final = "application/json"
REVALIDATED: Final = "private, no-cache"
LIVE: Final = "no-store"

_encode = msgspec.json.Encoder(uuid_format="canonical").encode


def written(value: object, *, status: int = 200) -> HttpResponse:
    """Answer with a value as JSON that nobody keeps."""
    response = HttpResponse(_encode(value), status=status, content_type=JSON)
    response["Cache-Control"] = LIVE
    return response


def kept(request: HttpRequest, value: object, *, settled: bool, sameness: object) -> HttpResponse:
    """Answer with a value that a browser may keep once its match is `settled`.

    It then asks each time whether `sameness` has changed: a match may still be voided, and a name
    changes (ETag, 304).
    """
    response = written(value)
    if not settled:
        return response
    etag = f'"{hashlib.sha256(_encode(sameness)).hexdigest()[:32]}"'
    response["ETag"] = etag
    response["Cache-Control"] = REVALIDATED
    return get_conditional_response(request, etag=etag, response=response) or response


def shown(request: HttpRequest, view: MatchView) -> HttpResponse:
    """Answer with a view of a match."""
    settled = view.status != MatchStatus.PLAYING
    return kept(request, view, settled=settled, sameness=replace(view, server_time=None))


class MatchEndpoint(Endpoint):
    """A view of one match, or of a share alias of one."""

    def look_at(self, match_id: UUID) -> Sight:
        """Find the match for whoever asks, and connect them if it is theirs."""
        viewer = self.viewer
        return visit(match_id=match_id, viewer_id=None if viewer is None else viewer.pk)

    def show(self, sight: Sight) -> HttpResponse:
        """Answer with the match as this viewer may see it."""
        return shown(self.request._request, view_of(sight))

    def tell(self, sight: Sight, value: object) -> HttpResponse:
        """Answer with something of the match, which is settled once the match is."""
        settled = sight.match.status != MatchStatus.PLAYING
        return kept(self.request._request, value, settled=settled, sameness=value)


VIEW: Final[Any] = struct(MatchView)
"""The shape of a match as its viewer may see it."""
TAGS: Final = ["matches"]
