"""The ASGI application: HTTP to Django, the WebSocket to Channels."""

import os

from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
_http = get_asgi_application()  # before anything that needs the app registry

from api.routing import websocket_urlpatterns  # noqa: E402

application = ProtocolTypeRouter({"http": _http, "websocket": URLRouter(websocket_urlpatterns)})
