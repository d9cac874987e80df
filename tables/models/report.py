"""What players report of others, and what staff made of it."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from accounts.ids import new_id


class ReportReason(models.TextChoices):
    """What a player is reported for (api.md, reports/)."""

    NAME = "name"
    CHEATING = "cheating"
    STALLING = "stalling"
    OTHER = "other"


class ReportState(models.TextChoices):
    """Where a report stands."""

    OPEN = "open"
    WATCHING = "watching"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"


class Report(models.Model):
    """A player's report of another; `note` is staff's, and shown to nobody else."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    reporter = models.ForeignKey("accounts.Player", on_delete=models.PROTECT, related_name="+")
    player = models.ForeignKey("accounts.Player", on_delete=models.PROTECT, related_name="+")
    match = models.ForeignKey("tables.Match", null=True, on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=8, choices=ReportReason.choices)
    text = models.CharField(max_length=500, blank=True)
    state = models.CharField(
        max_length=9, choices=ReportState.choices, default=ReportState.OPEN, db_index=True
    )
    note = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("reporter", "player", "match"),
                condition=Q(match__isnull=False),
                name="one_report_per_match_and_player",
            ),
            models.UniqueConstraint(
                fields=("reporter", "player"),
                condition=Q(match__isnull=True, state=ReportState.OPEN),
                name="one_open_report_without_a_match",
            ),
            models.CheckConstraint(condition=~Q(reporter=F("player")), name="report_somebody_else"),
            models.CheckConstraint(
                condition=Q(reason__in=ReportReason.values), name="report_reason_known"
            ),
            models.CheckConstraint(
                condition=Q(state__in=ReportState.values), name="report_state_known"
            ),
        )

    def __str__(self) -> str:
        return f"{self.reason} {self.player_id}"
