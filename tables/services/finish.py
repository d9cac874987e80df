"""The end of a match: its result, its ratings, and what is counted of every seat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from ratings.elo import exact
from ratings.services.rating import Entrant, rate_match
from tables.blackjack.events import FinalResult
from tables.blackjack.results import results
from tables.blackjack.state import MatchState
from tables.match_view import final_results
from tables.models import MatchRound, MatchStep, Seat, SeatStatistics
from tables.seating import Seating
from tables.services.penalties import punish_absent
from tables.services.queue_news import announce_on_commit
from tables.table import Table


class EndsRated(Exception):
    """The step ends a rated match and wants a transaction of its own (ratings.md RT2.6)."""


def plain_result(state: MatchState, seating: Seating) -> Sequence[FinalResult]:
    """The result of a match that is not rated."""
    return final_results(state)


def leave_rated(state: MatchState, seating: Seating) -> Sequence[FinalResult]:
    """Refuse to end a rated match together with others. Raises EndsRated."""
    raise EndsRated


def rated_result(
    match_id: UUID, now: datetime, state: MatchState, seating: Seating
) -> Sequence[FinalResult]:
    """Rate a match that has just ended, and give its result with the ratings.

    Raises RatingsBusy if the rating rows were not free in time; the transaction is void then.
    """
    parties = dict(Seat.objects.filter(match_id=match_id).values_list("number", "party_id"))
    rated = rate_match(
        match_id=match_id,
        finished_at=now,
        entrants=[
            Entrant(
                player_id=UUID(seating.hold(result.seat).player),
                seat=result.seat,
                place=result.place,
                party_id=parties[result.seat],
                decided=seating.hold(result.seat).own_decisions > 0,
            )
            for result in results(state)
        ],
        now=now,
    )
    return final_results(
        state,
        [
            (exact(before), exact(after))
            for before, after in zip(rated.before, rated.after, strict=True)
        ],
    )


class _Told(msgspec.Struct):
    type: str
    seat: int | None = None


class _Hand(msgspec.Struct):
    bet: int
    outcome: str
    returned: int


class _Seat(msgspec.Struct):
    seat: int
    insurance: int
    insurance_returned: int
    hands: list[_Hand]


class _Round(msgspec.Struct):
    seats: list[_Seat]


_decode_told = msgspec.json.Decoder(list[_Told]).decode
_decode_round = msgspec.json.Decoder(_Round).decode


def close_seats(match_id: UUID, table: Table, now: datetime) -> None:
    """Write down how a match ended for each of its seats, and free its players."""
    seats = {seat.number: seat for seat in Seat.objects.filter(match_id=match_id)}
    for result in final_results(table.state):
        seat = seats[result.seat]
        hold = table.seating.hold(result.seat)
        seat.live = False
        seat.finished_at = now
        seat.place = result.place
        seat.outcome = result.outcome
        seat.chips = result.chips
        seat.own_decisions = hold.own_decisions
        seat.cpu_decisions = hold.cpu_decisions
    Seat.objects.bulk_update(
        seats.values(),
        ["live", "finished_at", "place", "outcome", "chips", "own_decisions", "cpu_decisions"],
    )
    if table.seating.ranked:
        out = [number for number, seat in enumerate(table.state.seats, start=1) if seat.out]
        if not table.seating.played_out:
            punish_absent(seats=seats.values(), out=out, now=now)
        announce_on_commit(seat.player_id for seat in seats.values())
    told = MatchStep.objects.filter(match_id=match_id).values_list("events", flat=True)
    records = MatchRound.objects.filter(match_id=match_id).values_list("record", flat=True)
    SeatStatistics.objects.bulk_create(count_seats(seats.values(), told, records))


def count_seats(
    seats: Iterable[Seat], told: Iterable[str], records: Iterable[str]
) -> list[SeatStatistics]:
    """Count what happened at each seat, from the stored events and rounds of its match."""
    counts: dict[int, Counter[str]] = {seat.number: Counter() for seat in seats}
    for text in told:
        for event in _decode_told(text):
            if event.seat is not None and event.type in {"doubled", "split"}:
                counts[event.seat][event.type] += 1
    for text in records:
        for seat in _decode_round(text).seats:
            count = counts[seat.seat]
            count["rounds"] += 1
            count["insurance_taken"] += seat.insurance > 0
            count["insurance_won"] += seat.insurance_returned > 0
            count["placed"] += seat.insurance + sum(hand.bet for hand in seat.hands)
            count["returned"] += seat.insurance_returned
            for hand in seat.hands:
                count[f"hand_{hand.outcome}"] += 1
                count["returned"] += hand.returned
    return [
        SeatStatistics(
            seat=seat,
            player_id=seat.player_id,
            rounds=count["rounds"],
            blackjacks=count["hand_blackjack"],
            wins=count["hand_win"],
            pushes=count["hand_push"],
            losses=count["hand_lose"],
            busts=count["hand_bust"],
            surrenders=count["hand_surrender"],
            doubles=count["doubled"],
            splits=count["split"],
            insurance_taken=count["insurance_taken"],
            insurance_won=count["insurance_won"],
            chips_placed=count["placed"],
            chips_returned=count["returned"],
        )
        for seat, count in ((seat, counts[seat.number]) for seat in seats)
    ]
