"""A player's rating over their rated matches, as a step line on a grid of round numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

MOST_POINTS: Final = 200
"""So many matches are drawn at most; of more, those that show the line's highs and lows."""
WIDTH: Final = 1000
HEIGHT: Final = 220
_MARGIN: Final = 16
_STEPS: Final = (10, 20, 50, 100, 200, 500, 1000)
_MOST_LINES: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingPoint:
    """A rated match: its season and the ratings before and after it, in points."""

    season: int
    before: float
    after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GridLine:
    """A line of the grid: its height in the drawing and the rating there."""

    y: float
    rating: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingChart:
    """What there is to draw, in a box of WIDTH by HEIGHT; `seasons` are where a new one begins,
    `stops` the matches drawn with their places across."""

    path: str
    end: tuple[float, float]
    grid: tuple[GridLine, ...]
    seasons: tuple[float, ...]
    stops: tuple[tuple[int, float], ...]
    low: int
    high: int
    width: int = WIDTH
    height: int = HEIGHT


def thinned(values: Sequence[float], most: int = MOST_POINTS) -> list[int]:
    """The places of the values to draw: first, last, and of each stretch its lowest and highest."""
    count = len(values)
    if count <= most:
        return list(range(count))
    stretches = max(1, (most - 2) // 2)
    kept = {0, count - 1}
    for number in range(stretches):
        places = range(
            1 + number * (count - 2) // stretches, 1 + (number + 1) * (count - 2) // stretches
        )
        kept.add(min(places, key=values.__getitem__))
        kept.add(max(places, key=values.__getitem__))
    return sorted(kept)


def rating_chart(points: Sequence[RatingPoint]) -> RatingChart:
    """Draw rated matches, the earliest first; at least one."""
    values = [points[0].before, *(point.after for point in points)]
    lines = _grid(min(values), max(values))
    bottom, top = lines[0], lines[-1]

    def y(rating: float) -> float:
        share = (rating - bottom) / (top - bottom)
        return round(HEIGHT - _MARGIN - share * (HEIGHT - 2 * _MARGIN), 1)

    def x(number: int) -> float:
        return round(number * WIDTH / len(points), 1)

    drawn = thinned([point.after for point in points])
    steps = (f"H{x(number + 1)}V{y(points[number].after)}" for number in drawn)
    return RatingChart(
        path="".join((f"M0 {y(values[0])}", *steps)),
        end=(x(len(points)), y(values[-1])),
        grid=tuple(GridLine(y=y(rating), rating=rating) for rating in lines),
        seasons=tuple(
            x(number)
            for number, (one, other) in enumerate(pairwise(points), start=1)
            if one.season != other.season
        ),
        stops=tuple((number, x(number + 1)) for number in drawn),
        low=round(min(values)),
        high=round(max(values)),
    )


def _grid(lowest: float, highest: float) -> list[int]:
    for step in _STEPS:
        bottom = int(lowest // step) * step
        lines = list(range(bottom, int(-(-highest // step)) * step + 1, step))
        if len(lines) <= _MOST_LINES:
            break
    return lines if len(lines) > 1 else [bottom, bottom + step]
