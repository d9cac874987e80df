"""The app `config`: how the parts are wired."""

from importlib import import_module

from django.apps import AppConfig

from config.celery import app as celery

__all__ = ["ConfigConfig", "celery"]


class ConfigConfig(AppConfig):
    """Registers `config` with Django; the Celery application comes along, so that any process
    can send a task."""

    name = "config"

    def ready(self) -> None:
        """Let every process send its tasks through the project's Celery application."""
        import_module("config.celery")
