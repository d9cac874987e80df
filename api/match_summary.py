"""What the page of a match that is over tells: places, chips by round, and why a rating moved."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from api.chips_chart import ChipsChart, chips_chart
from api.rating_serializers import transfers_as_mappings
from ratings.selectors import match_ratings
from tables.match_view import MatchView
from tables.selectors.matches import Sight, rounds_of, took_no_decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A seat's line in the order at the end; `net` is what was won less what was bought again."""

    seat: int
    name: str
    player_id: str | None
    place: int
    outcome: str
    chips: int
    net: int
    rebuys: int
    mine: bool
    rating_before: str | None
    rating_after: str | None
    change: str | None

    @property
    def shown_before(self) -> int:
        """The rating before the match as boards show it."""
        return round(float(self.rating_before or 0))

    @property
    def shown_after(self) -> int:
        """The rating after the match as boards show it."""
        return round(float(self.rating_after or 0))

    @property
    def direction(self) -> str:
        """Whether the rating rose, stayed or fell, in the words of results."""
        moved = float(self.change or 0)
        return "win" if moved > 0 else "lose" if moved < 0 else "draw"


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """One opponent of a rated match, seen from the reader: `expected` is in percent of a win."""

    name: str
    rating: int
    expected: int
    score: float
    points: str
    same_party: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The whole page; `own` is the reader's row, None for whoever had no seat; `undecided` if they
    took no decision of their own in a rated match, and so are rated as last (RT1.1)."""

    rows: tuple[Row, ...]
    own: Row | None
    against: tuple[Against, ...]
    undecided: bool
    chart: ChipsChart | None
    seats: tuple[Row, ...]
    rounds: tuple[tuple[int, tuple[int, ...]], ...]


def summary_of(sight: Sight, view: MatchView) -> Summary:
    """Sum up a match that is over, or void, as this viewer may see it."""
    seats = _rows(sight, view)
    rows = tuple(sorted(seats, key=lambda row: (row.place, row.seat)))
    own = next((row for row in seats if row.mine), None)
    chips = _chips(view, [json.loads(bytes(record)) for record in rounds_of(sight.match)])
    rounds = max(map(len, chips.values())) - 1
    rated = own is not None and own.change is not None
    return Summary(
        rows=rows if view.result else (),
        own=own if view.result else None,
        against=_against(sight, own.player_id) if own and rated else (),
        undecided=rated and took_no_decision(sight),
        chart=chips_chart(chips, own=own.seat if own else None) if rounds else None,
        seats=seats,
        rounds=tuple(
            (number, tuple(line[number] for line in chips.values())) for number in range(rounds + 1)
        ),
    )


def _rows(sight: Sight, view: MatchView) -> tuple[Row, ...]:
    results = {result.seat: result for result in view.result or ()}
    start: Any = view.rules["initial_chips"]
    rows = []
    for seat in view.seats:
        result = results.get(seat.seat)
        before = result.rating_before if result and not sight.nameless else None
        after = result.rating_after if result and not sight.nameless else None
        rows.append(
            Row(
                seat=seat.seat,
                name=seat.player.display_name,
                player_id=seat.player.id,
                place=result.place if result else 0,
                outcome=str(result.outcome) if result else "",
                chips=seat.chips,
                net=seat.chips - start * (1 + seat.rebuys),
                rebuys=seat.rebuys,
                mine=seat.seat == sight.seat,
                rating_before=before,
                rating_after=after,
                change=f"{float(after) - float(before):.3f}" if before and after else None,
            )
        )
    return tuple(rows)


def _chips(view: MatchView, rounds: Sequence[Mapping[str, Any]]) -> dict[int, list[int]]:
    """Every seat's chips at the start and after each round; who is out keeps what they had."""
    start: Any = view.rules["initial_chips"]
    chips: dict[int, list[int]] = {seat.seat: [start] for seat in view.seats}
    for settled in rounds:
        now = {seat["seat"]: seat["chips"] for seat in settled["seats"]}
        for seat, line in chips.items():
            line.append(now.get(seat, line[-1]))
    return chips


def _against(sight: Sight, player_id: str | None) -> tuple[Against, ...]:
    rated = match_ratings([sight.match.pk]).get(sight.match.pk)
    if rated is None or player_id is None:
        return ()
    found = []
    for pair in transfers_as_mappings(rated):
        one, other = _sides(pair)
        if UUID(player_id) not in (UUID(str(one["id"])), UUID(str(other["id"]))):
            continue
        first = UUID(str(one["id"])) == UUID(player_id)
        expectation, score = float(str(pair["expectation"])), float(str(pair["score"]))
        points = float(str(pair["points"]))
        them = other if first else one
        found.append(
            Against(
                name=str(them["display_name"]),
                rating=round(float(str(them["rating"]))),
                expected=round(100 * (expectation if first else 1 - expectation)),
                score=score if first else 1 - score,
                points=f"{points if first else -points:.3f}",
                same_party=bool(pair["same_party"]),
            )
        )
    return tuple(found)


def _sides(pair: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    one, other = pair["players"]
    return one, other
