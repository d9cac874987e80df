"""Who a request is from: a device token as bearer or cookie, and what a cookie must prove.

A view reads `request.user` (a `Player`, or None for a guest) and `request.auth` (its `Device`).
The parts that do not need DRF serve the socket as well: `credential_of`, then
`accounts.services.devices.authenticate`.

A bearer token that is not valid is refused everywhere (401 `invalid_token`). A cookie that is not
valid makes a guest of its browser, which could do nothing else about it, and is taken away.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from django.http import HttpRequest
from django.utils import timezone
from rest_framework import exceptions
from rest_framework.authentication import BaseAuthentication, CSRFCheck
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from accounts.models import Device, Player
from accounts.services.devices import Identity, authenticate
from api import cookies
from api.cookies import Cookie
from api.errors import Banned

_SCHEME: Final = "bearer"
CSRF_HEADER: Final = "HTTP_X_CSRFTOKEN"


class Carrier(StrEnum):
    """How a credential came."""

    BEARER = "bearer"
    COOKIE = "cookie"


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """A token and how it came. It is never written anywhere."""

    token: str
    carrier: Carrier

    def __repr__(self) -> str:
        return f"Credential({self.carrier})"


class CsrfFailed(exceptions.PermissionDenied):
    """A cookie request that changes something carries no valid CSRF token."""

    default_code = "csrf_failed"


def credential_of(
    *, authorization: str, cookie_jar: Mapping[str, str], secure: bool
) -> Credential | None:
    """Find the credential in an `Authorization` header or else in the cookies."""
    scheme, _, token = authorization.strip().partition(" ")
    if scheme.lower() == _SCHEME:
        return Credential(token=token.strip(), carrier=Carrier.BEARER)
    kept = cookies.read(Cookie.DEVICE, cookie_jar, secure=secure)
    return None if kept is None else Credential(token=kept, carrier=Carrier.COOKIE)


def credential_of_request(request: HttpRequest | Request) -> Credential | None:
    """Find the credential of an HTTP request."""
    return credential_of(
        authorization=request.META.get("HTTP_AUTHORIZATION", ""),
        cookie_jar=request.COOKIES,
        secure=request.is_secure(),
    )


def carries_csrf_token(request: HttpRequest) -> bool:
    """Tell whether the request comes from a page of ours: header and cookie agree (api.md)."""
    if getattr(request, "csrf_processing_done", False):
        return True  # a page's form, whose token the middleware has compared
    if CSRF_HEADER not in request.META:
        return False
    check = CSRFCheck(lambda _: None)  # type: ignore[arg-type]  # it is never called
    check.process_request(request)
    return check.process_view(request, None, (), {}) is None  # type: ignore[arg-type]


def identify(request: HttpRequest, now: datetime) -> Identity | None:
    """Tell who a request is from; for plain Django views.

    Raises DRF's `AuthenticationFailed` for a bearer token that is not valid, and `CsrfFailed`.
    """
    credential = credential_of_request(request)
    if credential is None:
        return None
    identity = authenticate(token=credential.token, now=now)
    match credential.carrier:
        case Carrier.BEARER:
            if identity is None:
                raise exceptions.AuthenticationFailed(code="invalid_token")
        case Carrier.COOKIE:
            changes = request.method not in SAFE_METHODS
            if identity is not None and changes and not carries_csrf_token(request):
                raise CsrfFailed
    return identity


def refuse_banned(player: Player | None, now: datetime) -> None:
    """Raise `Banned` with its end and reason while the player is banned."""
    if player is not None and player.is_banned(now):
        raise Banned(until=player.banned_until, reason=player.ban_reason)


class DeviceAuthentication(BaseAuthentication):
    """DRF's authentication by device token."""

    def authenticate(self, request: Request) -> tuple[Player, Device] | None:
        """Give the player and the device, or None for a guest."""
        identity = identify(request._request, timezone.now())
        return None if identity is None else (identity.player, identity.device)

    def authenticate_header(self, request: Request) -> str:
        """What a 401 asks for."""
        return "Bearer"


def identity_of(request: Request) -> Identity | None:
    """The identity that DRF has found for the request."""
    player: Any = request.user
    device: Any = request.auth
    return None if device is None else Identity(player=player, device=device)
