"""Rating matches against the real database: exactly once, explained, void and restored."""

from collections.abc import Sequence
from datetime import timedelta
from io import StringIO
from uuid import UUID, uuid4

import pytest
from django.core.management import call_command
from django.db import IntegrityError, transaction
from django.utils import timezone

from accounts.models import Notice
from ratings import elo, selectors, services
from ratings.models import BoardChange, MatchTransfers, Rating, Season
from ratings.services import Entrant
from tests.rated import NOW, finish, players

pytestmark = pytest.mark.django_db


def settle(who: Sequence[UUID], matches: int = 20) -> None:
    """Give these players so many drawn matches."""
    for _ in range(matches):
        finish(who, [1] * len(who))


def test_everybody_starts_at_1500_provisionally() -> None:
    (anna,) = players(1)
    rating = selectors.rating_of(anna)
    assert (rating.exact, rating.shown, rating.provisional, rating.matches) == (
        "1500.000",
        1500,
        True,
        0,
    )


def test_winner_takes_what_the_loser_gives() -> None:
    anna, ben = players(2)
    result = finish([anna, ben], [1, 2])
    assert (result.before, result.after) == ((1_500_000, 1_500_000), (1_516_000, 1_484_000))
    ratings = selectors.ratings_of([anna, ben])
    assert [ratings[one].exact for one in (anna, ben)] == ["1516.000", "1484.000"]
    assert [ratings[one].peak for one in (anna, ben)] == [1_516_000, 1_500_000]
    assert ratings[anna].last_at == NOW


def test_k_is_16_from_the_21st_match_on() -> None:
    anna, ben = players(2)
    settle([anna, ben])
    assert not selectors.rating_of(anna).provisional
    assert finish([anna, ben], [1, 2]).after == (1_508_000, 1_492_000)


def test_seats_given_in_any_order_are_rated_in_theirs() -> None:
    anna, ben = players(2)
    entrants = [
        Entrant(player_id=ben, seat=2, place=1, party_id=None, decided=True),
        Entrant(player_id=anna, seat=1, place=2, party_id=None, decided=True),
    ]
    result = services.rate_match(match_id=uuid4(), finished_at=NOW, entrants=entrants, now=NOW)
    assert result.after == (1_484_000, 1_516_000)


def test_match_is_rated_once() -> None:
    who, match_id = players(2), uuid4()
    finish(who, [1, 2], match_id=match_id)
    with pytest.raises(IntegrityError), transaction.atomic():
        finish(who, [1, 2], match_id=match_id)
    assert selectors.rating_of(who[0]).matches == 1


@pytest.mark.parametrize("count", [0, 1])
def test_nobody_is_rated_alone(count: int) -> None:
    with pytest.raises(services.NotRateable):
        finish(players(count), [1] * count)


def test_player_is_not_rated_against_themselves() -> None:
    (anna,) = players(1)
    with pytest.raises(services.NotRateable):
        finish([anna, anna], [1, 2])


def test_party_members_do_not_count_as_a_pair() -> None:
    who, party = players(3), uuid4()
    result = finish(who, [1, 2, 3], parties=[party, party, None])
    assert result.transfers == (0, 8_000, 8_000)
    match_id = selectors.matches_of(who[0])[0].match_id
    pairs = selectors.match_ratings([match_id])[match_id].pairs
    assert [pair.same_party for pair in pairs] == [True, False, False]


def test_idle_player_is_last_whatever_the_cpu_won() -> None:
    who = players(3)
    result = finish(who, [1, 2, 3], decided=[False, True, True])
    assert result.after[0] < result.after[2] < result.after[1]


def test_player_can_be_shown_why() -> None:
    who = players(3)
    finish(who, [1, 1, 3])
    (match,) = selectors.matches_of(who[2])
    assert match.changes == (8_000, 8_000, -16_000)
    assert match.after == (1_508_000, 1_508_000, 1_484_000)
    first = match.pairs[0]
    assert (first.players, first.score, first.expectation, first.points) == (
        (who[0], who[1]),
        0.5,
        0.5,
        0,
    )


def test_sum_of_all_ratings_never_moves() -> None:
    who = players(6)
    for number in range(12):
        order = who[number % 6 :] + who[: number % 6]
        finish(order[: 2 + number % 5], list(range(1, 3 + number % 5)))
    assert sum(one.rating for one in selectors.ratings_of(who).values()) == 6 * elo.START


def test_rating_that_moves_moves_the_counts_with_it() -> None:
    anna, ben = players(2)
    settle([anna, ben])
    finish([anna, ben], [1, 2])
    ranks = selectors.ranks_of([anna, ben])
    assert [ranks[one].rank for one in (anna, ben)] == [1, 2]
    services.roll_up_boards()
    assert BoardChange.objects.count() == 0
    assert selectors.ranks_of([anna, ben]) == ranks


def test_history_is_newest_first_and_in_pages() -> None:
    anna, ben = players(2)
    for day in range(5):
        finish([anna, ben], [1, 2], at=NOW + timedelta(days=day))
    newest = selectors.matches_of(anna, most=3)
    rest = selectors.matches_of(anna, before_seq=newest[-1].seq, most=3)
    days = [(match.finished_at - NOW).days for match in [*newest, *rest]]
    assert days == [4, 3, 2, 1, 0]


def test_void_is_noted_once_and_so_is_restore() -> None:
    who, match_id = players(2), uuid4()
    finish(who, [1, 2], match_id=match_id)
    assert services.void_match(match_id=match_id, now=NOW)
    assert not services.void_match(match_id=match_id, now=NOW)
    assert services.restore_match(match_id=match_id, now=NOW)
    assert not services.restore_match(match_id=match_id, now=NOW)
    assert not services.void_match(match_id=uuid4(), now=NOW)


def test_next_season_begins_half_way_and_counts_anew() -> None:
    anna, ben = players(2)
    finish([anna, ben], [1, 2])
    season = services.change_season(now=NOW + timedelta(days=1))
    rating = selectors.rating_of(anna)
    assert (rating.rating, rating.matches, rating.provisional) == (1_508_000, 0, True)
    finish([anna, ben], [1, 2], at=NOW + timedelta(days=2))
    assert selectors.rating_of(anna).matches == 1
    assert Rating.objects.filter(player_id=anna).count() == 2
    assert selectors.peak_of(anna) == max(1_516_000, selectors.rating_of(anna).peak)
    assert season.surplus == 0


def test_two_seasons_away_are_two_moves() -> None:
    anna, ben = players(2)
    finish([anna, ben], [1, 2])
    for days in (1, 2):
        services.change_season(now=NOW + timedelta(days=days))
    assert selectors.rating_of(anna).rating == 1_504_000
    assert finish([anna, ben], [1, 1]).before == (1_504_000, 1_496_000)


def test_season_asked_to_end_twice_ends_once() -> None:
    number = services.running_season(now=NOW).number
    first = services.change_season(now=NOW, closing=number)
    again = services.change_season(now=NOW, closing=number)
    assert first.number == again.number == number + 1


def test_the_command_given_twice_ends_one_season(django_capture_on_commit_callbacks) -> None:
    anna, ben = players(2)
    finish([anna, ben], [1, 2])
    Season.objects.update(starts_at=timezone.now() - timedelta(days=90))
    Rating.objects.update(last_at=timezone.now())
    number = services.running_season(now=NOW).number

    def run(*options: str) -> str:
        out = StringIO()
        call_command("change_season", *options, stdout=out)
        return out.getvalue().strip()

    with django_capture_on_commit_callbacks(execute=True):
        assert run() == f"Season {number + 1} begins."
        assert run() == f"Season {number + 1} was running."
    told = Notice.objects.filter(kind="season").values_list("player_id", flat=True)
    assert sorted(told) == sorted([anna, ben])
    assert selectors.rating_of(anna).rating == 1_508_000
    assert run(f"--closing={number}") == f"Season {number + 1} was running."
    assert run(f"--closing={number + 1}") == f"Season {number + 2} begins."
    assert run() == f"Season {number + 2} was running."
    assert Season.objects.count() == 3


def test_season_turns_when_its_end_has_come() -> None:
    services.running_season(now=NOW)
    Season.objects.update(starts_at=NOW - timedelta(days=90))
    planned = services.plan_season(
        starts_at=NOW + timedelta(days=1), ends_at=None, pace=elo.Pace(k=24), now=NOW
    )
    assert services.turn_season(now=NOW) is None
    begun = services.turn_season(now=NOW + timedelta(days=1))
    assert begun is not None
    assert (begun.pk, begun.k) == (planned.pk, 24)
    assert services.turn_season(now=NOW + timedelta(days=1)) is None


def test_rounding_of_the_move_is_recorded_with_the_season() -> None:
    who = players(4)
    finish(who, [1, 2, 2, 4])
    finish(who[:3], [1, 2, 3])
    season = services.change_season(now=NOW)
    moved = sum(one.rating - elo.START for one in selectors.ratings_of(who).values())
    assert season.number == 2
    assert Season.objects.get(number=2).surplus == moved


def test_transfers_are_one_row_a_match() -> None:
    who = players(6)
    finish(who, [1, 2, 3, 4, 5, 6])
    row = MatchTransfers.objects.get()
    assert (len(row.before), len(row.transfers)) == (6, 15)
