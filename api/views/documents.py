"""The documents of the API: OpenAPI with the page that shows it, and AsyncAPI."""

from typing import Any

from csp.constants import UNSAFE_INLINE
from csp.decorators import csp_update
from django.http import HttpRequest, JsonResponse
from django.utils.decorators import method_decorator
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from api.asyncapi import document


def asyncapi(request: HttpRequest) -> JsonResponse:
    """`asyncapi.json`"""
    return JsonResponse(document(), json_dumps_params={"indent": 1})


class SchemaView(SpectacularAPIView):
    """`schema/`"""

    authentication_classes: Any = ()
    permission_classes: Any = ()


@method_decorator(csp_update({"style-src": UNSAFE_INLINE}), name="dispatch")
class DocsView(SpectacularSwaggerSplitView):
    """`docs/`: Swagger, served from here; it alone may use inline styles, which Swagger needs."""

    authentication_classes: Any = ()
    permission_classes: Any = ()
    url_name = "schema"
