"""The chips of every seat after each round, as lines on a grid of round numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

WIDTH: Final = 1000
HEIGHT: Final = 240
_MARGIN: Final = 16
_STEPS: Final = (50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000, 100_000)
_MOST_LINES: Final = 6
_APART: Final = 15
"""Labels at the ends of lines stand at least so far from each other, in px."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipLine:
    """A seat's line: its drawing, where it ends, and where the label beside the end stands."""

    seat: int
    path: str
    end: float
    label: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ChipsChart:
    """What there is to draw, in a box of WIDTH by HEIGHT; `grid` are heights with their chips.

    The lines stand in the order in which they are drawn: that of the seat `own` over all others.
    """

    own: int | None
    lines: tuple[ChipLine, ...]
    grid: tuple[tuple[float, int], ...]
    low: int
    high: int
    rounds: int
    width: int = WIDTH
    height: int = HEIGHT


def chips_chart(chips: Mapping[int, Sequence[int]], *, own: int | None = None) -> ChipsChart:
    """Draw each seat's chips: those of the start, then after every round; at least one round."""
    values = [value for line in chips.values() for value in line]
    marks = _grid(min(values), max(values))
    rounds = max(map(len, chips.values())) - 1

    def y(value: int) -> float:
        share = (value - marks[0]) / (marks[-1] - marks[0])
        return round(HEIGHT - _MARGIN - share * (HEIGHT - 2 * _MARGIN), 1)

    def path(line: Sequence[int]) -> str:
        points = (f"{round(at * WIDTH / rounds, 1)} {y(value)}" for at, value in enumerate(line))
        return "M" + "L".join(points)

    ends = {seat: y(line[-1]) for seat, line in chips.items()}
    labels = _spread(ends)
    return ChipsChart(
        own=own,
        lines=tuple(
            ChipLine(seat=seat, path=path(line), end=ends[seat], label=labels[seat])
            for seat, line in sorted(chips.items(), key=lambda each: each[0] == own)
        ),
        grid=tuple((y(mark), mark) for mark in marks),
        low=min(values),
        high=max(values),
        rounds=rounds,
    )


def _spread(ends: Mapping[int, float]) -> dict[int, float]:
    """Heights near these, none nearer to another than `_APART`, all inside the box."""
    placed: dict[int, float] = {}
    above = float("-inf")
    for seat in sorted(ends, key=lambda each: (ends[each], each)):
        above = placed[seat] = max(ends[seat], above + _APART)
    over = max(0.0, above - (HEIGHT - _MARGIN / 2))
    below = float("inf")
    for seat in reversed(placed):
        if not over:
            break
        below = placed[seat] = min(placed[seat], HEIGHT - _MARGIN / 2, below - _APART)
    return placed


def _grid(lowest: int, highest: int) -> list[int]:
    for step in _STEPS:
        bottom = lowest // step * step
        marks = list(range(bottom, -(-highest // step) * step + 1, step))
        if len(marks) <= _MOST_LINES:
            break
    return marks if len(marks) > 1 else [bottom, bottom + step]
