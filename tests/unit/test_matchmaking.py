"""Pairing by matchmaking.md: examples, and laws against an exhaustive search."""

from collections.abc import Iterator
from itertools import combinations, groupby
from random import Random
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tables.matchmaking import Pairing, pair
from tables.tickets import LARGEST, PREFERRED, STANDARD, Policy, Ticket, allowed, window


def ticket(
    number: int,
    *points: int,
    waited: float = 0.0,
    front: bool = False,
    browsers: tuple[str, ...] | None = None,
    blocked: tuple[int, ...] = (),
    met: tuple[int, ...] = (),
) -> Ticket:
    """Ticket `number`, of one player per rating; its first player is UUID(number * 100)."""
    players = tuple(UUID(int=number * 100 + seat) for seat in range(len(points)))
    return Ticket(
        id=UUID(int=number),
        players=players,
        ratings=tuple(rating * 1000 for rating in points),
        waited=waited,
        front=front,
        browsers=frozenset(browsers if browsers is not None else (f"browser {number}",)),
        blocked=frozenset(UUID(int=other * 100) for other in blocked),
        met=frozenset(UUID(int=other * 100) for other in met),
    )


def numbers(pairing: Pairing) -> list[set[int]]:
    return [{one.id.int for one in group.tickets} for group in pairing.groups]


def left(pairing: Pairing) -> list[int]:
    return [one.id.int for one in pairing.waiting]


def test_four_alike_play_at_once() -> None:
    pairing = pair([ticket(n, 1500 + n) for n in range(1, 5)])
    assert numbers(pairing) == [{1, 2, 3, 4}]
    assert (pairing.groups[0].size, pairing.groups[0].spread) == (4, 3000)
    assert pairing.waiting == ()


def test_three_wait_ten_seconds_and_two_wait_twenty() -> None:
    three = [ticket(n, 1500) for n in range(1, 4)]
    assert numbers(pair(three)) == []
    longest = three[0]._replace(waited=10.0)
    assert numbers(pair([longest, *three[1:]])) == [{1, 2, 3}]
    assert numbers(pair([longest, three[1]])) == []
    assert numbers(pair([longest._replace(waited=20.0), three[1]])) == [{1, 2}]


def test_one_ticket_alone_never_plays() -> None:
    assert numbers(pair([ticket(1, 1500, 1500, 1500, 1500, waited=999.0)])) == []


def test_window_grows_with_waiting_and_opens_after_a_minute() -> None:
    assert [window(s, STANDARD) for s in (0.0, 1.0, 59.0, 60.0)] == [
        100_000,
        120_000,
        1_280_000,
        float("inf"),
    ]


def test_long_wait_does_not_drag_a_fresh_player_into_a_wide_group() -> None:
    fresh = ticket(1, 1500)
    assert numbers(pair([fresh, ticket(2, 1000, waited=300.0)])) == []
    assert numbers(pair([fresh._replace(waited=20.0), ticket(2, 1000, waited=300.0)])) == [{1, 2}]


def test_far_apart_and_fresh_is_not_paired() -> None:
    crowd = [ticket(n, 200 if n % 2 else 1000, waited=5.0) for n in range(1, 5)]
    assert numbers(pair(crowd)) == []


def test_new_player_far_from_all_is_found_by_waiting() -> None:
    others = [ticket(n, 1800, waited=15.0) for n in range(2, 5)]
    assert left(pair([ticket(1, 1500), *others])) == [1]
    assert {1, 2, 3, 4} in numbers(pair([ticket(1, 1500, waited=10.0), *others]))


def test_party_is_never_split_and_six_is_the_most() -> None:
    four, three = ticket(1, *[1500] * 4, waited=99.0), ticket(2, *[1500] * 3, waited=99.0)
    assert numbers(pair([four, three])) == []
    assert numbers(pair([four, ticket(3, 1500, 1500)])) == [{1, 3}]


def test_four_are_preferred_to_five() -> None:
    pairing = pair([ticket(1, 1500, 1500, 1500), ticket(2, 1510, 1510), ticket(3, 1520)])
    assert numbers(pairing) == [{1, 3}]


def test_more_than_four_only_where_parties_make_it_so() -> None:
    assert numbers(pair([ticket(n, 1500) for n in range(1, 6)])) == [{1, 2, 3, 4}]
    assert numbers(pair([ticket(1, 1500, 1500, 1500), ticket(2, 1500, 1500)])) == [{1, 2}]
    five = pair([ticket(1, *[1500] * 5), ticket(2, 1500), ticket(3, 1500)])
    assert [group.size for group in five.groups] == [6]


def test_party_larger_than_five_stays_out() -> None:
    assert numbers(pair([ticket(1, *[1500] * 6), ticket(2, 1500)])) == []


def test_one_browser_never_meets_itself() -> None:
    same = [ticket(n, 1500, browsers=("shared",), waited=99.0) for n in range(1, 4)]
    assert numbers(pair(same)) == []
    assert len(numbers(pair([*same, ticket(4, 1500)]))[0]) == 2


def test_programs_without_a_browser_may_meet() -> None:
    assert numbers(pair([ticket(n, 1500, browsers=()) for n in range(1, 5)])) == [{1, 2, 3, 4}]


@pytest.mark.parametrize(("one", "other"), [((2,), ()), ((), (1,))])
def test_blocked_players_never_meet(one: tuple[int, ...], other: tuple[int, ...]) -> None:
    two = [
        ticket(1, 1500, blocked=one, waited=99.0),
        ticket(2, 1500, blocked=other, waited=99.0),
    ]
    assert numbers(pair(two)) == []


def test_block_of_a_party_member_counts() -> None:
    party = Ticket(
        UUID(int=1),
        (UUID(int=100), UUID(int=101)),
        (1_500_000, 1_500_000),
        99.0,
        blocked=frozenset({UUID(int=200)}),
    )
    assert numbers(pair([party, ticket(2, 1500, waited=99.0)])) == []


def test_who_waited_longest_is_served_first() -> None:
    crowd = [ticket(n, 1500 + n, waited=float(n)) for n in range(1, 6)]
    assert left(pair(crowd)) == [1]


def test_longest_waiter_at_the_edge_takes_the_place_of_the_freshest() -> None:
    crowd = [ticket(n, 1500 + n, waited=1.0) for n in range(1, 5)]
    assert left(pair([*crowd[:3], ticket(4, 1504), ticket(5, 1590, waited=9.0)])) == [4]


def test_sent_back_come_before_all() -> None:
    crowd = [ticket(n, 1500, waited=50.0) for n in range(1, 5)]
    pairing = pair([*crowd, ticket(9, 1500, front=True)])
    assert 9 in numbers(pairing)[0]
    assert len(pairing.waiting) == 1


def test_who_has_just_met_meets_others_first() -> None:
    crowd = [ticket(n, 1500, met=tuple({1, 2, 3, 4} - {n})) for n in range(1, 5)]
    crowd += [ticket(n, 1500, met=tuple({5, 6, 7, 8} - {n})) for n in range(5, 9)]
    met = [
        sum(bool(one.met & set(two.players)) for one, two in combinations(group.tickets, 2))
        for group in pair(crowd).groups
    ]
    assert max(met) < 6


def test_who_has_just_met_meets_again_when_nobody_else_is_there() -> None:
    assert numbers(pair([ticket(1, 1500, waited=20.0, met=(2,)), ticket(2, 1500)])) == [{1, 2}]


def test_quality_falls_from_one_towards_nothing() -> None:
    even = pair([ticket(n, 1500) for n in range(1, 5)]).groups[0]
    wide = pair([ticket(1, 1000, waited=60.0), ticket(2, 1800, waited=60.0)]).groups[0]
    assert even.quality == 1.0
    assert 0.0 < wide.quality < 0.02


def test_windows_are_a_setting() -> None:
    strict = Policy(first_window=1_000)
    assert numbers(pair([ticket(n, 1500 + n) for n in range(1, 5)], strict)) == []


@st.composite
def pools(draw: st.DrawFn, most: int = 9) -> list[Ticket]:
    """Small pools with everything in them: parties, blocks, shared browsers, all waits."""
    count = draw(st.integers(0, most))
    points = st.integers(1300, 1700)
    pool = []
    for number in range(1, count + 1):
        size = draw(st.sampled_from([1, 1, 1, 1, 2, 3, 5]))
        pool.append(
            ticket(
                number,
                *draw(st.lists(points, min_size=size, max_size=size)),
                waited=draw(st.sampled_from([0.0, 1.0, 2.0, 5.0, 9.9, 10.0, 20.0, 59.0, 60.0])),
                front=draw(st.sampled_from([False, False, True])),
                browsers=draw(st.sampled_from([None, None, None, ("shared",), ()])),
                blocked=tuple(draw(st.sets(st.integers(1, most), max_size=1)) - {number}),
                met=tuple(draw(st.sets(st.integers(1, most), max_size=2)) - {number}),
            )
        )
    return pool


@settings(max_examples=100, deadline=None)
@given(pools(most=20))
def test_everybody_is_once_and_every_group_is_allowed(pool: list[Ticket]) -> None:
    pairing = pair(pool)
    seen = [one for group in pairing.groups for one in group.tickets] + list(pairing.waiting)
    assert sorted(one.id for one in seen) == sorted(one.id for one in pool)
    for group in pairing.groups:
        assert allowed(group.tickets, STANDARD)
        assert group.size == sum(len(one.players) for one in group.tickets)
        ratings = [rating for one in group.tickets for rating in one.ratings]
        assert group.spread == max(ratings) - min(ratings)
        assert 0.0 <= group.quality <= 1.0


@settings(max_examples=60, deadline=None)
@given(pools(most=20), st.randoms())
def test_order_of_tickets_changes_nothing(pool: list[Ticket], random: Random) -> None:
    shuffled = list(pool)
    random.shuffle(shuffled)
    assert pair(shuffled) == pair(pool)


@settings(max_examples=100, deadline=None)
@given(pools())
def test_nobody_waits_who_could_play(pool: list[Ticket]) -> None:
    waiting = pair(pool).waiting
    for size in range(2, LARGEST + 1):
        for some in combinations(waiting, size):
            assert not allowed(some, STANDARD)


@settings(max_examples=100, deadline=None)
@given(pools())
def test_nobody_waits_whose_place_somebody_fresher_has(pool: list[Ticket]) -> None:
    pairing = pair(pool)
    for waiter in pairing.waiting:
        for group in pairing.groups:
            freshest = max(group.tickets, key=lambda one: (priority(one), one.id))
            if priority(freshest) > priority(waiter):
                rest = [one for one in group.tickets if one is not freshest]
                assert not allowed([*rest, waiter], STANDARD)


@pytest.mark.parametrize(
    "pool",
    [
        [ticket(1, 1854, waited=60), ticket(2, 1228, waited=25), ticket(3, 1501, waited=20)],
        [
            ticket(1, 1742, waited=10, front=True),
            ticket(2, 1325, waited=59.9),
            ticket(3, 1538, waited=20),
        ],
    ],
)
def test_first_takes_an_opponent_from_another(pool: list[Ticket]) -> None:
    pairing = pair(pool)
    assert (numbers(pairing), left(pairing)) == ([{1, 3}], [2])


def priority(one: Ticket) -> tuple[bool, float]:
    return (not one.front, -one.waited)


def groups_of(one: Ticket, pool: list[Ticket]) -> Iterator[set[Ticket]]:
    """Every allowed group of a ticket and others."""
    others = [other for other in pool if other is not one]
    for count in range(1, PREFERRED):
        for some in combinations(others, count):
            if allowed([one, *some], STANDARD):
                yield {one, *some}


@settings(max_examples=200, deadline=None)
@given(pools())
def test_first_for_whom_there_is_any_group_is_served(pool: list[Ticket]) -> None:
    waiting = set(pair(pool).waiting)
    for _, alike in groupby(sorted(pool, key=priority), key=priority):
        able = {one for one in alike if next(groups_of(one, pool), None)}
        if able:
            assert not able <= waiting
            break


@settings(max_examples=100, deadline=None)
@given(pools(most=8))
def test_nobody_waits_while_only_fresher_ones_stand_in_the_way(pool: list[Ticket]) -> None:
    pairing = pair(pool)
    for waiter in pairing.waiting:
        for group in groups_of(waiter, pool):
            in_the_way = []
            for other in pairing.groups:
                rest = [one for one in other.tickets if one not in group]
                if not rest or group.isdisjoint(other.tickets):
                    continue
                # Who loses their place; if nobody does, the group of four is kept all the same.
                behind = rest if not allowed(rest, STANDARD) else [max(other.tickets, key=priority)]
                in_the_way += [one for one in behind if priority(one) <= priority(waiter)]
            assert in_the_way


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 3_000), min_size=8, max_size=60))
def test_spread_of_lone_equals_is_that_of_sorted_neighbours(points: list[int]) -> None:
    pool = [ticket(n, rating, waited=60.0) for n, rating in enumerate(points, start=1)]
    pool = pool[: len(pool) // PREFERRED * PREFERRED]
    ratings = sorted(one.ratings[0] for one in pool)
    best = sum(ratings[n + PREFERRED - 1] - ratings[n] for n in range(0, len(ratings), PREFERRED))
    assert sum(group.spread for group in pair(pool).groups) == best
