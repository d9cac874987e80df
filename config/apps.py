"""The app `config`: how the parts are wired."""

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """Registers `config` with Django."""

    name = "config"
