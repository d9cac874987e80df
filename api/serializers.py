"""The shapes of accounts in REST: what is read from requests and what answers hold."""

from typing import Any
from uuid import UUID

from django.utils.translation import get_language
from rest_framework import serializers

from accounts.languages import Language
from accounts.models import (
    Announcement,
    AnnouncementLevel,
    Block,
    Device,
    Notice,
    NoticeKind,
    NoticeLevel,
    Player,
)
from accounts.preferences import Motion, Theme
from accounts.selectors import unread
from api.fields import Flag, Text, Whole
from api.notice_texts import text_of
from tables.models import Report, ReportReason


class SettingsSerializer(serializers.Serializer[Any]):
    """The settings of an account."""

    language = serializers.ChoiceField(choices=[language.value for language in Language])
    theme = serializers.ChoiceField(choices=[theme.value for theme in Theme])
    motion = serializers.ChoiceField(choices=[motion.value for motion in Motion])
    volume = Whole(min_value=0, max_value=100)
    vibration = Flag()
    four_colours = Flag()
    shortcuts = Flag()
    advice = Flag()
    hide_ratings = Flag()
    confirm_over = Whole(min_value=0, max_value=100, allow_null=True)


class PlayerSerializer(serializers.Serializer[Player]):
    """A player as everybody sees one."""

    id = serializers.UUIDField(read_only=True)
    display_name = serializers.CharField(source="shown_name", read_only=True)
    tag = serializers.CharField(read_only=True)


class ProfileSerializer(PlayerSerializer):
    """A public profile."""

    deleted = serializers.SerializerMethodField()
    created_at = serializers.DateTimeField(read_only=True)
    rating = serializers.JSONField(read_only=True, allow_null=True)
    rank = serializers.IntegerField(read_only=True, allow_null=True)
    results = serializers.JSONField(read_only=True, allow_null=True)

    def get_deleted(self, player: Player) -> bool:
        """Whether the account was deleted."""
        return player.deleted_at is not None

    def to_representation(self, instance: Player) -> dict[str, Any]:
        """Add what the context knows of the player's matches."""
        record = self.context["record"]
        shown = {
            name: field.to_representation(field.get_attribute(instance))
            for name, field in self.fields.items()
            if name not in ("rating", "rank", "results")
        }
        return {**shown, "rating": record.rating, "rank": record.rank, "results": record.results}


class StopSerializer(serializers.Serializer[Any]):
    """What keeps a player from playing, why, and until when (null: until it is lifted)."""

    until = serializers.DateTimeField(allow_null=True)
    reason = serializers.CharField()


class OwnPlayerSerializer(PlayerSerializer):
    """A player as they see themselves."""

    created_at = serializers.DateTimeField(read_only=True)
    settings = SettingsSerializer(source="preferences", read_only=True)
    party = serializers.CharField(read_only=True, allow_null=True)
    match = serializers.UUIDField(read_only=True, allow_null=True)
    queue = serializers.JSONField(read_only=True, allow_null=True)
    penalty = StopSerializer(read_only=True, allow_null=True)
    ban = StopSerializer(read_only=True, allow_null=True)
    unread = serializers.IntegerField(read_only=True)

    def to_representation(self, instance: Player) -> dict[str, Any]:
        """Add what the context knows: the moment and the player's standing."""
        now, standing = self.context["now"], self.context["standing"]
        banned = instance.is_banned(now)
        elsewhere = {
            "party": standing.party,
            "match": standing.match,
            "queue": standing.queue,
            "penalty": standing.penalty,
            "ban": {"until": instance.banned_until, "reason": instance.ban_reason}
            if banned
            else None,
            "unread": unread(player_id=instance.pk),
        }
        shown = {
            name: field.to_representation(field.get_attribute(instance))
            for name, field in self.fields.items()
            if name not in elsewhere
        }
        return {**shown, **elsewhere}


class SignedInSerializer(serializers.Serializer[Any]):
    """An account and, where it was made for a program, the token that proves it from now on."""

    player = OwnPlayerSerializer()
    token = serializers.CharField(allow_null=True)


class NewPlayerSerializer(serializers.Serializer[Any]):
    """A new account; without a name one is generated."""

    display_name = Text(required=False, allow_null=True, allow_blank=True, default=None)


class ChangedPlayerSerializer(serializers.Serializer[Any]):
    """What of the own account is to change."""

    display_name = Text(required=False, allow_blank=True)
    settings = serializers.DictField(required=False)


class TransferSerializer(serializers.Serializer[Any]):
    """A transfer code or recovery key."""

    code = Text(max_length=200)
    replace = Flag(required=False, default=False)


class TransferCodeSerializer(serializers.Serializer[Any]):
    """A transfer code, shown once."""

    code = serializers.CharField()
    expires_at = serializers.DateTimeField()


class RecoveryKeySerializer(serializers.Serializer[Any]):
    """A recovery key, shown once."""

    key = serializers.CharField()


class DeviceSerializer(serializers.ModelSerializer[Device]):
    """A device that is signed in to the account."""

    current = serializers.SerializerMethodField()

    class Meta:
        model = Device
        fields = ("id", "label", "created_at", "last_used_at", "current")
        read_only_fields = fields

    def get_current(self, device: Device) -> bool:
        """Whether it is the one that asks."""
        return bool(device.pk == self.context["current"])


class BlockSerializer(serializers.ModelSerializer[Block]):
    """A player whom the own account blocks."""

    player = PlayerSerializer(source="blocked", read_only=True)

    class Meta:
        model = Block
        fields = ("player", "created_at")
        read_only_fields = fields


class NoticeSerializer(serializers.ModelSerializer[Notice]):
    """Something that the player was told."""

    kind = serializers.ChoiceField(choices=NoticeKind.choices, read_only=True)
    level = serializers.ChoiceField(choices=NoticeLevel.choices, read_only=True)
    text = serializers.SerializerMethodField()
    match = serializers.SerializerMethodField()

    class Meta:
        model = Notice
        fields = ("id", "kind", "level", "text", "match", "until", "created_at", "read_at")
        read_only_fields = fields

    def get_text(self, notice: Notice) -> str:
        """The text in the reader's language."""
        return text_of(notice)

    def get_match(self, notice: Notice) -> UUID | None:
        """The match that it is about."""
        match = notice.values.get("match")
        return None if match is None else UUID(match)


class ReadNoticesSerializer(serializers.Serializer[Any]):
    """Which notices were read; without any, all."""

    notices = serializers.ListField(
        child=serializers.UUIDField(), required=False, allow_null=True, default=None, max_length=100
    )


class UnreadSerializer(serializers.Serializer[Any]):
    """How many notices are unread."""

    unread = serializers.IntegerField()


class AnnouncementSerializer(serializers.ModelSerializer[Announcement]):
    """What everybody is told at present."""

    level = serializers.ChoiceField(choices=AnnouncementLevel.choices, read_only=True)
    text = serializers.SerializerMethodField()

    class Meta:
        model = Announcement
        fields = ("id", "level", "text", "starts_at", "ends_at", "restart_at")
        read_only_fields = fields

    def get_text(self, announcement: Announcement) -> str:
        """The text in the reader's language."""
        return announcement.text(get_language() or "")


class NewReportSerializer(serializers.Serializer[Any]):
    """A player, perhaps the match where it happened, what for, and perhaps some words."""

    player = serializers.UUIDField()
    match = serializers.UUIDField(required=False, allow_null=True, default=None)
    reason = serializers.ChoiceField(choices=ReportReason.choices)
    text = Text(required=False, allow_blank=True, default="", max_length=500)


class ReportSerializer(serializers.Serializer[Report]):
    """The report as it was taken."""

    id = serializers.UUIDField()
    player = serializers.UUIDField(source="player_id")
    match = serializers.UUIDField(source="match_id", allow_null=True)
    reason = serializers.ChoiceField(choices=ReportReason.choices)
    text = serializers.CharField()
    created_at = serializers.DateTimeField()


class ProblemSerializer(serializers.Serializer[Any]):
    """An RFC 9457 problem."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField()
    detail = serializers.CharField()
    errors = serializers.ListField(  # type: ignore[assignment]  # the member's own name
        child=serializers.DictField(), required=False
    )
