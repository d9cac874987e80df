"""Presence: which web processes live, who is connected through them, and when nobody could be."""

from __future__ import annotations

from django.db import models


class WebProcess(models.Model):
    """A web process and its last heartbeat, by the database's clock."""

    id = models.UUIDField(primary_key=True)
    started_at = models.DateTimeField()
    heartbeat_at = models.DateTimeField(db_index=True)
    stopped_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return str(self.id)


class Connection(models.Model):
    """An open socket of a player; it ends with its socket or with its process."""

    id = models.UUIDField(primary_key=True)
    process = models.ForeignKey(WebProcess, on_delete=models.CASCADE, related_name="connections")
    player = models.ForeignKey(
        "accounts.Player", on_delete=models.CASCADE, related_name="connections"
    )
    opened_at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.id)


class Watcher(models.Model):
    """A socket that watches a match at which its player has no seat."""

    socket = models.UUIDField()
    process = models.ForeignKey(WebProcess, on_delete=models.CASCADE, related_name="watchers")
    match = models.ForeignKey("tables.Match", on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("socket", "match"), name="one_watcher_per_socket"),
        )

    def __str__(self) -> str:
        return f"{self.socket} watches {self.match_id}"


class Presence(models.Model):
    """When a player was last known to be there, socket or not (api.md, Version)."""

    player = models.OneToOneField(
        "accounts.Player", on_delete=models.CASCADE, primary_key=True, related_name="presence"
    )
    gone_at = models.DateTimeField(null=True, help_text="When the last socket was last known.")
    match = models.ForeignKey(
        "tables.Match", null=True, on_delete=models.SET_NULL, related_name="+"
    )
    match_seen_at = models.DateTimeField(null=True, help_text="Last REST request for `match`.")
    party_seen_at = models.DateTimeField(null=True)
    queue_seen_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"presence of {self.player_id}"


class Outage(models.Model):
    """A time in which no web process lived; every deadline moves by it, once."""

    id = models.BigAutoField(primary_key=True)
    began_at = models.DateTimeField(unique=True)
    ended_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.began_at} to {self.ended_at}"
