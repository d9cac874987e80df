"""`matches/{id}/actions/`: a player's decision, on the event loop and through the batcher.

The refusals come in the order of api.md: what is malformed first, then who asks, then the match.
"""

import logging
from typing import Any, Final
from uuid import UUID

import msgspec
from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from drf_spectacular.utils import extend_schema
from msgspec import Struct, UnsetType
from rest_framework import exceptions
from rest_framework.request import Request

from accounts.models import Player
from api.authentication import identify, refuse_banned
from api.endpoints import Endpoint
from api.errors import BadIdempotencyKey, problem_of, response_of
from api.language import speak_to
from api.match_answers import JSON, TAGS, VIEW, written
from api.match_serializers import ActionSerializer
from api.renderers import JsonBody
from api.throttling import Limit, spend_or_refuse, who_of
from tables.batcher import batcher
from tables.blackjack.actions import ActionName
from tables.match_view import MatchView, seen_by
from tables.selectors.matches import sight_of, view_of
from tables.services.batch import Decide
from tables.services.visits import note_request
from tables.table import NotYourSeat

logger = logging.getLogger(__name__)

LONGEST_ID: Final = 64


class _Body(Struct, frozen=True):
    action: ActionName
    version: int
    amount: int | UnsetType = msgspec.UNSET


_decode = msgspec.json.Decoder(_Body).decode


class ActionView(Endpoint):
    """Describes the address in the OpenAPI document; `act` is what answers there."""

    @extend_schema(
        operation_id="matches_act",
        request=ActionSerializer,
        responses={200: VIEW},
        tags=TAGS,
    )
    def post(self, request: Request, match_id: UUID) -> HttpResponse:
        """Take a decision; gives the new view. The Idempotency-Key is the action's id."""
        raise NotImplementedError

    @classmethod
    def as_view(cls, **initkwargs: Any) -> Any:
        """Give the asynchronous view, under this class's description."""
        described = super().as_view(**initkwargs)

        @csrf_exempt  # a cookie's CSRF token is checked where the cookie is read
        async def act(request: HttpRequest, match_id: UUID) -> HttpResponseBase:
            return await _act(request, match_id)

        act.cls = described.cls  # type: ignore[attr-defined]
        act.initkwargs = initkwargs  # type: ignore[attr-defined]
        return act


async def _act(request: HttpRequest, match_id: UUID) -> HttpResponseBase:
    try:
        view = await _acted(request, match_id)
    except Exception as error:
        if problem_of(error).code == "internal_error":
            logger.exception("an action failed")
        response = response_of(error)
        if response.status_code == 401:
            response["WWW-Authenticate"] = "Bearer"
        if isinstance(error, exceptions.MethodNotAllowed):
            response["Allow"] = "POST"
        return response
    return written(view)


async def _acted(request: HttpRequest, match_id: UUID) -> MatchView:
    if request.method != "POST":
        raise exceptions.MethodNotAllowed(str(request.method))
    body = _read(request)
    action_id = _action_id(request)
    player = await sync_to_async(_admit)(request, match_id)
    amount = None if isinstance(body.amount, UnsetType) else body.amount
    item = Decide(match_id, player.pk, body.action, body.version, amount, action_id)
    try:
        done = await batcher().submit(item)
    except NotYourSeat:
        await sync_to_async(sight_of)(match_id=match_id, viewer_id=player.pk)  # or not found
        raise
    if done.view is None:
        return await sync_to_async(_view_now)(match_id, player.pk)
    return seen_by(done.view, done.seat)


def _read(request: HttpRequest) -> _Body:
    """Read what is to be done. Raises ValidationError or ParseError, which names each fault."""
    if request.content_type != JSON:
        raise exceptions.UnsupportedMediaType(str(request.content_type))
    text = request.body
    try:
        body = _decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        pass
    else:
        if (body.action is ActionName.BET) == (body.amount is not msgspec.UNSET):
            return body
    raise _fault_in(text)


def _fault_in(text: bytes) -> exceptions.APIException:
    """Say what is wrong with a body that cannot be taken, as every other address does."""
    try:
        given = ActionSerializer(data=JsonBody().parse(_Stream(text)))
        given.is_valid(raise_exception=True)
    except exceptions.APIException as fault:
        return fault
    return exceptions.ParseError()


class _Stream(Struct):
    """A body that was read already, to read once more."""

    text: bytes

    def read(self) -> bytes:
        """Give it."""
        return self.text


def _action_id(request: HttpRequest) -> str | None:
    key: str | None = request.headers.get("Idempotency-Key")
    if key is None:
        return None
    if not 1 <= len(key) <= LONGEST_ID or not all("!" <= sign <= "~" for sign in key):
        raise BadIdempotencyKey
    return key


def _admit(request: HttpRequest, match_id: UUID) -> Player:
    """Find out who asks and let them in, or raise what keeps them out; they count as connected."""
    now = timezone.now()
    identity = identify(request, now)
    player = None if identity is None else identity.player
    speak_to(request, player)
    if player is None:
        raise exceptions.NotAuthenticated
    refuse_banned(player, now)
    spend_or_refuse(Limit.of("ACTIONS"), who_of(player, request.META))
    note_request(player_id=player.pk, match_id=match_id)
    return player


def _view_now(match_id: UUID, player_id: UUID) -> MatchView:
    return view_of(sight_of(match_id=match_id, viewer_id=player_id))
