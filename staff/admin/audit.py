"""The audit: who did what to whom, when and why."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from staff.models import StaffAction
from staff.pages import StaffPage


@admin.register(StaffAction)
class StaffActionAdmin(StaffPage):
    """Staff actions, to look at."""

    list_display = ("at", "actor_name", "kind", "target", "reason")
    list_filter = ("kind",)
    search_help_text = _("Id of an entry, player or match")
    find_by_id = ("pk", "player", "match")
    fields = (
        *("id", "at", "actor_name", "kind", "target", "player", "match"),
        *("reason", "before", "after"),
    )
