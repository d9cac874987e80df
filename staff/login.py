"""Signing in with a second factor: the code of an authenticator app, asked at once."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy
from django_otp import devices_for_user
from django_otp.forms import OTPAuthenticationFormMixin

TOO_OFTEN = ngettext_lazy(
    "The code was wrong %(failure_count)d time. Wait a little, then try again.",
    "The code was wrong %(failure_count)d times. Wait a little, then try again.",
    "failure_count",
)


class StaffLoginForm(OTPAuthenticationFormMixin, AdminAuthenticationForm):  # type: ignore[misc]
    """Name, password and code. Staff have one authenticator each (`manage.py staff_otp NAME`)."""

    otp_token = forms.CharField(
        label=_("Code of the authenticator app"),
        required=False,
        max_length=10,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"}),
    )
    otp_error_messages = {  # noqa: RUF012  (as the package asks for it)
        "token_required": _("Enter the code that your authenticator app shows."),
        "invalid_token": _("The code is wrong or too old. Enter the one that shows now."),
        "n_failed_attempts": TOO_OFTEN,
        "verification_not_allowed": _("Codes are not taken at present. Try again later."),
        "device_required": _("You have no authenticator yet: ask whoever runs the service."),
    }

    def clean(self) -> dict[str, Any]:
        """Refuse without the right code."""
        cleaned: dict[str, Any] = super().clean()
        self.clean_otp(self.get_user())
        return cleaned

    def _chosen_device(self, user: User) -> Any:
        return next(devices_for_user(user), None)

    def _update_form(self, user: User) -> None:
        """Unlike the package, never write the password into the page."""
