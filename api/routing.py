"""The routes of the WebSocket."""

from django.urls import URLPattern

websocket_urlpatterns: list[URLPattern] = []
