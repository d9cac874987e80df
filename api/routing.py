"""The routes of the WebSocket."""

from typing import Any

from django.urls import path

from api.consumers.socket import TableSocket

websocket_urlpatterns: list[Any] = [  # URLPattern, URLRouter: channels takes both
    path("ws/v1/", TableSocket.as_asgi())  # type: ignore[arg-type]
]
