"""What every REST view starts from: who may come, in which language, and when it is.

`Endpoint` is open to guests, `PlayerEndpoint` needs an account. Both refuse a banned player unless
the view says `open_to_banned`. Reading and writing are rate-limited (`api.throttling`), errors are
problems (`api.errors`). In a view, `self.now` is the request's one moment and `self.player` the
player (or `self.viewer`, which may be None).
"""

from collections.abc import Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, ClassVar

from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext
from rest_framework.exceptions import ErrorDetail, NotAuthenticated, ValidationError
from rest_framework.permissions import BasePermission
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import Device, Player
from accounts.services.devices import Identity
from api import cookies
from api.authentication import (
    Carrier,
    DeviceAuthentication,
    credential_of_request,
    identity_of,
    refuse_banned,
)
from api.cookies import Cookie
from api.errors import UnknownAddress
from api.language import speak_to
from api.renderers import Json, JsonBody
from api.throttling import PlayerRateThrottle


class MayCome(BasePermission):
    """Lets in whom the view is for: 401 without a needed account, then 403 while banned."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Raise what keeps the request out."""
        identity = identity_of(request)
        player = None if identity is None else identity.player
        speak_to(request._request, player)
        if player is None and view.needs_player:
            raise NotAuthenticated
        if not view.open_to_banned:
            refuse_banned(player, view.now)
        return True


class Endpoint(APIView):
    """A view that guests may use."""

    authentication_classes: Any = (DeviceAuthentication,)
    permission_classes = (MayCome,)
    throttle_classes = (PlayerRateThrottle,)
    renderer_classes: Sequence[type[BaseRenderer]] = (Json,)
    parser_classes = (JsonBody,)
    needs_player: ClassVar[bool] = False
    open_to_banned: ClassVar[bool] = False

    @cached_property
    def now(self) -> datetime:
        """The moment of this request."""
        return timezone.now()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse an address that says one thing twice: nobody could know which of them counts."""
        super().initial(request, *args, **kwargs)
        repeated = [name for name, values in request.query_params.lists() if len(values) > 1]
        if repeated:
            detail = ErrorDetail(gettext("This parameter may be given once only."), "repeated")
            raise ValidationError({name: [detail] for name in repeated})

    def finalize_response(
        self, request: Request, response: Response, *args: Any, **kwargs: Any
    ) -> Response:
        """Keep what is one player's own out of shared caches, and drop a cookie that is no good."""
        done = super().finalize_response(request, response, *args, **kwargs)
        done.headers.setdefault("Cache-Control", "private, no-cache")
        patch_vary_headers(done, ("Authorization", "Cookie"))
        if done.status_code == 401:
            credential = credential_of_request(request)
            if credential is not None and credential.carrier is Carrier.COOKIE:
                cookies.forget(done, request._request, Cookie.DEVICE)
        return done

    @property
    def identity(self) -> Identity | None:
        """Who asks, by which device."""
        return identity_of(self.request)

    @property
    def viewer(self) -> Player | None:
        """Who asks, or None for a guest."""
        identity = self.identity
        return None if identity is None else identity.player


class PlayerEndpoint(Endpoint):
    """A view that needs an account."""

    needs_player = True

    @property
    def player(self) -> Player:
        """Who asks."""
        return self._known.player

    @property
    def device(self) -> Device:
        """The device by which they ask."""
        return self._known.device

    @property
    def _known(self) -> Identity:
        identity = self.identity
        if identity is None:
            raise NotAuthenticated
        return identity


class NowhereEndpoint(Endpoint):
    """Every address that is none: 404 for any method, as a problem."""

    open_to_banned = True
    schema = None
    authentication_classes = ()

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Answer every method alike."""
        self.http_method_not_allowed = self._nowhere  # type: ignore[method-assign]
        return super().dispatch(request, *args, **kwargs)

    def _nowhere(self, request: Request, *args: Any, **kwargs: Any) -> Any:
        raise UnknownAddress

    options = _nowhere  # type: ignore[assignment]  # as every other method
