"""The rating graph: what is drawn, and that thinning keeps what matters."""

from __future__ import annotations

import random
import re

from api.rating_chart import HEIGHT, MOST_POINTS, WIDTH, RatingPoint, rating_chart, thinned


def wandering(count: int, seed: int = 0) -> list[RatingPoint]:
    dice = random.Random(seed)
    points, rating = [], 1500.0
    for number in range(count):
        after = rating + dice.uniform(-16, 16)
        points.append(RatingPoint(season=1 + number // 400, before=rating, after=after))
        rating = after
    return points


def heights(path: str) -> list[float]:
    return [float(y) for y in re.findall(r"V([\d.]+)", path)]


def test_few_values_are_all_kept() -> None:
    assert thinned([1.0] * MOST_POINTS) == list(range(MOST_POINTS))


def test_thinning_keeps_the_ends_the_highest_and_the_lowest() -> None:
    for seed in range(20):
        values = [point.after for point in wandering(1000, seed)]
        kept = thinned(values)
        assert len(kept) <= MOST_POINTS
        assert kept == sorted(set(kept))
        assert (kept[0], kept[-1]) == (0, 999)
        assert max(values) in [values[place] for place in kept]
        assert min(values) in [values[place] for place in kept]


def test_one_match_is_a_step_from_before_to_after() -> None:
    chart = rating_chart([RatingPoint(season=1, before=1500.0, after=1508.0)])
    up = re.fullmatch(r"M0 ([\d.]+)H1000.0V([\d.]+)", chart.path)
    assert up
    assert float(up[1]) > float(up[2])  # higher ratings lie higher, where y is smaller
    assert chart.end == (1000.0, float(up[2]))


def test_every_value_lies_within_the_grid_and_the_grid_on_round_numbers() -> None:
    for count in (1, 2, 60, 900):
        chart = rating_chart(wandering(count, count))
        ratings = [line.rating for line in chart.grid]
        assert 2 <= len(ratings) <= 5
        assert all(rating % 10 == 0 for rating in ratings)
        assert ratings[0] <= chart.low <= chart.high <= ratings[-1]
        inside = [line.y for line in chart.grid]
        assert all(min(inside) <= y <= max(inside) for y in heights(chart.path))
        assert all(0 <= y <= HEIGHT for y in heights(chart.path))
        assert len(chart.stops) == min(count, len(chart.stops)) <= MOST_POINTS


def test_a_rating_that_never_moved_is_a_level_line() -> None:
    still = [RatingPoint(season=1, before=1500.0, after=1500.0)] * 3
    chart = rating_chart(still)
    assert len(set(heights(chart.path))) == 1


def test_seasons_begin_where_they_began() -> None:
    chart = rating_chart(wandering(900))
    assert chart.seasons == (round(400 * WIDTH / 900, 1), round(800 * WIDTH / 900, 1))
