"""Django's admin as staff see it: signed in, with a second factor where that is asked."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest
from django.urls import path
from django.utils.translation import gettext_lazy as _

from staff.live import live
from staff.login import StaffLoginForm


class StaffSite(admin.AdminSite):
    """The staff's site at `/admin/`."""

    site_title = _("Staff")
    site_header = _("Staff")
    index_title = _("What to look after")
    site_url = "/"
    index_template = "staff/index.html"
    enable_nav_sidebar = False
    empty_value_display = "–"

    login_template = "staff/login.html"

    @property
    def login_form(self) -> type[AuthenticationForm]:  # type: ignore[override]
        """With a code where the setting asks for one."""
        return StaffLoginForm if settings.STAFF_SECOND_FACTOR else AdminAuthenticationForm

    def has_permission(self, request: HttpRequest) -> bool:
        """Staff alone, and with the second factor where the setting asks for it."""
        verified = not settings.STAFF_SECOND_FACTOR or _is_verified(request)
        return super().has_permission(request) and verified

    def get_urls(self) -> Any:
        """The pages of the models, and the live page."""
        return [path("live/", self.admin_view(live), name="live"), *super().get_urls()]


def _is_verified(request: HttpRequest) -> bool:
    user: Any = request.user
    return bool(user.is_verified())
