"""How the OpenAPI document is made from the views."""

from typing import Any, Literal

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, inline_serializer
from msgspec import Struct
from rest_framework import serializers

from api.asyncapi import EVENTS, schemas_of
from api.serializers import ProblemSerializer

Direction = Literal["request", "response"]
PROBLEM_JSON = "application/problem+json"


def listed(serializer: type[serializers.BaseSerializer[Any]]) -> serializers.Serializer[Any]:
    """The shape of a list by cursor (`api.pagination`)."""
    return inline_serializer(
        name=f"{serializer.__name__.removesuffix('Serializer')}Page",
        fields={
            "results": serializer(many=True),
            "next": serializers.URLField(allow_null=True),
            "previous": serializers.URLField(allow_null=True),
        },
    )


_structs: dict[str, type[Struct]] = {}


def struct(kind: type[Struct]) -> dict[str, Any]:
    """The shape of an answer that msgspec writes."""
    if _structs.setdefault(kind.__name__, kind) is not kind:
        raise ValueError(f"two types are called {kind.__name__}")
    return {"$ref": f"#/components/schemas/{kind.__name__}"}


def add_structs(result: dict[str, Any], **options: Any) -> dict[str, Any]:
    """Put the types of `struct` into the document, after everything else."""
    _, schemas = schemas_of(tuple(_structs.values()))
    for kind in _structs.values():
        properties = schemas[kind.__name__]["properties"]
        if "events" in kind.__struct_fields__:
            properties["events"] = EVENTS
    known = result["components"]["schemas"]
    if both := known.keys() & schemas.keys():
        raise ValueError(f"names of two types each: {sorted(both)}")
    known |= schemas
    return result


class Schema(AutoSchema):
    """drf-spectacular's schema, with what all our views have in common."""

    def get_override_parameters(self) -> list[Any]:
        """Headers that any request may carry, and the pages of lists."""
        found: list[Any] = list(super().get_override_parameters())
        found.append(
            OpenApiParameter(
                "Accept-Language",
                str,
                OpenApiParameter.HEADER,
                description="Language of texts for people: ja or en.",
            )
        )
        if self.method == "POST":
            found.append(
                OpenApiParameter(
                    "Idempotency-Key",
                    str,
                    OpenApiParameter.HEADER,
                    description="The same key with the same content has one effect, one answer.",
                )
            )
        if self.get_operation_id().endswith("_list"):
            found += [
                OpenApiParameter("cursor", str, description="From `next` or `previous`."),
                OpenApiParameter("limit", int, description="Rows on a page, at most 100."),
            ]
        return found

    def _get_response_bodies(self, direction: Direction = "response") -> dict[str, Any]:
        """Every operation may answer with a problem."""
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        problem = self.resolve_serializer(ProblemSerializer, direction)
        bodies["default"] = {
            "content": {PROBLEM_JSON: {"schema": problem.ref}},
            "description": "What went wrong (RFC 9457).",
        }
        return bodies


class DeviceAuthenticationScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """Describes `api.authentication.DeviceAuthentication`."""

    target_class = "api.authentication.DeviceAuthentication"
    name = ["bearer", "cookie"]  # noqa: RUF012  # as the library has it

    def get_security_definition(self, auto_schema: Any) -> list[dict[str, Any]]:
        """A bearer token, or the cookie with a CSRF token."""
        return [
            {"type": "http", "scheme": "bearer"},
            {"type": "apiKey", "in": "cookie", "name": "__Host-device"},
        ]
