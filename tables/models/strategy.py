"""Computed strategies, kept so that a match never waits for one."""

from __future__ import annotations

from django.db import models


class StoredStrategy(models.Model):
    """The strategy of one distinct rule set, as JSON text; null while it is being computed."""

    key = models.CharField(primary_key=True, max_length=200)
    strategy = models.TextField(null=True)  # noqa: DJ001
    requested_at = models.DateTimeField()
    computed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.key
