"""The staff's pages for accounts: to look, without any secret in them."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from accounts.models import Block, Device, Notice, Player


class ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """Pages that show and change nothing: what staff do goes through services."""

    show_full_result_count = False
    list_per_page = 25

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nothing is added by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nothing is changed by hand."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nothing is deleted by hand."""
        return False


@admin.register(Player)
class PlayerAdmin(ReadOnly):
    """Players."""

    list_display = ("display_name", "tag", "created_at", "banned_at", "deleted_at")
    search_fields = ("=id", "name_key__startswith", "=tag")
    fields = (
        *("id", "display_name", "tag", "settings", "created_at", "deleted_at"),
        *("banned_at", "banned_until", "ban_reason"),
    )
    ordering = ("-id",)


@admin.register(Device)
class DeviceAdmin(ReadOnly):
    """Devices; their tokens are nowhere to be seen."""

    list_display = ("id", "player", "label", "created_at", "last_used_at", "revoked_at")
    list_select_related = ("player",)
    search_fields = ("=id", "=player__id", "=browser")
    fields = ("id", "player", "browser", "label", "created_at", "last_used_at", "revoked_at")
    ordering = ("-id",)


@admin.register(Notice)
class NoticeAdmin(ReadOnly):
    """What players were told."""

    list_display = ("player", "kind", "level", "created_at", "read_at")
    list_select_related = ("player",)
    search_fields = ("=id", "=player__id")
    ordering = ("-id",)


@admin.register(Block)
class BlockAdmin(ReadOnly):
    """Who blocks whom."""

    list_display = ("blocker", "blocked", "created_at")
    list_select_related = ("blocker", "blocked")
    search_fields = ("=blocker__id", "=blocked__id")
    ordering = ("-id",)
