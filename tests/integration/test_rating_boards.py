"""Leaderboards: shared ranks, keyset pages, neighbours, shares; in step with the flags."""

from collections.abc import Sequence
from datetime import timedelta
from random import Random
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from ratings import selectors, services
from ratings.models import BoardChange, BoardCount, Rating
from ratings.selectors.boards import Entry, Key, Standing
from tables.services.removal import ban_player, delete_account
from tests.rated import NOW, listed

pytestmark = pytest.mark.django_db


def by_sorting() -> list[tuple[int, UUID, int]]:
    """Rank, player and shown rating of the board, as anybody would count them by hand."""
    rows = sorted(Rating.objects.filter(on_board=True), key=lambda row: (-row.shown, row.player_id))
    return [
        (1 + sum(other.shown > row.shown for other in rows), row.player_id, row.shown)
        for row in rows
    ]


def lines(entries: Sequence[Entry]) -> list[tuple[int, UUID, int]]:
    return [(entry.rank, entry.player_id, entry.shown) for entry in entries]


def test_equal_shown_ratings_share_a_rank() -> None:
    listed([1510, 1600.4, 1600.4999, 1590])
    assert [entry.rank for entry in selectors.page().entries] == [1, 1, 3, 4]
    assert [entry.shown for entry in selectors.page().entries] == [1600, 1600, 1590, 1510]


@pytest.mark.parametrize("roll_up", [True, False])
def test_every_way_to_read_a_rank_agrees(roll_up: bool) -> None:
    random = Random(1)
    who = listed([random.gauss(1500, 60) for _ in range(150)], roll_up=roll_up)
    listed([1900, 1400], on_board=False)
    truth = by_sorting()
    assert lines(selectors.page(most=200).entries) == truth
    ranks = selectors.ranks_of(who)
    assert {player: standing.rank for player, standing in ranks.items()} == {
        player: rank for rank, player, _ in truth
    }
    for rank, player, shown in truth[::17]:
        assert selectors.standings([shown])[shown].rank == rank
        around = selectors.around(player, each_side=5)
        index = [entry[1] for entry in truth].index(player)
        assert lines(around.entries) == truth[max(0, index - 5) : index + 6]
        below = sum(other < shown for _, _, other in truth)
        assert ranks[player].percentile == round(100 * below / len(truth), 1)


def test_ld_02_pages_meet_everybody_once_in_both_directions() -> None:
    random = Random(2)
    listed([random.choice([1500, 1501, 1502, 1530]) for _ in range(50)])
    truth = by_sorting()
    there: list[tuple[int, UUID, int]] = []
    page = selectors.page(most=20)
    assert not page.more_above
    there += lines(page.entries)
    while page.more_below:
        last = page.entries[-1]
        page = selectors.page(after=Key(last.shown, last.player_id), most=20)
        there += lines(page.entries)
    assert there == truth
    first = page.entries[0]
    back = selectors.page(before=Key(first.shown, first.player_id), most=20)
    assert lines(back.entries) == truth[20:40]
    assert back.more_above
    first = back.entries[0]
    top = selectors.page(before=Key(first.shown, first.player_id), most=20)
    assert lines(top.entries) == truth[:20]
    assert not top.more_above


def test_who_does_not_move_is_neither_skipped_nor_repeated() -> None:
    who = listed([1500] * 50)
    page = selectors.page(most=20)
    moved, last = page.entries[0].player_id, page.entries[-1]
    Rating.objects.filter(player_id=moved).update(shown=1400, rating=1_400_000)
    rest = selectors.page(after=Key(last.shown, last.player_id), most=50)
    seen = [entry.player_id for entry in [*page.entries, *rest.entries]]
    assert sorted(seen) == sorted([*who, moved])


def test_board_of_nobody_is_empty() -> None:
    assert selectors.page().entries == ()
    assert selectors.distribution() == []
    assert selectors.standings([1500])[1500] == Standing(rank=1, percentile=0.0, players=0)
    assert selectors.around(uuid4()).entries == ()


def test_shown_ratings_below_zero_have_ranks_too() -> None:
    listed([-49, -50, -51, 0, 49, -0.4])
    assert [(entry.rank, entry.shown) for entry in selectors.page().entries] == [
        (1, 49),
        (2, 0),
        (2, 0),
        (4, -49),
        (5, -50),
        (6, -51),
    ]
    assert selectors.standings([-50])[-50].rank == 5
    assert [(band.low, band.players) for band in selectors.distribution()] == [
        (-100, 1),
        (-50, 2),
        (0, 3),
    ]


def test_distribution_has_no_gaps() -> None:
    listed([1500, 1549, 1650])
    assert [(band.low, band.high, band.players) for band in selectors.distribution()] == [
        (1500, 1549, 2),
        (1550, 1599, 0),
        (1600, 1649, 0),
        (1650, 1699, 1),
    ]


def test_counts_come_to_the_same_before_and_after_rolling_up() -> None:
    random = Random(3)
    listed([random.gauss(1500, 100) for _ in range(60)], roll_up=False)
    before = (selectors.page(), selectors.distribution(), selectors.standings([1480]))
    assert BoardChange.objects.count() == 60
    assert services.roll_up_boards() == 60
    assert (selectors.page(), selectors.distribution(), selectors.standings([1480])) == before
    assert sum(BoardCount.objects.filter(level=1).values_list("players", flat=True)) == 60


def test_newcomer_is_told_what_is_missing() -> None:
    standing, missing = selectors.standing_of(uuid4(), now=NOW)
    assert standing is None
    assert [(one.code, one.have, one.need) for one in missing] == [("too_few_matches", 0, 20)]


def test_old_board_stays_readable_and_the_new_one_begins_empty() -> None:
    who = listed([1600, 1500])
    services.change_season(now=NOW + timedelta(days=1))
    assert selectors.page().entries == ()
    assert [entry.player_id for entry in selectors.page(season=1).entries] == who
    assert selectors.ranks_of(who, season=1)[who[0]].rank == 1
    assert selectors.page(season=3).entries == ()


def test_generated_history_is_consistent(settings: Any) -> None:
    call_command("generate_history", "--players=30", "--matches=0", "--board")
    assert len(selectors.page().entries) == 30
    settings.PRODUCTION = True
    with pytest.raises(CommandError):
        call_command("generate_history")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("goes", ["banned", "deleted"])
def test_who_is_banned_or_deleted_leaves_the_board_at_once(valkey: Any, goes: str) -> None:
    best, second = listed([1600, 1500], at=timezone.now())
    if goes == "banned":
        ban_player(player_id=best, until=None, reason="Collusion", now=timezone.now())
    else:
        delete_account(player_id=best, acting=None, now=timezone.now())
    assert lines(selectors.page().entries) == [(1, second, 1500)]
    assert selectors.standing_of(best, now=timezone.now())[0] is None
