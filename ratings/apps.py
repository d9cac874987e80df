"""The app `ratings`: how strong the players are."""

from django.apps import AppConfig


class RatingsConfig(AppConfig):
    """Registers `ratings` with Django."""

    name = "ratings"
