"""Ratings, seasons, and the rated matches that they follow from.

What matches were rated (`RatedMatch`) and when seasons changed is the truth. Everything else
follows from it and exists in generations: a recomputation writes a new one beside the present
one and then moves the pointer (`RatingHead`), so that readers see the old numbers or the new
ones (ratings.md RT3.2). Ratings are whole thousandths of a point everywhere.
"""

from typing import ClassVar, Final

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import F, Q

from accounts.ids import new_id
from accounts.models import Player

COARSE: Final = 50
"""How many shown ratings make one slot of a board's coarse counts."""


class SeasonStatus(models.TextChoices):
    """Where a season stands."""

    PLANNED = "planned"
    RUNNING = "running"
    FINISHED = "finished"


class Season(models.Model):
    """A season and its numbers, which may be changed only before it begins (RT3.4)."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    number = models.PositiveIntegerField(unique=True)
    status = models.CharField(
        max_length=8, choices=SeasonStatus, default=SeasonStatus.PLANNED, editable=False
    )
    starts_at = models.DateTimeField()
    """When it began; of a planned one, when it is to begin."""
    ends_at = models.DateTimeField(null=True, blank=True)
    """When it ended, or is to end; without, it runs until staff change it."""
    k = models.PositiveSmallIntegerField(default=16)
    provisional_k = models.PositiveSmallIntegerField(default=32)
    provisional_matches = models.PositiveSmallIntegerField(default=20)
    opened_seq = models.BigIntegerField(null=True, unique=True, editable=False)
    """Its beginning as an entry of the rating sequence."""
    surplus = models.BigIntegerField(null=True, editable=False)
    """Sum of all ratings less 1500.000 each when it began, in thousandths: what the rounding of
    the move into it left over."""

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["status"],
                condition=Q(status=SeasonStatus.RUNNING),
                name="one_running_season",
            ),
            models.CheckConstraint(
                condition=Q(status__in=SeasonStatus.values), name="season_status_known"
            ),
            models.CheckConstraint(
                condition=Q(status=SeasonStatus.PLANNED) ^ Q(opened_seq__isnull=False),
                name="season_that_began_has_its_entry",
            ),
            models.CheckConstraint(
                condition=Q(k__gt=0) & Q(provisional_k__gt=0), name="season_moves_ratings"
            ),
            models.CheckConstraint(
                condition=Q(ends_at__isnull=True) | Q(ends_at__gte=F("starts_at")),
                name="season_ends_after_it_starts",
            ),
        ]

    def __str__(self) -> str:
        return f"Season {self.number}"


class RatedMatch(models.Model):
    """One rated match, written once: who played, how they were placed, whether it counts now.

    Arrays are in order of seats. `places` are those of RT1.1 (idle players last); `parties`
    number the parties within the match, 0 for who came alone.
    """

    match_id = models.UUIDField(primary_key=True)
    seq = models.BigIntegerField(unique=True)
    season = models.ForeignKey(
        Season, on_delete=models.PROTECT, to_field="number", related_name="+", db_index=False
    )
    finished_at = models.DateTimeField()
    players = ArrayField(models.UUIDField())
    places = ArrayField(models.SmallIntegerField())
    parties = ArrayField(models.SmallIntegerField())
    counted = models.BooleanField(default=True)

    class Meta:
        indexes: ClassVar = [GinIndex(fields=["players"], name="rated_match_players")]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(players__len__gte=2)
                & Q(places__len=F("players__len"))
                & Q(parties__len=F("players__len")),
                name="rated_match_is_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.seq}: {self.match_id}"


class MatchTransfers(models.Model):
    """What a rated match moved, in one generation: ratings before it by seat, and the points of
    each pair (`elo.transfers`). Both are empty where the match does not count.

    A row holds until a later generation has one of the same match.
    """

    pk = models.CompositePrimaryKey("seq", "generation")
    seq = models.BigIntegerField()
    generation = models.PositiveIntegerField()
    before = ArrayField(models.IntegerField())
    transfers = ArrayField(models.IntegerField())

    def __str__(self) -> str:
        return f"{self.seq} in generation {self.generation}"


class Rating(models.Model):
    """A player's rating in a season, in one generation. Who has not played in the season has no
    row: their rating is the last season's, moved (RT3.4)."""

    pk = models.CompositePrimaryKey("generation", "player_id", "season_id")
    generation = models.PositiveIntegerField()
    player = models.ForeignKey(
        Player, on_delete=models.PROTECT, related_name="ratings", db_index=False
    )
    season = models.ForeignKey(
        Season,
        on_delete=models.PROTECT,
        to_field="number",
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    rating = models.IntegerField()
    matches = models.PositiveIntegerField()
    peak = models.IntegerField()
    last_at = models.DateTimeField()
    """When the player's last rated match of the season finished."""
    shown = models.IntegerField()
    """The rating in whole points, by which boards order and rank (RT4.1)."""
    on_board = models.BooleanField()
    barred = models.BooleanField()
    """Whether the player was banned or deleted when the flag above was last set."""

    class Meta:
        indexes: ClassVar = [
            models.Index(
                F("generation"),
                F("season_id"),
                -F("shown"),
                F("player_id"),
                name="rating_board",
                condition=Q(on_board=True),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.player_id} in season {self.season_id}"


class CountLevel(models.IntegerChoices):
    """How finely a board's players are counted."""

    FINE = 0
    COARSE = 1


class BoardCount(models.Model):
    """How many players of a board show a rating (fine) or one of `COARSE` neighbouring ratings
    (coarse): together they answer any rank in constant time (RT4.3)."""

    pk = models.CompositePrimaryKey("generation", "season_id", "level", "slot")
    generation = models.PositiveIntegerField()
    season = models.ForeignKey(
        Season,
        on_delete=models.PROTECT,
        to_field="number",
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    level = models.PositiveSmallIntegerField(choices=CountLevel)
    slot = models.IntegerField()
    players = models.IntegerField()

    def __str__(self) -> str:
        return f"{self.players} at {self.slot}"


class BoardChange(models.Model):
    """A player came to (+1) or left (-1) a shown rating of a board; appended, never updated, and
    rolled up into the counts by a job."""

    id = models.BigAutoField(primary_key=True)
    generation = models.PositiveIntegerField()
    season = models.ForeignKey(
        Season,
        on_delete=models.PROTECT,
        to_field="number",
        related_name="+",
        db_index=False,
        db_constraint=False,
    )
    shown = models.IntegerField()
    change = models.SmallIntegerField()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["generation", "season"], name="board_change_board")
        ]

    def __str__(self) -> str:
        return f"{self.change:+} at {self.shown}"


class Correction(models.Model):
    """Staff made a match count no more, or again; it shows from the generation that applied it."""

    id = models.BigAutoField(primary_key=True)
    match = models.ForeignKey(RatedMatch, on_delete=models.PROTECT, related_name="corrections")
    counted = models.BooleanField()
    made_at = models.DateTimeField()
    generation = models.PositiveIntegerField(null=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(
                fields=["id"], condition=Q(generation__isnull=True), name="correction_pending"
            )
        ]

    def __str__(self) -> str:
        return f"{self.match_id} {'counts' if self.counted else 'does not count'}"


class RatingHead(models.Model):
    """The one row that says which generation is in force."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    generation = models.PositiveIntegerField(default=1)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(id=1), name="one_rating_head"),
        ]

    def __str__(self) -> str:
        return f"generation {self.generation}"


class FlagKind(models.TextChoices):
    """What looks as if one person played their own accounts against each other."""

    SAME_BROWSER = "same_browser"
    SAME_NETWORK = "same_network"
    ONE_SIDED = "one_sided"


class FlagState(models.TextChoices):
    """What staff made of a flag."""

    OPEN = "open"
    WATCHING = "watching"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"


class Flag(models.Model):
    """Two opponents of ranked matches whom staff should look at; nothing follows by machine.

    One a kind and pair, for ever: whatever else is found goes into `details`, and what staff made
    of it stays. `match` is the latest; `note` is staff's, and shown to nobody else.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    kind = models.CharField(max_length=16, choices=FlagKind.choices)
    players = ArrayField(models.UUIDField(), size=2)
    """The pair, the lower id first."""
    match = models.UUIDField()
    details = models.JSONField(default=dict)
    state = models.CharField(
        max_length=9, choices=FlagState.choices, default=FlagState.OPEN, db_index=True
    )
    note = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField(db_index=True)

    class Meta:
        indexes: ClassVar = [GinIndex(fields=["players"], name="flag_players")]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["kind", "players"], name="one_flag_a_kind_and_pair"),
            models.CheckConstraint(
                condition=Q(players__len=2) & Q(players__0__lt=F("players__1")),
                name="flag_is_of_a_pair",
            ),
            models.CheckConstraint(condition=Q(kind__in=FlagKind.values), name="flag_kind_known"),
            models.CheckConstraint(
                condition=Q(state__in=FlagState.values), name="flag_state_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.players}"
