"""Parties: who waits together, under which house rules, and who may not come back."""

from __future__ import annotations

from django.db import models

from accounts.ids import new_id

MAX_MEMBERS = 6


class Party(models.Model):
    """A lobby of one to six players; it lives as long as it has a member.

    Whether it is open or playing is derived from its live match, so that the two cannot disagree.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    code = models.CharField(max_length=6, unique=True)
    host = models.ForeignKey("accounts.Player", on_delete=models.PROTECT, related_name="+")
    rules = models.TextField(help_text="The options in force, as JSON.")
    changed = models.JSONField(default=list, help_text="Keys of the last change of rules.")
    watchable = models.BooleanField(default=False)
    version = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.code


class PartyMember(models.Model):
    """A player's place in their one party."""

    party = models.ForeignKey(Party, on_delete=models.CASCADE, related_name="members")
    player = models.OneToOneField(
        "accounts.Player", on_delete=models.PROTECT, related_name="party_member"
    )
    joined_at = models.DateTimeField()
    ready = models.BooleanField(default=False)
    connected = models.BooleanField(default=True, help_text="As the members were last told.")

    class Meta:
        ordering = ("id",)  # in which they have joined, whatever the clocks said

    def __str__(self) -> str:
        return f"{self.player_id} in {self.party_id}"


class PartyKick(models.Model):
    """A player who may not come back to a party."""

    party = models.ForeignKey(Party, on_delete=models.CASCADE, related_name="kicks")
    player = models.ForeignKey("accounts.Player", on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("party", "player"), name="one_kick_per_player"),
        )

    def __str__(self) -> str:
        return f"{self.player_id} kicked from {self.party_id}"
