"""The app `accounts`: who is playing."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    """Registers `accounts` with Django."""

    name = "accounts"
    verbose_name = _("Accounts")
