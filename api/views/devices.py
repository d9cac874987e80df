"""The own account's devices, and the codes that bring it to another."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import selectors, tokens
from accounts.services import codes, devices
from api import cookies, player_parts
from api.cookies import Cookie
from api.endpoints import PlayerEndpoint
from api.idempotency import idempotent_but, material_of
from api.pagination import Page
from api.schema import listed
from api.serializers import DeviceSerializer, RecoveryKeySerializer, TransferCodeSerializer


class DeviceListView(PlayerEndpoint):
    """`players/me/devices/`"""

    @extend_schema(
        operation_id="devices_list", responses=listed(DeviceSerializer), tags=["devices"]
    )
    def get(self, request: Request) -> Response:
        """List the devices that are signed in."""
        rows = selectors.devices_in_use(player_id=self.player.pk, now=self.now)
        context = {"current": self.device.pk}
        return Page.answer(request, rows, lambda row: DeviceSerializer(row, context=context).data)

    @extend_schema(operation_id="devices_delete_others", responses={204: None}, tags=["devices"])
    def delete(self, request: Request) -> Response:
        """Sign out all devices but this one."""
        done = devices.sign_out_others(acting=self.device, now=self.now)
        player_parts.announce(notice=done.notice, ended=done.devices)
        return Response(status=204)


class DeviceView(PlayerEndpoint):
    """`players/me/devices/{id}/`"""

    @extend_schema(operation_id="devices_delete", responses={204: None}, tags=["devices"])
    def delete(self, request: Request, device_id: UUID) -> Response:
        """Sign out one device."""
        done = devices.sign_out(acting=self.device, device_id=device_id, now=self.now)
        player_parts.announce(notice=done.notice, ended=done.devices)
        response = Response(status=204)
        if device_id == self.device.pk:
            cookies.forget(response, request._request, Cookie.DEVICE)
        return response


class TransferCodeView(PlayerEndpoint):
    """`players/me/transfer-code/`"""

    @extend_schema(
        operation_id="transfer_code_create",
        request=None,
        responses={201: TransferCodeSerializer},
        tags=["devices"],
    )
    @idempotent_but("code")
    def post(self, request: Request) -> Response:
        """Make a code that brings the account to another device."""
        issued = codes.make_transfer_code(
            acting=self.device, material=material_of(request), now=self.now
        )
        return _secret(TransferCodeSerializer(issued).data)

    def secret_of(self, request: Request) -> str:
        """The code again, for a repeat."""
        return tokens.transfer_code_of(material_of(request))


class RecoveryKeyView(PlayerEndpoint):
    """`players/me/recovery-key/`"""

    @extend_schema(
        operation_id="recovery_key_create",
        request=None,
        responses={201: RecoveryKeySerializer},
        tags=["devices"],
    )
    @idempotent_but("key")
    def post(self, request: Request) -> Response:
        """Make a key that brings a lost account back."""
        key = codes.make_recovery_key(
            acting=self.device, material=material_of(request), now=self.now
        )
        return _secret({"key": key})

    def secret_of(self, request: Request) -> str:
        """The key again, for a repeat."""
        return tokens.recovery_key_of(material_of(request))


def _secret(body: object) -> Response:
    return Response(body, status=201, headers={"Cache-Control": "no-store"})
