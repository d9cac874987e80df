"""Staff accounts and their roles; nobody is deleted, since the audit names them."""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from staff.models import Kind
from staff.pages import Section, StaffPage

admin.site.unregister(User)
admin.site.unregister(Group)


@admin.register(User)
class StaffUserAdmin(UserAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """Who is of the staff, in which role."""

    list_display = ("username", "is_active", "is_staff", "last_login")
    list_filter = ("is_active", "groups")
    search_fields = ("username",)
    ordering = ("username",)
    actions = None
    show_facets = admin.ShowFacets.NEVER
    change_list_template = "staff/list.html"
    search_help_text = _("Part of a login name")
    filter_horizontal = ()
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        (_("Role"), {"fields": ("is_active", "is_staff", "groups")}),
    )
    readonly_fields = ("last_login",)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Who has left is made inactive."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A superuser is changed by superusers alone."""
        above = obj is not None and obj.is_superuser and not request.user.is_superuser
        return super().has_change_permission(request, obj) and not above


@admin.register(Group)
class RoleAdmin(StaffPage):
    """Roles, as the migrations make them."""

    nouns = (_("role"), _("roles"))
    list_display = ("name",)
    fields = ("name",)
    ordering = ("name",)

    def sections(self, request: HttpRequest, found: Any) -> Iterable[Section]:
        """What the role may do."""
        rights = found.permissions.filter(content_type__app_label="staff")
        kinds = rights.filter(codename__in=Kind.values).order_by("id")
        yield Section(
            title=_("Actions"),
            heads=(_("Action"),),
            rows=[(Kind(code).label,) for code in kinds.values_list("codename", flat=True)],
        )
