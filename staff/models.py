"""What staff have done, never changed and never deleted, and the rating runs that they started."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts.ids import new_id


class Kind(models.TextChoices):
    """What staff can do; each is a permission of the same name."""

    NOTE = "note", _("Staff note")
    SIGN_OUT = "sign_out", _("Devices signed out")
    RENAME = "rename", _("Renamed")
    BAN = "ban", _("Banned")
    UNBAN = "unban", _("Ban lifted")
    LIFT_PENALTY = "lift_penalty", _("Penalty lifted")
    CLOSE_PARTY = "close_party", _("Party closed")
    END_MATCH = "end_match", _("Match ended by the CPU")
    DECIDE_REPORT = "decide_report", _("Report decided")
    DECIDE_FLAG = "decide_flag", _("Flag decided")
    VOID_MATCH = "void_match", _("Match voided")
    RESTORE_MATCH = "restore_match", _("Match restored")
    CHECK_RATINGS = "check_ratings", _("Rating check started")
    RECOMPUTE_RATINGS = "recompute_ratings", _("Recomputation started")
    PLAN_SEASON = "plan_season", _("Season planned")
    CHANGE_SEASON = "change_season", _("Season changed")
    ANNOUNCE = "announce", _("Announcement put up")
    WITHDRAW = "withdraw", _("Announcement taken down")
    CLOSE_QUEUE = "close_queue", _("Ranked queue closed")
    OPEN_QUEUE = "open_queue", _("Ranked queue opened")


class StaffAction(models.Model):
    """One thing that somebody of the staff did: to whom, when, why, before and after.

    `request` is the form that asked for it: sent twice, it acts once. A database trigger refuses
    every change and deletion.
    """

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    request = models.UUIDField(unique=True, editable=False)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", verbose_name=_("by")
    )
    actor_name = models.CharField(_("name"), max_length=150)
    kind = models.CharField(_("action"), max_length=20, choices=Kind.choices)
    player = models.UUIDField(_("player"), null=True)
    match = models.UUIDField(_("match"), null=True)
    target = models.CharField(_("target"), max_length=100)
    reason = models.CharField(_("reason"), max_length=500)
    before = models.JSONField(_("before"), default=dict)
    after = models.JSONField(_("after"), default=dict)
    at = models.DateTimeField(_("time"))

    class Meta:
        verbose_name = _("audit entry")
        verbose_name_plural = _("audit entries")
        default_permissions = ("view",)
        permissions: ClassVar = [(kind.value, f"May do: {kind.value}") for kind in Kind]
        indexes: ClassVar = [
            models.Index(fields=["player", "-id"], name="staff_action_player"),
            models.Index(fields=["match", "-id"], name="staff_action_match"),
            models.Index(fields=["actor", "-id"], name="staff_action_actor"),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(kind__in=Kind.values), name="staff_action_known"),
            models.CheckConstraint(condition=~Q(reason=""), name="staff_action_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.actor_name}: {self.kind} {self.target}"


class RunKind(models.TextChoices):
    """What a rating run does."""

    CHECK = "check", _("Check")
    RECOMPUTE = "recompute", _("Recomputation")


class RunState(models.TextChoices):
    """Where a rating run stands."""

    WAITING = "waiting", _("waiting")
    RUNNING = "running", _("running")
    DONE = "done", _("done")
    FAILED = "failed", _("failed")


class RatingRun(models.Model):
    """A rating check or recomputation that staff have started, and how far it is."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    kind = models.CharField(_("run"), max_length=9, choices=RunKind.choices)
    state = models.CharField(
        _("state"), max_length=7, choices=RunState.choices, default=RunState.WAITING
    )
    progress = models.CharField(_("progress"), max_length=200, blank=True)
    result = models.JSONField(_("result"), default=dict)
    asked_at = models.DateTimeField(_("asked"))
    began_at = models.DateTimeField(_("began"), null=True)
    ended_at = models.DateTimeField(_("ended"), null=True)

    class Meta:
        verbose_name = _("rating run")
        verbose_name_plural = _("rating runs")
        default_permissions = ("view",)
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["kind"],
                condition=Q(state__in=("waiting", "running")),
                name="one_unfinished_run_of_a_kind",
            ),
            models.CheckConstraint(
                condition=Q(state__in=RunState.values), name="rating_run_state_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.state}"
