"""The app `api`: the only face: REST, WebSocket, browser client."""

from django.apps import AppConfig


class ApiConfig(AppConfig):
    """Registers `api` with Django."""

    name = "api"
