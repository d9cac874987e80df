"""The app `tables`: where players meet and play."""

from django.apps import AppConfig


class TablesConfig(AppConfig):
    """Registers `tables` with Django."""

    name = "tables"
