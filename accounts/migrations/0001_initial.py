"""The first tables of accounts."""

import django.db.models.deletion
from django.db import migrations, models

import accounts.ids


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Block",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=accounts.ids.new_id,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("created_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Device",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=accounts.ids.new_id,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("browser", models.UUIDField()),
                ("label", models.CharField(blank=True, max_length=80)),
                ("created_at", models.DateTimeField()),
                ("last_used_at", models.DateTimeField()),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="IdempotencyRecord",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=accounts.ids.new_id,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("key", models.BinaryField(max_length=32)),
                ("request", models.BinaryField(max_length=32)),
                ("status", models.PositiveSmallIntegerField()),
                ("body", models.TextField()),
                ("created_at", models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=accounts.ids.new_id,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("announcement", "Announcement"),
                            ("maintenance", "Maintenance"),
                            ("device_added", "Device Added"),
                            ("device_signed_out", "Device Signed Out"),
                            ("penalty", "Penalty"),
                            ("ban", "Ban"),
                            ("renamed", "Renamed"),
                            ("match_voided", "Match Voided"),
                            ("match_restored", "Match Restored"),
                            ("season", "Season"),
                        ],
                        max_length=20,
                    ),
                ),
                (
                    "level",
                    models.CharField(
                        choices=[("info", "Info"), ("warning", "Warning"), ("urgent", "Urgent")],
                        default="info",
                        max_length=10,
                    ),
                ),
                ("values", models.JSONField(default=dict)),
                ("text", models.CharField(blank=True, max_length=500)),
                ("until", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField()),
                ("read_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Player",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=accounts.ids.new_id,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("display_name", models.CharField(blank=True, max_length=240)),
                ("name_key", models.CharField(editable=False, max_length=720)),
                ("tag", models.CharField(max_length=8)),
                ("settings", models.JSONField(default=dict)),
                ("created_at", models.DateTimeField()),
                ("deleted_at", models.DateTimeField(blank=True, null=True)),
                ("banned_at", models.DateTimeField(blank=True, null=True)),
                ("banned_until", models.DateTimeField(blank=True, null=True)),
                ("ban_reason", models.CharField(blank=True, max_length=200)),
            ],
        ),
        migrations.CreateModel(
            name="SignIn",
            fields=[
                ("scope", models.BinaryField(max_length=32, primary_key=True, serialize=False)),
                ("content", models.BinaryField(max_length=32)),
                ("expires_at", models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name="DeviceToken",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=accounts.ids.new_id,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("digest", models.BinaryField(max_length=32, unique=True)),
                ("created_at", models.DateTimeField()),
                ("last_used_at", models.DateTimeField()),
                ("settles_at", models.DateTimeField(blank=True, null=True)),
                (
                    "device",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tokens",
                        to="accounts.device",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RecoveryKey",
            fields=[
                (
                    "player",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="recovery_key",
                        serialize=False,
                        to="accounts.player",
                    ),
                ),
                ("digest", models.BinaryField(max_length=32, unique=True)),
                ("created_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="TransferCode",
            fields=[
                (
                    "player",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="transfer_code",
                        serialize=False,
                        to="accounts.player",
                    ),
                ),
                ("digest", models.BinaryField(max_length=32, unique=True)),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
            ],
        ),
        migrations.AddConstraint(
            model_name="player",
            constraint=models.UniqueConstraint(
                condition=models.Q(("deleted_at__isnull", True)),
                fields=("name_key", "tag"),
                name="player_told_apart",
            ),
        ),
        migrations.AddConstraint(
            model_name="player",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("deleted_at__isnull", True), ("display_name", ""), _connector="OR"
                ),
                name="player_deleted_is_nameless",
            ),
        ),
        migrations.AddConstraint(
            model_name="player",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("deleted_at__isnull", False),
                    models.Q(("display_name", ""), _negated=True),
                    _connector="OR",
                ),
                name="player_has_a_name",
            ),
        ),
        migrations.AddConstraint(
            model_name="player",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("banned_at__isnull", False),
                    models.Q(("banned_until__isnull", True), ("ban_reason", "")),
                    _connector="OR",
                ),
                name="player_ban_is_whole",
            ),
        ),
        migrations.AddField(
            model_name="notice",
            name="player",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="notices",
                to="accounts.player",
            ),
        ),
        migrations.AddField(
            model_name="idempotencyrecord",
            name="player",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="accounts.player"
            ),
        ),
        migrations.AddField(
            model_name="device",
            name="player",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="devices",
                to="accounts.player",
            ),
        ),
        migrations.AddField(
            model_name="block",
            name="blocked",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="blocked_by",
                to="accounts.player",
            ),
        ),
        migrations.AddField(
            model_name="block",
            name="blocker",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="blocks",
                to="accounts.player",
            ),
        ),
        migrations.AddField(
            model_name="signin",
            name="device",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="accounts.device"
            ),
        ),
        migrations.AddIndex(
            model_name="notice",
            index=models.Index(
                condition=models.Q(("read_at__isnull", True)),
                fields=["player"],
                name="notice_unread",
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "kind__in",
                        [
                            "announcement",
                            "maintenance",
                            "device_added",
                            "device_signed_out",
                            "penalty",
                            "ban",
                            "renamed",
                            "match_voided",
                            "match_restored",
                            "season",
                        ],
                    )
                ),
                name="notice_kind_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.CheckConstraint(
                condition=models.Q(("level__in", ["info", "warning", "urgent"])),
                name="notice_level_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="idempotencyrecord",
            constraint=models.UniqueConstraint(
                fields=("player", "key"), name="idempotency_key_once"
            ),
        ),
        migrations.AddIndex(
            model_name="device",
            index=models.Index(
                condition=models.Q(("revoked_at__isnull", True)),
                fields=["player"],
                name="device_in_use",
            ),
        ),
        migrations.AddConstraint(
            model_name="block",
            constraint=models.UniqueConstraint(fields=("blocker", "blocked"), name="block_once"),
        ),
        migrations.AddConstraint(
            model_name="block",
            constraint=models.CheckConstraint(
                condition=models.Q(("blocker", models.F("blocked")), _negated=True),
                name="block_somebody_else",
            ),
        ),
    ]
