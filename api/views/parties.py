"""Parties: where guests meet before they play."""

import io
from typing import Any

import msgspec
import segno
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    PolymorphicProxySerializer,
    extend_schema,
)
from rest_framework.request import Request
from rest_framework.response import Response

from api.endpoints import Endpoint, PlayerEndpoint
from api.idempotency import idempotent
from api.match_answers import VIEW
from api.party_serializers import (
    LeftSerializer,
    MemberSerializer,
    NewPartySerializer,
    PartyPreviewSerializer,
    PartySerializer,
    ReadySerializer,
)
from api.preconditions import etag, expected_versions
from api.renderers import Json, Svg
from tables.models import Party
from tables.party_view import Left
from tables.selectors.matches import sight_of, view_of
from tables.selectors.parties import (
    is_member,
    join_url,
    party_by_code,
    party_preview,
    party_view,
)
from tables.services import parties
from tables.services.party_start import start_party
from tables.services.party_upkeep import see_member

IF_MATCH = OpenApiParameter(
    "If-Match",
    str,
    OpenApiParameter.HEADER,
    description="The `ETag` that was read; 412 if the party has changed since.",
)


def _origin(request: Request) -> str:
    return request.build_absolute_uri("/").rstrip("/")


def _shown(request: Request, party: Party, status: int = 200) -> Response:
    """The party as its members see it."""
    view = party_view(party, origin=_origin(request))
    return Response(msgspec.to_builtins(view), status=status, headers={"ETag": etag(view.version)})


def _read(serializer: Any) -> dict[str, Any]:
    serializer.is_valid(raise_exception=True)
    given: dict[str, Any] = serializer.validated_data
    return given


class PartyListView(PlayerEndpoint):
    """`parties/`"""

    @extend_schema(
        operation_id="parties_create",
        request=NewPartySerializer,
        responses={201: PartySerializer},
        tags=["parties"],
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Make a party and be its host."""
        given = _read(NewPartySerializer(data=request.data))
        party = parties.create_party(
            player_id=self.player.pk,
            rules=given.get("rules"),
            watchable=given.get("watchable", False),
            now=self.now,
        )
        return _shown(request, party, 201)


class PartyView(PlayerEndpoint):
    """`parties/{code}/`"""

    needs_player = False  # to look; `self.player` asks for one

    @extend_schema(
        operation_id="parties_read",
        responses=PolymorphicProxySerializer(
            component_name="PartySeen",
            serializers=[PartySerializer, PartyPreviewSerializer],
            resource_type_field_name=None,
        ),
        tags=["parties"],
    )
    def get(self, request: Request, code: str) -> Response:
        """Show a party: all of it to its members, to others who hosts it and whether they may join.

        A member's request counts as being there for the next 30 s.
        """
        party = party_by_code(code)
        viewer_id = None if self.viewer is None else self.viewer.pk
        if viewer_id is not None and is_member(party_id=party.pk, player_id=viewer_id):
            see_member(party=party, player_id=viewer_id)
            return _shown(request, party)
        view = party_preview(party, viewer_id=viewer_id, origin=_origin(request))
        return Response(msgspec.to_builtins(view))

    @extend_schema(
        operation_id="parties_change",
        request=NewPartySerializer,
        responses=PartySerializer,
        parameters=[IF_MATCH],
        tags=["parties"],
    )
    def patch(self, request: Request, code: str) -> Response:
        """As the host, change house rules, which makes everybody not ready, or who may watch."""
        given = _read(NewPartySerializer(data=request.data))
        party = parties.change_party(
            code=code,
            player_id=self.player.pk,
            rules=given.get("rules"),
            watchable=given.get("watchable"),
            expected=expected_versions(request),
        )
        return _shown(request, party)


class PartyCodeView(Endpoint):
    """`parties/{code}/qr.svg`"""

    renderer_classes = (Svg, Json)

    @extend_schema(
        operation_id="parties_qr",
        responses={(200, "image/svg+xml"): OpenApiTypes.BINARY},
        tags=["parties"],
    )
    def get(self, request: Request, code: str) -> Response:
        """Draw the join link as a QR code."""
        link = join_url(party_by_code(code).code, _origin(request))
        drawn = io.BytesIO()
        segno.make(link, micro=False, error="m").save(
            drawn, kind="svg", scale=8, border=4, xmldecl=False, light="#fff", nl=False
        )
        return Response(drawn.getvalue())


class JoinView(PlayerEndpoint):
    """`parties/{code}/join/`"""

    @extend_schema(
        operation_id="parties_join", request=None, responses=PartySerializer, tags=["parties"]
    )
    @idempotent
    def post(self, request: Request, code: str) -> Response:
        """Take a place; once more changes nothing."""
        party = parties.join_party(code=code, player_id=self.player.pk, now=self.now)
        return _shown(request, party)


class LeaveView(PlayerEndpoint):
    """`parties/{code}/leave/`"""

    @extend_schema(
        operation_id="parties_leave", request=None, responses=LeftSerializer, tags=["parties"]
    )
    @idempotent
    def post(self, request: Request, code: str) -> Response:
        """Give up the own place; a seat at the party's match is kept."""
        parties.leave_party(code=code, player_id=self.player.pk)
        return Response(msgspec.to_builtins(Left()))


class ReadyView(PlayerEndpoint):
    """`parties/{code}/ready/`"""

    @extend_schema(
        operation_id="parties_ready",
        request=ReadySerializer,
        responses=PartySerializer,
        parameters=[IF_MATCH],
        tags=["parties"],
    )
    @idempotent
    def post(self, request: Request, code: str) -> Response:
        """Set or take away the own ready mark."""
        given = _read(ReadySerializer(data=request.data))
        party = parties.set_ready(
            code=code,
            player_id=self.player.pk,
            ready=given["ready"],
            expected=expected_versions(request),
        )
        return _shown(request, party)


class KickView(PlayerEndpoint):
    """`parties/{code}/kick/`"""

    @extend_schema(
        operation_id="parties_kick",
        request=MemberSerializer,
        responses=PartySerializer,
        parameters=[IF_MATCH],
        tags=["parties"],
    )
    @idempotent
    def post(self, request: Request, code: str) -> Response:
        """As the host, remove a member, who cannot come back to this party."""
        given = _read(MemberSerializer(data=request.data))
        party = parties.kick_member(
            code=code,
            player_id=self.player.pk,
            kicked_id=given["player"],
            expected=expected_versions(request),
            now=self.now,
        )
        return _shown(request, party)


class HostView(PlayerEndpoint):
    """`parties/{code}/host/`"""

    @extend_schema(
        operation_id="parties_host",
        request=MemberSerializer,
        responses=PartySerializer,
        parameters=[IF_MATCH],
        tags=["parties"],
    )
    @idempotent
    def post(self, request: Request, code: str) -> Response:
        """As the host, make another member the host."""
        given = _read(MemberSerializer(data=request.data))
        party = parties.hand_over(
            code=code,
            player_id=self.player.pk,
            new_host_id=given["player"],
            expected=expected_versions(request),
        )
        return _shown(request, party)


class StartView(PlayerEndpoint):
    """`parties/{code}/start/`"""

    @extend_schema(
        operation_id="parties_start",
        request=None,
        responses={200: VIEW, 201: VIEW},
        tags=["parties"],
    )
    @idempotent
    def post(self, request: Request, code: str) -> Response:
        """As the host, begin the match when all others are ready; again: the same match."""
        started = start_party(code=code, player_id=self.player.pk)
        view = view_of(sight_of(match_id=started.match_id, viewer_id=self.player.pk))
        return Response(msgspec.to_builtins(view), status=201 if started.is_new else 200)
