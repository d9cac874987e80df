"""Accounts: making one, the own one, and other people's profiles."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.utils import translation
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import selectors, tokens
from accounts.languages import Language
from accounts.models import Player
from accounts.services import sign_in
from accounts.services.sign_in import Origin, Scope, SignedIn
from api import cookies, player_parts
from api.authentication import Carrier, carries_csrf_token, credential_of_request
from api.cookies import Cookie
from api.device_labels import label_of
from api.endpoints import Endpoint, PlayerEndpoint
from api.idempotency import LEAST_FOR_SIGN_IN, content_of, key_of
from api.renderers import dump
from api.serializers import (
    ChangedPlayerSerializer,
    NewPlayerSerializer,
    OwnPlayerSerializer,
    ProfileSerializer,
    SignedInSerializer,
    TransferSerializer,
)
from api.throttling import Limit, address_of, spend_or_refuse
from tables.services.renaming import change_player


class SignInEndpoint(Endpoint):
    """What making an account and bringing one over have in common."""

    @property
    def _is_page(self) -> bool:
        return carries_csrf_token(self.request._request)

    def _origin(self, *, twin_tabs: bool) -> Origin:
        request = self.request
        scopes: list[Scope] = []
        if (key := key_of(request, least=LEAST_FOR_SIGN_IN)) is not None:
            scopes.append(sign_in.key_scope(key))
        if twin_tabs and self._is_page:
            scopes.append(sign_in.page_scope(request.COOKIES["csrftoken"]))
        return Origin(
            browser=cookies.browser_of(request._request),
            label=label_of(request.headers.get("User-Agent", "")),
            scopes=scopes,
            content=tokens.digest(f"{request.path}\n{content_of(request)}"),
        )

    def _answer(self, done: SignedIn) -> Response:
        page, request = self._is_page, self.request._request
        made = done.token is not None
        response = Response(
            {
                "player": shown_to_self(self, done.player),
                "token": None if page else done.token,
            },
            status=201 if made else 200,
        )
        response["Cache-Control"] = "no-store"
        if page and done.token is not None:
            cookies.keep(response, request, Cookie.DEVICE, done.token)
            cookies.keep(response, request, Cookie.BROWSER, str(done.device.browser))
        elif not made:
            roll_cookie(self, response)
        return response


class PlayerListView(SignInEndpoint):
    """`players/`"""

    @extend_schema(
        operation_id="players_create",
        request=NewPlayerSerializer,
        responses={200: SignedInSerializer, 201: SignedInSerializer},
        tags=["players"],
    )
    def post(self, request: Request) -> Response:
        """Make an anonymous account, or give the present one."""
        given = NewPlayerSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        identity = self.identity
        if identity is not None:
            return self._answer(
                SignedIn(player=identity.player, device=identity.device, token=None)
            )
        origin = self._origin(twin_tabs=True)
        spend_or_refuse(Limit.of("ACCOUNTS"), address_of(request.META))
        done = sign_in.create_account(
            display_name=given.validated_data["display_name"],
            language=Language(translation.get_language()),
            origin=origin,
            now=self.now,
        )
        return self._answer(done)


class TransferView(SignInEndpoint):
    """`players/transfer/`"""

    @extend_schema(
        operation_id="players_transfer",
        request=TransferSerializer,
        responses={200: SignedInSerializer, 201: SignedInSerializer},
        tags=["players"],
    )
    def post(self, request: Request) -> Response:
        """Sign this device in to the account of a transfer code or recovery key."""
        given = TransferSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        origin = self._origin(twin_tabs=False)
        spend_or_refuse(Limit.of("TRANSFERS"), address_of(request.META))
        done = sign_in.transfer_account(
            code=given.validated_data["code"],
            signed_in=self.identity,
            has_matches=player_parts.has_matches,
            replace=given.validated_data["replace"],
            origin=origin,
            now=self.now,
        )
        player_parts.announce(notice=done.notice, ended=done.ended)
        return self._answer(done)


class OwnPlayerView(PlayerEndpoint):
    """`players/me/`"""

    open_to_banned = True

    @extend_schema(operation_id="players_me_get", responses=OwnPlayerSerializer, tags=["players"])
    def get(self, request: Request) -> Response:
        """Show the own account and where it is."""
        response = Response(shown_to_self(self, self.player))
        roll_cookie(self, response)
        return response

    @extend_schema(
        operation_id="players_me_change",
        request=ChangedPlayerSerializer,
        responses=OwnPlayerSerializer,
        tags=["players"],
    )
    def patch(self, request: Request) -> Response:
        """Rename the own account or change some of its settings."""
        given = ChangedPlayerSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        player = change_player(player_id=self.player.pk, **given.validated_data)
        return Response(shown_to_self(self, player))

    @extend_schema(operation_id="players_me_delete", responses={204: None}, tags=["players"])
    def delete(self, request: Request) -> Response:
        """Delete the own account: it is nameless for ever, its matches stay."""
        player_parts.delete_account(player=self.player, acting=self.device, now=self.now)
        response = Response(status=204)
        cookies.forget(response, request._request, Cookie.DEVICE)
        return response


class ExportView(PlayerEndpoint):
    """`players/me/export/`"""

    open_to_banned = True

    @extend_schema(
        operation_id="players_me_export", responses={200: OpenApiTypes.OBJECT}, tags=["players"]
    )
    def get(self, request: Request) -> HttpResponse:
        """Give all that is stored about the player, as one file."""
        response = HttpResponse(
            dump(player_parts.export_of(player=self.player)), content_type="application/json"
        )
        response["Content-Disposition"] = 'attachment; filename="account.json"'
        response["Cache-Control"] = "no-store"
        return response


class ProfileView(Endpoint):
    """`players/{id}/`"""

    @extend_schema(operation_id="players_get", responses=ProfileSerializer, tags=["players"])
    def get(self, request: Request, player_id: UUID) -> Response:
        """Show a player's public profile."""
        return Response(profile_shown(player_id))


def profile_shown(player_id: UUID) -> Any:
    """A player as everybody sees them. Raises `PlayerNotFound`."""
    player = selectors.player_of(player_id=player_id)
    context = {"record": player_parts.record_of(player=player)}
    return ProfileSerializer(player, context=context).data


def shown_to_self(view: Endpoint, player: Player) -> Any:
    """The account as its owner sees it."""
    standing = player_parts.standing_of(player=player, now=view.now)
    return OwnPlayerSerializer(player, context={"now": view.now, "standing": standing}).data


def roll_cookie(view: Endpoint, response: Response) -> None:
    """Let the browser keep its cookies for another 400 days."""
    request = view.request._request
    credential, identity = credential_of_request(request), view.identity
    if identity is None or credential is None or credential.carrier is not Carrier.COOKIE:
        return
    cookies.keep(response, request, Cookie.DEVICE, credential.token)
    cookies.keep(response, request, Cookie.BROWSER, str(identity.device.browser))
