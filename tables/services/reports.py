"""Reports: a player tells staff about another."""

from __future__ import annotations

from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import IntegrityError, transaction

from accounts.selectors import PlayerNotFound, player_of
from tables.models import Report, ReportReason, ReportState, Seat
from tables.selectors.matches import sight_of

MOST_OPEN: Final = 20
"""How many reports of one player may wait for staff at once."""


class CannotReportYourself(Exception):
    """Nobody reports themselves."""

    code = "cannot_report_yourself"


class AlreadyReported(Exception):
    """The player was reported for this match, or without one and nobody has looked yet."""

    code = "already_reported"


class TooManyReports(Exception):
    """As many reports of this player wait as may wait at once."""

    code = "too_many_reports"


@transaction.atomic
def report(
    *,
    reporter_id: UUID,
    player_id: UUID,
    match_id: UUID | None,
    reason: ReportReason,
    text: str,
    now: datetime,
) -> Report:
    """Tell staff about a player, perhaps for what happened in a match that both know.

    Raises `CannotReportYourself`, `PlayerNotFound` (also if the player has no seat in the match),
    `MatchNotFound` (also if the reporter may not see it), `AlreadyReported`, `TooManyReports`.
    """
    if reporter_id == player_id:
        raise CannotReportYourself
    if player_of(player_id=player_id).deleted_at is not None:
        raise PlayerNotFound
    real_match_id = None
    if match_id is not None:
        sight = sight_of(match_id=match_id, viewer_id=reporter_id)
        real_match_id = sight.match.pk
        if not Seat.objects.filter(match=real_match_id, player=player_id).exists():
            raise PlayerNotFound
    waiting = Report.objects.filter(reporter=reporter_id, state=ReportState.OPEN)
    if waiting.count() >= MOST_OPEN:
        raise TooManyReports
    try:
        with transaction.atomic():
            return Report.objects.create(
                reporter_id=reporter_id,
                player_id=player_id,
                match_id=real_match_id,
                reason=reason,
                text=text,
                created_at=now,
            )
    except IntegrityError as twice:
        raise AlreadyReported from twice
