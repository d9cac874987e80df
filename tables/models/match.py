"""Matches: one row of present state, and an append-only record of every step that led to it."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from accounts.ids import new_id


class MatchKind(models.TextChoices):
    """How a match came about."""

    RANKED = "ranked"
    PARTY = "party"
    SOLO = "solo"


class MatchStatus(models.TextChoices):
    """Whether a match goes on, counts, or has been voided."""

    PLAYING = "playing"
    FINISHED = "finished"
    VOID = "void"


class Match(models.Model):
    """A match: the engine's state and its seating as text, with what is searched on as columns.

    `state` and `seating` are JSON written by their codecs and never looked into by the database
    (text costs half of what jsonb does, and is compared byte for byte).
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    kind = models.CharField(max_length=8, choices=MatchKind.choices)
    status = models.CharField(
        max_length=8, choices=MatchStatus.choices, default=MatchStatus.PLAYING
    )
    version = models.PositiveIntegerField(default=0)
    seq = models.PositiveIntegerField(default=0, help_text="Number of the last event.")
    news = models.PositiveIntegerField(
        db_default=0, help_text="Messages that went out about it, presence included."
    )
    rules = models.TextField(help_text="The options in force, as JSON.")
    state = models.TextField()
    seating = models.TextField()
    wake_at = models.DateTimeField(null=True)
    party = models.ForeignKey(
        "tables.Party", null=True, on_delete=models.SET_NULL, related_name="matches"
    )
    watchable = models.BooleanField(default=False)
    watchers = models.PositiveIntegerField(default=0)
    quality = models.FloatField(null=True, help_text="Of a ranked pairing, 0 to 1.")
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        indexes = (
            models.Index(fields=("wake_at",), name="match_due", condition=Q(wake_at__isnull=False)),
            models.Index(
                fields=("-started_at", "-id"),
                name="match_live",
                condition=Q(status=MatchStatus.PLAYING),
            ),
            models.Index(fields=("finished_at", "id"), name="match_finished"),
            models.Index(fields=("kind", "-id"), name="match_kind"),
        )
        constraints = (
            models.UniqueConstraint(
                fields=("party",),
                condition=Q(status=MatchStatus.PLAYING, party__isnull=False),
                name="one_live_match_per_party",
            ),
        )

    def __str__(self) -> str:
        return str(self.id)


class Outcome(models.TextChoices):
    """How a finished match ended for a seat."""

    WIN = "win"
    DRAW = "draw"
    LOSE = "lose"


class Seat(models.Model):
    """A player's place at a match; its counts are filled in when the match ends.

    `live` is true while the seat ties its player to the match: not after they have left it.
    """

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="seats")
    number = models.PositiveSmallIntegerField()
    player = models.ForeignKey("accounts.Player", on_delete=models.PROTECT, related_name="seats")
    party_id = models.UUIDField(null=True, help_text="The party the player came with.")
    live = models.BooleanField(default=True)
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)
    kind = models.CharField(max_length=8, choices=MatchKind.choices)
    place = models.PositiveSmallIntegerField(null=True)
    outcome = models.CharField(max_length=4, choices=Outcome.choices, null=True)  # noqa: DJ001
    chips = models.IntegerField(null=True)
    own_decisions = models.PositiveIntegerField(default=0)
    cpu_decisions = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("match", "number"), name="one_player_per_seat"),
            models.UniqueConstraint(fields=("match", "player"), name="one_seat_per_player"),
            models.UniqueConstraint(
                fields=("player",), condition=Q(live=True), name="one_live_match_per_player"
            ),
        )
        indexes = (models.Index(fields=("player", "-started_at", "-match"), name="seat_history"),)

    def __str__(self) -> str:
        return f"seat {self.number} of {self.match_id}"


class StepKind(models.TextChoices):
    """What moved a match on."""

    STARTED = "started"
    DECISION = "decision"
    CONTROL = "control"
    CLOCK = "clock"
    VOIDED = "voided"
    RESTORED = "restored"


class MatchStep(models.Model):
    """One step of a match, never changed: what was done, with which seeds, and what happened.

    `payload` and `events` are JSON texts; `seeds` are the hex seeds that the step drew, for a
    replay. Events hold only what everybody may see; seeds must never leave before their time.
    """

    id = models.BigAutoField(primary_key=True)
    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="steps")
    first_seq = models.PositiveIntegerField()
    last_seq = models.PositiveIntegerField()
    version = models.PositiveIntegerField()
    kind = models.CharField(max_length=8, choices=StepKind.choices)
    seat = models.PositiveSmallIntegerField(null=True)
    action_id = models.CharField(max_length=64, null=True)  # noqa: DJ001
    payload = models.TextField()
    seeds = models.JSONField(null=True)
    events = models.TextField()
    at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("match", "first_seq"), name="one_step_per_seq"),
            models.UniqueConstraint(
                fields=("match", "version"),
                condition=Q(kind__in=("started", "decision", "control")),
                name="one_step_per_version",
            ),
            models.UniqueConstraint(
                fields=("match", "seat", "action_id"),
                condition=Q(action_id__isnull=False),
                name="an_action_acts_once",
            ),
        )

    def __str__(self) -> str:
        return f"{self.match_id} #{self.first_seq}"


class MatchRound(models.Model):
    """A settled round, in the shape of `rounds` of engine-cli.md, as JSON text."""

    match = models.ForeignKey(Match, on_delete=models.PROTECT, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    record = models.TextField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("match", "number"), name="one_record_per_round"),
        )

    def __str__(self) -> str:
        return f"round {self.number} of {self.match_id}"


class SeatStatistics(models.Model):
    """What happened at a seat over a whole match, counted when it ended."""

    seat = models.OneToOneField(
        Seat, on_delete=models.PROTECT, primary_key=True, related_name="statistics"
    )
    player = models.ForeignKey("accounts.Player", on_delete=models.PROTECT, related_name="+")
    rounds = models.PositiveIntegerField()
    blackjacks = models.PositiveIntegerField()
    wins = models.PositiveIntegerField()
    pushes = models.PositiveIntegerField()
    losses = models.PositiveIntegerField()
    busts = models.PositiveIntegerField()
    surrenders = models.PositiveIntegerField()
    doubles = models.PositiveIntegerField()
    splits = models.PositiveIntegerField()
    insurance_taken = models.PositiveIntegerField()
    insurance_won = models.PositiveIntegerField()
    chips_placed = models.PositiveBigIntegerField()
    chips_returned = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return f"statistics of {self.seat_id}"


class MatchShare(models.Model):
    """A read-only alias of a match in which names are seats."""

    id = models.UUIDField(primary_key=True, editable=False)
    match = models.OneToOneField(Match, on_delete=models.PROTECT, related_name="share")
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.id)
