"""What staff decide about finished matches: that one does not count, or counts again (RT3.1)."""

from __future__ import annotations

import functools
import logging
from datetime import datetime
from typing import ClassVar, Final
from uuid import UUID

import msgspec
from django.db import OperationalError, transaction
from msgspec import UNSET
from msgspec.structs import replace

from accounts.models import NoticeKind, NoticeLevel
from accounts.services.notices import tell
from ratings import services as ratings
from ratings.locks import busy, share_ratings
from tables.blackjack.events import MatchRestored, MatchVoided
from tables.envelope import enveloped
from tables.hub import Poke, poke, publish
from tables.messages import events_message
from tables.models import Match, MatchStatus, MatchStep, Seat, StepKind
from tables.selectors.clock import database_now
from tables.selectors.matches import MatchNotFound, Sight, view_of
from tables.table import Judged

logger = logging.getLogger(__name__)

LONGEST_REASON: Final = 300
"""Characters: a reason fits into one frame with the view of its match."""


class NotFinished(Exception):
    """The match is still played: staff can end it, but not judge it."""

    code: ClassVar[str] = "not_finished"


class ReasonNeeded(ValueError):
    """Staff must say why, in at most `LONGEST_REASON` characters."""

    code: ClassVar[str] = "reason_needed"


def void_match(*, match_id: UUID, reason: str, actor: str, now: datetime) -> bool:
    """Let a finished match count no more; everybody who sees it is told, with the reason.

    Ratings follow at the next switch of generation, within a minute (ratings.md RT3.1). False if it
    is void already: nothing happens then. `actor` names whoever of the staff decided it; only the
    stored step says it. Raises MatchNotFound, NotFinished, ReasonNeeded, RatingsBusy.
    """
    return _judge(match_id, MatchStatus.VOID, Judged(actor, _checked(reason)), now)


def restore_match(*, match_id: UUID, reason: str, actor: str, now: datetime) -> bool:
    """Let a void match count again, as if it always had. False if it counts already.

    Raises MatchNotFound, NotFinished, ReasonNeeded, RatingsBusy.
    """
    return _judge(match_id, MatchStatus.FINISHED, Judged(actor, _checked(reason)), now)


def _checked(reason: str) -> str:
    reason = " ".join(reason.split())
    if not 0 < len(reason) <= LONGEST_REASON:
        raise ReasonNeeded
    return reason


def _judge(match_id: UUID, status: MatchStatus, judged: Judged, now: datetime) -> bool:
    """Set the status and write the step, both under the locks that finishing a match takes."""
    with transaction.atomic():
        share_ratings()
        try:
            match = Match.objects.select_for_update(no_key=True).filter(pk=match_id).first()
        except OperationalError as error:
            raise busy(error) from error
        if match is None:
            raise MatchNotFound
        if match.status == MatchStatus.PLAYING:
            raise NotFinished
        if match.status == status:
            return False
        events = _write(match, status, judged)
        if status == MatchStatus.VOID:
            ratings.void_match(match_id=match_id, now=now)
        else:
            ratings.restore_match(match_id=match_id, now=now)
        _announce(match, events, now)
    logger.info("match %s is %s, said %s", match_id, status.value, judged.actor)
    return True


def _write(match: Match, status: MatchStatus, judged: Judged) -> str:
    """The status and its step: the next `seq`, no version. Gives the step's events."""
    void = status == MatchStatus.VOID
    at = database_now()
    seq = match.seq + 1
    event = MatchVoided(judged.reason) if void else MatchRestored()
    events = enveloped([event], seq, match.version, at, None)
    MatchStep.objects.create(
        match=match,
        first_seq=seq,
        last_seq=seq,
        version=match.version,
        kind=StepKind.VOIDED if void else StepKind.RESTORED,
        payload=msgspec.json.encode(judged).decode(),
        events=events,
        at=at,
    )
    match.seq, match.status = seq, status
    match.save(update_fields=["seq", "status"])
    return events


def _announce(match: Match, events: str, now: datetime) -> None:
    """Leave its players a notice, and tell every socket that follows the match."""
    void = match.status == MatchStatus.VOID
    seats = Seat.objects.filter(match=match, player__deleted_at__isnull=True)
    news = []
    for player_id in seats.order_by("number").values_list("player_id", flat=True):
        notice = tell(
            player_id=player_id,
            kind=NoticeKind.MATCH_VOIDED if void else NoticeKind.MATCH_RESTORED,
            level=NoticeLevel.WARNING if void else NoticeLevel.INFO,
            values={"match": str(match.pk)},
            now=now,
        )
        news.append(poke(player_id, Poke.NOTICE, notice.pk))
    view = replace(view_of(Sight(match, match.pk, None, False)), you=UNSET)
    message = events_message(view, match.seq, [events], wake_in=None)
    transaction.on_commit(functools.partial(publish, [message, *news]))
