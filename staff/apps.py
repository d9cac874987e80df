"""The app `staff`: who looks after the site."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig
from django.utils.translation import gettext_lazy as _


class StaffAdminConfig(AdminConfig):
    """Django's admin with `StaffSite` as its site."""

    default_site = "staff.site.StaffSite"


class StaffConfig(AppConfig):
    """Registers `staff` with Django."""

    name = "staff"
    verbose_name = _("Staff")
