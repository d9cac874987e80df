"""Reading a stored match whole, and verifying it."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.forms.models import model_to_dict
from msgspec import Struct

from tables.models import Match, MatchRound, MatchStep, Seat, SeatStatistics
from tables.selectors.matches import MatchNotFound
from tables.services.finish import count_seats
from tables.verification import Differs, StoredMatch, StoredSeat, StoredStep, verify


class Verified(Struct, frozen=True):
    """A match as it was found: how far it is, and the first thing that differs, if any."""

    version: int
    seq: int
    status: str
    difference: str | None


def verify_match(match_id: UUID) -> Verified:
    """Replay a stored match, played or still playing, and compare. Raises MatchNotFound."""
    with transaction.atomic():  # one moment of a match that may go on meanwhile
        match = Match.objects.select_for_update(no_key=True).filter(pk=match_id).first()
        if match is None:
            raise MatchNotFound
        seats = list(Seat.objects.filter(match=match).order_by("number"))
        stored = _stored(match, seats)
        statistics = list(SeatStatistics.objects.filter(seat__match=match).order_by("seat__number"))
    difference = None
    try:
        verify(stored)
        _compare_statistics(stored, seats, statistics)
    except Differs as differs:
        difference = str(differs)
    return Verified(match.version, match.seq, match.status, difference)


def _stored(match: Match, seats: list[Seat]) -> StoredMatch:
    steps = MatchStep.objects.filter(match=match).order_by("first_seq")
    rounds = MatchRound.objects.filter(match=match).order_by("number")
    return StoredMatch(
        kind=match.kind,
        status=match.status,
        version=match.version,
        seq=match.seq,
        rules=match.rules,
        state=match.state,
        seating=match.seating,
        has_wake_at=match.wake_at is not None,
        started_at=match.started_at,
        finished_at=match.finished_at,
        steps=tuple(
            StoredStep(
                first_seq=step.first_seq,
                last_seq=step.last_seq,
                version=step.version,
                kind=step.kind,
                seat=step.seat,
                action_id=step.action_id,
                payload=step.payload,
                seeds=None if step.seeds is None else tuple(step.seeds),
                events=step.events,
                at=step.at,
            )
            for step in steps
        ),
        rounds=tuple(rounds.values_list("number", "record")),
        seats=tuple(
            StoredSeat(
                number=seat.number,
                player=str(seat.player_id),
                live=seat.live,
                kind=seat.kind,
                started_at=seat.started_at,
                finished_at=seat.finished_at,
                place=seat.place,
                outcome=seat.outcome,
                chips=seat.chips,
                own_decisions=seat.own_decisions,
                cpu_decisions=seat.cpu_decisions,
            )
            for seat in seats
        ),
    )


def _compare_statistics(stored: StoredMatch, seats: list[Seat], kept: list[SeatStatistics]) -> None:
    """Count once more what was counted when the match ended. Raises Differs."""
    told = [step.events for step in stored.steps]
    counted = count_seats(seats, told, [record for _, record in stored.rounds])
    if stored.finished_at is None:
        counted = []
    if [model_to_dict(row) for row in kept] != [model_to_dict(row) for row in counted]:
        raise Differs("the statistics")
