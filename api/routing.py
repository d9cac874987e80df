"""The routes of the WebSocket."""

from typing import Any

websocket_urlpatterns: list[Any] = []  # URLPattern, URLRouter: channels takes both
