"""The app `tables`: where players meet and play."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _

from tables import metrics


class TablesConfig(AppConfig):
    """Registers `tables` with Django, and its figures with Prometheus."""

    name = "tables"
    verbose_name = _("Tables")

    def ready(self) -> None:
        """Have `/metrics` tell how play goes."""
        metrics.register()
