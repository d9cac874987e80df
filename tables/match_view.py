"""A match as anybody may see it: the table of `blackjack/view.py` with its people and clocks.

One view serves every viewer; only `you` is added for those who have a seat (api.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

import msgspec
from msgspec import Struct, UnsetType
from msgspec.structs import replace

from tables import seating as clockwork
from tables.blackjack.events import Controller, FinalResult, SeatedPlayer
from tables.blackjack.results import results
from tables.blackjack.ruleset import as_mapping
from tables.blackjack.state import MatchState, Phase
from tables.blackjack.turn import LegalAction, RefusedAction
from tables.blackjack.view import DealerView, HandView, LastRound, ShoeView, table_view
from tables.envelope import iso
from tables.seating import Clocks, Seating


class SeatInMatch(Struct, frozen=True):
    """A seat with its player: who decides, who is away and when the CPU takes over."""

    seat: int
    player: SeatedPlayer
    controller: Controller
    connected: bool
    away_since: str | None
    takeover_at: str | None
    chips: int
    bet: int
    insurance: int
    rebuys: int
    out: bool
    hands: tuple[HandView, ...]


class ToAct(Struct, frozen=True):
    """The decision that is offered: to whom, until when, and what the table takes."""

    seat: int
    phase: Phase
    hand: int | None
    version: int
    deadline: str | None
    legal: tuple[LegalAction, ...]
    refused: tuple[RefusedAction, ...]


class You(Struct, frozen=True):
    """The viewer's own seat."""

    seat: int


class MatchView(Struct, frozen=True):
    """A match as api.md shows it; `you` is left out where one text goes to every viewer."""

    id: str
    version: int
    seq: int
    status: str
    kind: str
    watchable: bool
    watchers: int
    server_time: str | None
    rules: Mapping[str, object]
    round: int
    phase: Phase
    dealer: DealerView
    seats: tuple[SeatInMatch, ...]
    to_act: ToAct | None
    shoe: ShoeView
    last_round: LastRound | None
    result: tuple[FinalResult, ...] | None
    you: You | UnsetType | None = msgspec.UNSET


class Presence(Struct, frozen=True):
    """What `presence` tells of a seat."""

    seat: int
    connected: bool
    away_since: str | None
    takeover_at: str | None


def presence_of(seating: Seating, clocks: Clocks) -> tuple[Presence, ...]:
    """Who is away, since when, and when the CPU takes over (rules.md R11.2)."""
    return tuple(
        Presence(
            number,
            hold.connected and hold.awaited,
            iso(hold.away_since),
            iso(clockwork.takeover_at(seating, number, clocks)),
        )
        for number, hold in enumerate(seating.seats, start=1)
    )


def presence_is_same(one: Seating, other: Seating) -> bool:
    """Whether it is plain that presence has not moved: everybody is there, as they were."""
    return all(
        here.connected and there.connected and here.awaited and there.awaited
        for here, there in zip(one.seats, other.seats, strict=True)
    )


def match_view(
    *,
    match_id: UUID,
    kind: str,
    status: str,
    version: int,
    seq: int,
    watchable: bool,
    watchers: int,
    state: MatchState,
    seating: Seating,
    clocks: Clocks,
    now: datetime,
    result: tuple[FinalResult, ...] | None,
) -> MatchView:
    """Build the view that all viewers share; `result` is that of a finished match."""
    table = table_view(state)
    turn = table.to_act
    return MatchView(
        id=str(match_id),
        version=version,
        seq=seq,
        status=status,
        kind=kind,
        watchable=watchable,
        watchers=watchers,
        server_time=iso(now),
        rules=as_mapping(state.ruleset),
        round=table.round,
        phase=table.phase,
        dealer=table.dealer,
        seats=tuple(
            SeatInMatch(
                seat=seat.seat,
                player=SeatedPlayer(hold.player or None, hold.display_name, hold.tag),
                controller=hold.controller,
                connected=here.connected,
                away_since=here.away_since,
                takeover_at=here.takeover_at,
                chips=seat.chips,
                bet=seat.bet,
                insurance=seat.insurance,
                rebuys=seat.rebuys,
                out=seat.out,
                hands=seat.hands,
            )
            for seat, hold, here in zip(
                table.seats, seating.seats, presence_of(seating, clocks), strict=True
            )
        ),
        to_act=ToAct(
            turn.seat,
            turn.phase,
            turn.hand,
            seating.offered,
            iso(seating.deadline),
            turn.legal,
            turn.refused,
        )
        if turn is not None
        else None,
        shoe=table.shoe,
        last_round=table.last_round,
        result=result,
    )


def final_results(
    state: MatchState, ratings: Sequence[tuple[str, str]] | None = None
) -> tuple[FinalResult, ...]:
    """The result of a finished match, with each seat's rating before and after if it was rated."""
    plain = (
        FinalResult(seat.seat, seat.place, seat.outcome, seat.chips) for seat in results(state)
    )
    if ratings is None:
        return tuple(plain)
    return tuple(
        replace(seat, rating_before=before, rating_after=after)
        for seat, (before, after) in zip(plain, ratings, strict=True)
    )


def seen_by(view: MatchView, seat: int | None) -> MatchView:
    """The view of whoever has `seat`, or of a viewer without one."""
    return replace(view, you=You(seat) if seat is not None else None)
