"""Computed strategies, kept so that a match never waits for one."""

from __future__ import annotations

from django.db import models
from django.db.models import Q


class Urgency(models.IntegerChoices):
    """Who waits for a strategy: the lower, the sooner; also the priority of its message."""

    MATCH = 0
    PRESET = 3
    CURIOSITY = 6


class StoredStrategy(models.Model):
    """The strategy of one distinct rule set, as JSON text; null while it is being computed.

    The key names the solver's version: what an older one gave is never used.
    """

    key = models.CharField(primary_key=True, max_length=200)
    strategy = models.TextField(null=True)  # noqa: DJ001
    urgency = models.PositiveSmallIntegerField(choices=Urgency.choices, default=Urgency.CURIOSITY)
    requested_at = models.DateTimeField()
    computed_at = models.DateTimeField(null=True)

    class Meta:
        indexes = (
            models.Index(
                fields=("urgency", "requested_at"),
                name="strategy_wanted",
                condition=Q(strategy__isnull=True),
            ),
        )

    def __str__(self) -> str:
        return self.key
