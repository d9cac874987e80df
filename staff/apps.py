"""The app `staff`: who looks after the site."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class StaffConfig(AppConfig):
    """Registers `staff` with Django."""

    name = "staff"
    verbose_name = _("Staff")
