"""The ranked queue: who waits, who is asked, who may not, and what waiting was like."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from accounts.ids import new_id


class ReadyCheck(models.Model):
    """Tickets that may become one match, while their members are asked (matchmaking.md 4).

    Whoever changes one holds all of its tickets. It ends with its row: as a match or not.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    opened_at = models.DateTimeField()
    deadline = models.DateTimeField(db_index=True)
    size = models.PositiveSmallIntegerField(help_text="Players who were asked.")
    quality = models.FloatField(help_text="Of the pairing, 0 to 1.")
    failed = models.BooleanField(default=False, help_text="Somebody has declined.")

    def __str__(self) -> str:
        return str(self.id)


class Ticket(models.Model):
    """A player or a whole party that waits for a ranked match; it ends with its row."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    party = models.OneToOneField(
        "tables.Party", null=True, on_delete=models.SET_NULL, related_name="ticket"
    )
    since = models.DateTimeField(help_text="Waiting time counts from here; an outage moves it.")
    front = models.BooleanField(default=False, help_text="Sent back by others' failed check.")
    ready_check = models.ForeignKey(
        ReadyCheck, null=True, on_delete=models.SET_NULL, related_name="tickets"
    )

    class Meta:
        indexes = (
            models.Index(
                fields=("since",), name="ticket_waiting", condition=Q(ready_check__isnull=True)
            ),
        )

    def __str__(self) -> str:
        return str(self.id)


class TicketMember(models.Model):
    """A player's place on their one live ticket; `browsers` are those of their devices."""

    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="members")
    player = models.OneToOneField(
        "accounts.Player", on_delete=models.PROTECT, related_name="ticket_member"
    )
    browsers = ArrayField(models.UUIDField())
    accepted = models.BooleanField(default=False, help_text="The present ready check.")
    network = models.BinaryField(
        null=True, editable=False, help_text="A keyed digest of where the player accepted from."
    )

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"{self.player_id} on {self.ticket_id}"


class Offence(models.TextChoices):
    """What keeps a player out of the queue for a while (matchmaking.md 5)."""

    DECLINED = "declined"
    NO_ANSWER = "no_answer"
    CPU_PLAYED = "cpu_played"


class Penalty(models.Model):
    """An offence, and until when it keeps the player out; the first is only counted."""

    id = models.BigAutoField(primary_key=True)
    player = models.ForeignKey(
        "accounts.Player", on_delete=models.PROTECT, related_name="penalties"
    )
    offence = models.CharField(max_length=10, choices=Offence.choices)
    at = models.DateTimeField()
    until = models.DateTimeField()

    class Meta:
        indexes = (models.Index(fields=("player", "-at"), name="penalty_latest"),)

    def __str__(self) -> str:
        return f"{self.player_id} until {self.until}"


class MatchedWait(models.Model):
    """How long a ticket waited that became part of a match: what estimates are made of."""

    id = models.BigAutoField(primary_key=True)
    at = models.DateTimeField(db_index=True)
    seconds = models.FloatField()
    players = models.PositiveSmallIntegerField()

    def __str__(self) -> str:
        return f"{self.seconds} s"


class QueueState(models.Model):
    """The queue as a whole, in one row: whether it is open, and the figures of its waves.

    `waiting`, `matched` and `missed` count tickets of the last wave that had any; totals are since
    the row was made.
    """

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    closed = models.BooleanField(default=False)
    wave_at = models.DateTimeField(null=True)
    waves = models.PositiveBigIntegerField(default=0)
    waiting = models.PositiveIntegerField(default=0)
    matched = models.PositiveIntegerField(default=0)
    missed = models.PositiveIntegerField(default=0)
    mean_wait = models.FloatField(null=True, help_text="Seconds, of the matched.")
    mean_spread = models.FloatField(null=True, help_text="Points, of the groups.")
    seconds = models.FloatField(default=0.0, help_text="Time taken.")
    matched_total = models.PositiveBigIntegerField(default=0)
    failed_builds = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = (
            models.CheckConstraint(condition=Q(id=1), name="one_row_of_the_queues_state"),
        )

    def __str__(self) -> str:
        return "closed" if self.closed else "open"
