"""The OpenAPI document and the page that shows it."""

from typing import Any

from csp.constants import UNSAFE_INLINE
from csp.decorators import csp_update
from django.utils.decorators import method_decorator
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView


class SchemaView(SpectacularAPIView):
    """`schema/`"""

    authentication_classes: Any = ()
    permission_classes: Any = ()


@method_decorator(csp_update({"style-src": UNSAFE_INLINE}), name="dispatch")
class DocsView(SpectacularSwaggerSplitView):
    """`docs/`: Swagger, served from here; it alone may use inline styles (client.md, CSP)."""

    authentication_classes: Any = ()
    permission_classes: Any = ()
    url_name = "schema"
