"""`Idempotency-Key` on a POST: the same request under the same key has one effect, one answer.

    class PartyList(PlayerEndpoint):
        @idempotent
        def post(self, request): ...

The decorated handler runs inside one transaction together with the record of its answer. So the
key is spent exactly when the effect is committed: a refusal (an exception, or a status that is not
2xx) spends none, and a process that dies spends none. Whoever sends the key while the first request
runs gets 409. An effect made on another connection (a batcher's) is outside that transaction; it
must be harmless to repeat, and the handler must not have locked its rows. Actions in a match have
ids of their own instead, and signing in has its scopes (`accounts.services.sign_in`).
"""

import hmac
import json
from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.conf import settings
from django.db import transaction
from django.http import HttpResponse
from django.utils import timezone
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import tokens
from accounts.models import Player
from accounts.services import repeats
from accounts.services.repeats import Answer
from api.errors import BadIdempotencyKey
from api.renderers import canonical, dump

HEADER: Final = "Idempotency-Key"
LONGEST: Final = 200
LEAST_FOR_SIGN_IN: Final = 16

Handler = Callable[..., HttpResponse]


def key_of(request: Request, *, least: int = 1) -> str | None:
    """Read the request's key, or None without one. Raises `BadIdempotencyKey`."""
    key = request.headers.get(HEADER)
    if key is None:
        return None
    if not least <= len(key) <= LONGEST or not all("!" <= sign <= "~" for sign in key):
        raise BadIdempotencyKey
    return key


def content_of(request: Request) -> str:
    """Write the request's JSON so that equal content is equal text."""
    try:
        return canonical(request.data)
    except RecursionError as deep:
        raise ParseError from deep


def idempotent(handler: Handler) -> Handler:
    """Make a POST handler answer repeats of a request as it answered the first."""
    return _once(handler, None)


def idempotent_but(secret: str) -> Callable[[Handler], Handler]:
    """The same for an answer with one secret member, which is not kept.

    The view's `secret_of(request)` must give the same secret for the same key.
    """
    return lambda handler: _once(handler, secret)


def material_of(request: Request) -> bytes:
    """Give 256 bits to make a secret of: the same for a repeat, and unknown to everybody else."""
    key = key_of(request)
    if key is None:
        return tokens.new_material()
    said = f"{request.path} {request.user.pk} {key}".encode()
    return hmac.digest(settings.SECRET_KEY.encode(), said, "sha256")


def _once(handler: Handler, secret: str | None) -> Handler:
    @wraps(handler)
    def once(view: Any, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        key = key_of(request)
        _ = request.data  # what cannot be read is refused, also where nothing is asked for
        if key is None or not isinstance(request.user, Player):
            return handler(view, request, *args, **kwargs)
        asked = repeats.repeatable(
            player=request.user,
            key=key,
            method=str(request.method),
            path=request.path,
            content=content_of(request),
        )
        with transaction.atomic():
            now = timezone.now()
            if (earlier := repeats.claim(request=asked, now=now)) is not None:
                body = json.loads(earlier.body)
                if secret is not None:
                    body[secret] = view.secret_of(request)
                again = Response(body, status=earlier.status)
                if secret is not None:
                    again["Cache-Control"] = "no-store"
                return again
            response = handler(view, request, *args, **kwargs)
            if 200 <= response.status_code < 300:
                answer = Answer(status=response.status_code, body=_kept(response, secret))
                repeats.keep(request=asked, answer=answer, now=now)
            return response

    return once


def _kept(response: HttpResponse, secret: str | None) -> str:
    """The answer's JSON as it is stored; a plain response has been written already."""
    if not isinstance(response, Response):
        return response.content.decode()
    body = response.data
    if secret is not None:
        body = {name: value for name, value in body.items() if name != secret}
    return dump(body)
