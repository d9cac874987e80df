"""Lists by cursor: `{"results", "next", "previous"}` (api.md, Lists).

A view gives its queryset and serializer to `Page.answer`, or sets `pagination_class`. Rows are in
order of their identifiers, newest first, which are UUIDv7 and so in order of time; another order
is set by a subclass's `ordering` and must end with something unique. `?limit=` is at most 100.
"""

from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import Model, QuerySet
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response


class BadCursor(ValueError):
    """The cursor is not one that we gave."""

    code = "bad_cursor"


class Page(CursorPagination):
    """Twenty rows at a time, newest first."""

    page_size = 20
    page_size_query_param = "limit"
    max_page_size = 100
    ordering: Any = ("-id",)

    def paginate_queryset(
        self, queryset: QuerySet[Any, Any] | Sequence[Any], request: Request, view: Any = None
    ) -> list[Any] | None:
        """Give the rows of the page that the request asks for. Raises `BadCursor`."""
        try:
            return super().paginate_queryset(queryset, request, view)
        except NotFound as bad:
            raise BadCursor from bad

    def get_paginated_response(self, data: Any) -> Response:
        """The members in the order of the contract."""
        return Response(
            {"results": data, "next": self.get_next_link(), "previous": self.get_previous_link()}
        )

    @classmethod
    def answer(
        cls,
        request: Request,
        rows: QuerySet[Any],
        shown: Callable[[Any], object],
    ) -> Response:
        """Answer with one page, each row as `shown` shows it."""
        page = cls()
        found: list[Model] = page.paginate_queryset(rows, request) or []
        return page.get_paginated_response([shown(row) for row in found])

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The same for the OpenAPI document."""
        link = {"type": ["string", "null"], "format": "uri"}
        return {
            "type": "object",
            "required": ["results", "next", "previous"],
            "properties": {"results": schema, "next": link, "previous": link},
        }
