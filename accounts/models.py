"""Who plays: players, the devices that speak for them, and what belongs to a player alone."""

from datetime import datetime
from typing import ClassVar, Final

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext

from accounts import preferences
from accounts.ids import new_id
from accounts.languages import Language
from accounts.names import LONGEST_STORED
from accounts.preferences import Preferences

DIGEST_BYTES: Final = 32


class Player(models.Model):
    """Somebody who plays. The row stays when the account is deleted; the name goes."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    display_name = models.CharField(max_length=LONGEST_STORED, blank=True)
    name_key = models.CharField(max_length=LONGEST_STORED * 3, editable=False)
    """The name folded, for telling equals apart and for searching."""
    tag = models.CharField(max_length=8)
    settings = models.JSONField(default=dict)
    created_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True, blank=True)
    banned_at = models.DateTimeField(null=True, blank=True)
    banned_until = models.DateTimeField(null=True, blank=True)
    ban_reason = models.CharField(max_length=200, blank=True)

    # What Django and DRF ask of whoever a request is from.
    is_authenticated: ClassVar[bool] = True
    is_anonymous: ClassVar[bool] = False
    is_active: ClassVar[bool] = True
    is_staff: ClassVar[bool] = False

    class Meta:
        indexes: ClassVar = [
            # What staff search by: a name's beginning, whatever the collation, and a tag.
            models.Index(
                fields=["name_key"], name="player_name", opclasses=["varchar_pattern_ops"]
            ),
            models.Index(fields=["tag"], name="player_tag"),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["name_key", "tag"],
                condition=Q(deleted_at__isnull=True),
                name="player_told_apart",
            ),
            models.CheckConstraint(
                condition=Q(deleted_at__isnull=True) | Q(display_name=""),
                name="player_deleted_is_nameless",
            ),
            models.CheckConstraint(
                condition=Q(deleted_at__isnull=False) | ~Q(display_name=""),
                name="player_has_a_name",
            ),
            models.CheckConstraint(
                condition=Q(banned_at__isnull=False)
                | (Q(banned_until__isnull=True) & Q(ban_reason="")),
                name="player_ban_is_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.shown_name}#{self.tag}"

    @property
    def shown_name(self) -> str:
        """The name, or for a deleted account a neutral one in the present language."""
        return self.display_name or gettext("Deleted player")

    @property
    def preferences(self) -> Preferences:
        """The account's settings, with defaults for what was never set."""
        return preferences.stored(self.settings)

    @property
    def language(self) -> Language:
        """The language of messages that no request asks for."""
        return self.preferences.language

    def is_banned(self, now: datetime) -> bool:
        """Tell whether a ban is in force; one without an end lasts until it is lifted."""
        return self.banned_at is not None and (self.banned_until is None or now < self.banned_until)


class Device(models.Model):
    """A browser or program that may speak for a player."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="devices")
    browser = models.UUIDField()
    """The browser that it lives in, the same for every account of that browser."""
    label = models.CharField(max_length=80, blank=True)
    created_at = models.DateTimeField()
    last_used_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(
                fields=["player"], condition=Q(revoked_at__isnull=True), name="device_in_use"
            )
        ]

    def __str__(self) -> str:
        return self.label or str(self.id)


class DeviceToken(models.Model):
    """A secret that proves a device, as its digest.

    A device has one, or for a while several after a repeated creation (api.md,
    Idempotency-Key): `settles_at` is when the one not used last ends.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    device = models.ForeignKey(Device, on_delete=models.CASCADE, related_name="tokens")
    digest = models.BinaryField(max_length=DIGEST_BYTES, unique=True, editable=False)
    created_at = models.DateTimeField()
    last_used_at = models.DateTimeField()
    settles_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return str(self.id)


class TransferCode(models.Model):
    """The one live code that brings an account to another device, as its digest."""

    player = models.OneToOneField(
        Player, on_delete=models.CASCADE, primary_key=True, related_name="transfer_code"
    )
    digest = models.BinaryField(max_length=DIGEST_BYTES, unique=True, editable=False)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.player_id)


class RecoveryKey(models.Model):
    """The one key that brings a lost account back, as its digest."""

    player = models.OneToOneField(
        Player, on_delete=models.CASCADE, primary_key=True, related_name="recovery_key"
    )
    digest = models.BinaryField(max_length=DIGEST_BYTES, unique=True, editable=False)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.player_id)


class SignIn(models.Model):
    """A signing-in that may be asked for again: its scope gives the same account once more.

    The scope is the digest of an Idempotency-Key or of a CSRF token (api.md, Idempotency-Key).
    """

    scope = models.BinaryField(primary_key=True, max_length=DIGEST_BYTES, editable=False)
    content = models.BinaryField(max_length=DIGEST_BYTES, editable=False)
    device = models.ForeignKey(Device, on_delete=models.CASCADE, related_name="+")
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return str(self.device_id)


class Block(models.Model):
    """A player who wants nothing to do with another."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    blocker = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="blocks")
    blocked = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="blocked_by")
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["blocker", "blocked"], name="block_once"),
            models.CheckConstraint(condition=~Q(blocker=F("blocked")), name="block_somebody_else"),
        ]

    def __str__(self) -> str:
        return f"{self.blocker_id} {self.blocked_id}"


class NoticeKind(models.TextChoices):
    """What a notice is about (api.md, WebSocket)."""

    ANNOUNCEMENT = "announcement"
    MAINTENANCE = "maintenance"
    DEVICE_ADDED = "device_added"
    DEVICE_SIGNED_OUT = "device_signed_out"
    PENALTY = "penalty"
    BAN = "ban"
    RENAMED = "renamed"
    MATCH_VOIDED = "match_voided"
    MATCH_RESTORED = "match_restored"
    SEASON = "season"


class NoticeLevel(models.TextChoices):
    """How much a notice matters."""

    INFO = "info"
    WARNING = "warning"
    URGENT = "urgent"


class Notice(models.Model):
    """Something that staff or the system told one player."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=20, choices=NoticeKind)
    level = models.CharField(max_length=10, choices=NoticeLevel, default=NoticeLevel.INFO)
    values = models.JSONField(default=dict)
    """What the text of this kind is filled with."""
    text = models.CharField(max_length=500, blank=True)
    """Staff's own words; without them the kind's text is said in the reader's language."""
    until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["player"], condition=Q(read_at__isnull=True), name="notice_unread")
        ]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(kind__in=NoticeKind.values), name="notice_kind_known"
            ),
            models.CheckConstraint(
                condition=Q(level__in=NoticeLevel.values), name="notice_level_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.player_id}"


class IdempotencyRecord(models.Model):
    """An answer given once and kept, so that the same request is answered the same way again."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    player = models.ForeignKey(Player, on_delete=models.CASCADE, related_name="+")
    key = models.BinaryField(max_length=DIGEST_BYTES, editable=False)
    request = models.BinaryField(max_length=DIGEST_BYTES, editable=False)
    status = models.PositiveSmallIntegerField()
    body = models.TextField()
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["player", "key"], name="idempotency_key_once")
        ]

    def __str__(self) -> str:
        return str(self.id)


class AnnouncementLevel(models.TextChoices):
    """How much an announcement matters; maintenance may say when the service is back."""

    INFO = "info"
    WARNING = "warning"
    MAINTENANCE = "maintenance"


class Announcement(models.Model):
    """What staff tell everybody, shown by every client from `starts_at` until `ends_at`."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    level = models.CharField(max_length=11, choices=AnnouncementLevel)
    text_ja = models.CharField(max_length=300)
    text_en = models.CharField(max_length=300)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True)
    restart_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["starts_at"], name="announcement_start")]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(level__in=AnnouncementLevel.values), name="announcement_level_known"
            ),
            models.CheckConstraint(
                condition=~Q(text_ja="") & ~Q(text_en=""), name="announcement_in_both_languages"
            ),
            models.CheckConstraint(
                condition=Q(ends_at__isnull=True) | Q(ends_at__gte=F("starts_at")),
                name="announcement_ends_after_it_starts",
            ),
            models.CheckConstraint(
                condition=Q(restart_at__isnull=True) | Q(level=AnnouncementLevel.MAINTENANCE),
                name="announcement_restart_is_maintenance",
            ),
        ]

    def __str__(self) -> str:
        return self.text_en

    def text(self, language: str) -> str:
        """The words in one of the two languages."""
        return self.text_ja if language == Language.JAPANESE else self.text_en
