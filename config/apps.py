"""The app `config`: how the parts are wired."""

from importlib import import_module

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """Registers `config` with Django."""

    name = "config"

    def ready(self) -> None:
        """Let every process send its tasks through the project's Celery application."""
        import_module("config.celery")
