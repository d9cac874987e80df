"""The app `accounts`: who is playing."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Registers `accounts` with Django."""

    name = "accounts"
