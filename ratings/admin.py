"""Seasons and rated matches for staff; numbers of a season may be changed until it begins."""

from typing import Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest

from ratings.models import RatedMatch, Season, SeasonStatus


@admin.register(Season)
class SeasonAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """Seasons; they begin and end by `change_season`."""

    list_display = ("number", "status", "starts_at", "ends_at", "k", "provisional_k", "surplus")
    ordering = ("-number",)
    fields = (
        "number",
        "status",
        "starts_at",
        "ends_at",
        "k",
        "provisional_k",
        "provisional_matches",
        "surplus",
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Season | None = None) -> Any:
        """A season that has begun keeps its numbers; when it ends may still be planned."""
        fixed = ("status", "surplus")
        if obj is None or obj.status == SeasonStatus.PLANNED:
            return fixed
        open_end = ("ends_at",) if obj.status == SeasonStatus.RUNNING else ()
        return tuple(name for name in self.fields if name not in open_end)

    def has_delete_permission(self, request: HttpRequest, obj: Season | None = None) -> bool:
        """Ratings follow from seasons; none is ever deleted."""
        return False


@admin.register(RatedMatch)
class RatedMatchAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # likewise
    """Rated matches, to look at; staff void them where matches are."""

    list_display = ("seq", "match_id", "season_id", "finished_at", "counted")
    search_fields = ("match_id__exact",)
    search_help_text = "Match id"
    ordering = ("-seq",)
    show_full_result_count = False
    list_per_page = 25
    readonly_fields: ClassVar = [field.name for field in RatedMatch._meta.fields]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """They come from play."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: RatedMatch | None = None) -> bool:
        """Ratings follow from them; a wrong one is voided."""
        return False
