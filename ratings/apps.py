"""The app `ratings`: how strong the players are."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RatingsConfig(AppConfig):
    """Registers `ratings` with Django."""

    name = "ratings"
    verbose_name = _("Ratings")
