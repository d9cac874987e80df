"""Rating arithmetic against the worked examples of ratings.md and its laws."""

from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from itertools import combinations
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ratings import elo
from ratings.elo import Pace, Standing

SETTLED = 20
K16 = Pace(k=16, provisional_k=16)


def moved(*players: tuple[int, int], matches: int = SETTLED, pace: Pace = K16) -> tuple[int, ...]:
    """Changes of players given as (rating in points, place)."""
    standings = [Standing(points * 1000, matches, place) for points, place in players]
    return elo.changes(len(standings), elo.transfers(standings, pace))


def test_equal_players_win_and_lose_half_of_k() -> None:
    assert moved((1500, 1), (1500, 2)) == (8000, -8000)


def test_equal_players_draw_for_nothing() -> None:
    assert moved((1500, 1), (1500, 1)) == (0, 0)


def test_stronger_player_wins_little() -> None:
    assert round(elo.expectation(1_600_000, 1_400_000), 6) == 0.759747
    assert moved((1600, 1), (1400, 2)) == (3844, -3844)


def test_stronger_player_pays_for_a_draw() -> None:
    assert moved((1600, 1), (1400, 1)) == (-4156, 4156)


def test_ra_02_draw_at_k_32_is_a_draw_not_a_loss() -> None:
    changes = moved((1600, 1), (1400, 1), matches=0, pace=Pace())
    assert changes == (-8312, 8312)


def test_four_equal_players_move_by_decided_pairs() -> None:
    assert moved((1500, 1), (1500, 2), (1500, 2), (1500, 4)) == (8001, 0, 0, -8001)


def test_ra_19_pair_takes_the_smaller_k() -> None:
    fresh, settled = Standing(1_500_000, 19, 1), Standing(1_500_000, 20, 2)
    assert elo.transfers([fresh, fresh], Pace()) == (0,)
    assert elo.transfers([fresh, Standing(1_500_000, 0, 2)], Pace()) == (16_000,)
    assert elo.transfers([fresh, settled], Pace()) == (8_000,)
    assert elo.transfers([settled, Standing(1_500_000, 0, 1)], Pace()) == (-8_000,)


def test_members_of_one_party_do_not_count_as_a_pair() -> None:
    friends = [
        Standing(1_500_000, SETTLED, 1, party=1),
        Standing(1_500_000, SETTLED, 2, party=1),
        Standing(1_500_000, SETTLED, 3),
    ]
    assert elo.transfers(friends, Pace()) == (0, 4000, 4000)


def test_two_lone_players_are_no_party() -> None:
    assert elo.transfers([Standing(0, 20, 1), Standing(0, 20, 2)], Pace()) == (8000,)


def test_idle_accounts_share_the_last_place() -> None:
    assert elo.rated_places([1, 2, 3, 4], [False, True, False, True]) == (3, 1, 3, 2)
    assert elo.rated_places([1, 1, 3], [True, True, True]) == (1, 1, 3)
    assert elo.rated_places([1, 2], [False, False]) == (1, 1)


def test_shown_rating_rounds_half_to_even() -> None:
    pairs = {1_500_500: 1500, 1_501_500: 1502, 1_500_501: 1501, -500: 0, -1_500: -2, -501: -1}
    assert {rating: elo.shown(rating) for rating in pairs} == pairs


def test_next_season_starts_half_way_to_1500() -> None:
    pairs = {1_600_000: 1_550_000, 1_500_001: 1_500_000, 1_500_003: 1_500_002, -1: 750_000}
    assert {rating: elo.next_season(rating) for rating in pairs} == pairs


def test_exact_text_keeps_three_places() -> None:
    assert [elo.exact(rating) for rating in (1_512_345, 7, -7, -1_000)] == [
        "1512.345",
        "0.007",
        "-0.007",
        "-1.000",
    ]


RATINGS = st.integers(min_value=-500_000, max_value=4_000_000)
STANDINGS = st.lists(
    st.builds(
        Standing,
        rating=RATINGS,
        matches=st.integers(min_value=0, max_value=40),
        place=st.integers(min_value=1, max_value=6),
        party=st.integers(min_value=0, max_value=2),
    ),
    min_size=2,
    max_size=6,
)


@given(own=RATINGS, other=RATINGS)
def test_expectation_is_the_formula_to_the_last_digits(own: int, other: int) -> None:
    assume(abs(own - other) <= 4_000_000)
    with localcontext() as context:
        context.prec = 40
        true = 1 / (1 + Decimal(10) ** (Decimal(other - own) / 400_000))
        error = abs(Decimal(elo.expectation(own, other)) / true - 1)
    assert error < Decimal("1e-15")


@given(own=RATINGS, other=RATINGS, pair=st.sampled_from([16, 32]), players=st.integers(2, 6))
def test_transfer_is_the_contracts_expression(
    own: int, other: int, pair: int, players: int
) -> None:
    with localcontext() as context:
        context.prec = 40
        expected = 1 / (1 + Decimal(10) ** (Decimal(other - own) / 400_000))
        points = Decimal(pair) / (players - 1) * (1 - expected)
        thousandths = int((points * 1000).quantize(Decimal(1), ROUND_HALF_EVEN))
    assert elo.transfer(pair, players, 1.0, elo.expectation(own, other)) == thousandths


@given(STANDINGS)
def test_points_are_conserved(standings: list[Standing]) -> None:
    assert sum(elo.changes(len(standings), elo.transfers(standings, Pace()))) == 0


@given(STANDINGS, st.randoms())
def test_order_of_seats_matters_to_a_thousandth_a_pair_at_most(
    standings: list[Standing], random: Random
) -> None:
    order = list(range(len(standings)))
    random.shuffle(order)
    plain = elo.changes(len(standings), elo.transfers(standings, Pace()))
    other = elo.changes(len(order), elo.transfers([standings[i] for i in order], Pace()))
    for position, index in enumerate(order):
        assert abs(other[position] - plain[index]) <= 1


@given(STANDINGS)
def test_equal_players_change_alike(standings: list[Standing]) -> None:
    alone = [Standing(one.rating, one.matches, one.place) for one in standings]
    twins = [alone[0], *alone]
    result = elo.changes(len(twins), elo.transfers(twins, Pace()))
    assert abs(result[0] - result[1]) <= len(twins)


@given(RATINGS, RATINGS, st.integers(2, 6))
def test_a_draw_takes_from_the_stronger(one: int, two: int, place: int) -> None:
    standings = [Standing(one, SETTLED, place), Standing(two, SETTLED, place)]
    (points,) = elo.transfers(standings, Pace())
    assert points == 0 or (points < 0) == (one > two)


@given(STANDINGS)
def test_winning_a_pair_never_costs(standings: list[Standing]) -> None:
    pairs = combinations(standings, 2)
    for (one, two), points in zip(pairs, elo.transfers(standings, Pace()), strict=True):
        if one.place != two.place:
            assert (points >= 0) == (one.place < two.place) or points == 0


@given(RATINGS)
def test_next_season_is_the_decimal_rule(rating: int) -> None:
    half = ((Decimal(rating) / 1000 + 1500) / 2).quantize(Decimal("0.001"), ROUND_HALF_EVEN)
    assert elo.next_season(rating) == int(half * 1000)


@given(RATINGS)
def test_shown_is_the_decimal_rule(rating: int) -> None:
    points = (Decimal(rating) / 1000).quantize(Decimal(1), ROUND_HALF_EVEN)
    assert elo.shown(rating) == points


@pytest.mark.parametrize("gap", [4_000_001, 10**12])
def test_absurd_gaps_move_nothing(gap: int) -> None:
    assert elo.transfer(32, 2, 1.0, elo.expectation(gap, 0)) == 0
