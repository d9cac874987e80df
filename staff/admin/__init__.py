"""The pages at `/admin/`."""

from django.contrib import admin
from django_otp.plugins.otp_totp.models import TOTPDevice

from staff.admin import audit, flags, matches, people, players, queue, ratings, words

__all__ = ["audit", "flags", "matches", "people", "players", "queue", "ratings", "words"]

admin.site.unregister(TOTPDevice)  # its page shows the secret
