"""The chart of a match: everybody's chips, one's own line over the others."""

from __future__ import annotations

import pytest

from api.chips_chart import chips_chart

CHIPS = {1: [1000, 1100], 2: [1000, 1100], 3: [1000, 900]}


@pytest.mark.parametrize("own", [1, 2, 3])
def test_the_own_line_is_drawn_over_all_others(own: int) -> None:
    chart = chips_chart(CHIPS, own=own)
    assert chart.lines[-1].seat == own == chart.own
    assert sorted(line.seat for line in chart.lines) == [1, 2, 3]


def test_who_watches_sees_the_lines_in_the_order_of_seats() -> None:
    assert [line.seat for line in chips_chart(CHIPS).lines] == [1, 2, 3]


def test_labels_of_lines_that_end_together_stand_apart() -> None:
    first, second, _ = sorted(line.label for line in chips_chart(CHIPS).lines)
    assert second - first >= 15
