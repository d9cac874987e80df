"""Recomputation: exact, checked, switched at once; a void is as if the match had never been."""

import json
from collections.abc import Sequence
from datetime import timedelta
from io import StringIO
from random import Random
from threading import Thread
from uuid import UUID, uuid4

import pytest
from django.core.management import call_command
from django.db import connection

from accounts.models import Player
from ratings import elo, selectors, services
from ratings.models import (
    BoardChange,
    Correction,
    MatchTransfers,
    RatedMatch,
    Rating,
    RatingHead,
)
from ratings.services.checks import check
from ratings.services.generations import apply_corrections, recompute
from ratings.services.pruning import prune
from tests.rated import NOW, finish, players

pytestmark = pytest.mark.django_db(transaction=True)


def play(who: Sequence[UUID], matches: int, random: Random) -> list[UUID]:
    """So many random matches of these players."""
    played = []
    for _ in range(matches):
        size = random.randint(2, min(6, len(who)))
        party = uuid4()
        parties = [random.choice([None, None, party]) for _ in range(size)]
        places = [random.randint(1, size) for _ in range(size)]
        played.append(uuid4())
        finish(random.sample(list(who), size), places, parties=parties, match_id=played[-1])
    return played


def numbers(who: Sequence[UUID]) -> dict[UUID, tuple[int, int, int]]:
    found = selectors.ratings_of(who)
    return {player: (row.rating, row.matches, row.peak) for player, row in found.items()}


def test_replay_finds_no_difference_over_seasons() -> None:
    who, random = players(12), Random(1)
    for _ in range(3):
        play(who, 60, random)
        services.change_season(now=NOW)
    play(who, 30, random)
    report = check(now=NOW)
    assert (report.differing, report.differing_counts, report.matches) == (0, 0, 210)


def test_new_generation_is_the_old_one_again() -> None:
    who, random = players(10), Random(2)
    play(who, 150, random)
    services.change_season(now=NOW)
    matches = play(who, 150, random)
    services.roll_up_boards()
    before = (
        numbers(who),
        selectors.page(),
        selectors.page(season=1),
        selectors.distribution(),
        selectors.match_ratings(matches),
    )
    done = recompute(now=NOW)
    after = (
        numbers(who),
        selectors.page(),
        selectors.page(season=1),
        selectors.distribution(),
        selectors.match_ratings(matches),
    )
    assert done.generation == RatingHead.objects.get().generation == 2
    assert after == before
    assert before[1].entries
    assert not check(now=NOW).differs
    play(who, 20, random)
    assert not check(now=NOW).differs


def test_void_is_as_if_the_match_had_never_been() -> None:
    who, random = players(8), Random(3)
    played = play(who, 60, random)
    before = numbers(who)
    void = played[10]
    assert services.void_match(match_id=void, now=NOW)
    assert not check(now=NOW).differs
    assert apply_corrections(now=NOW) is not None
    assert apply_corrections(now=NOW) is None
    assert not check(now=NOW).differs
    assert numbers(who) != before
    assert void not in selectors.match_ratings(played)
    assert len(selectors.match_ratings(played)) == 59
    assert services.restore_match(match_id=void, now=NOW)
    apply_corrections(now=NOW)
    assert numbers(who) == before
    assert len(selectors.match_ratings(played)) == 60


def test_void_of_all_matches_leaves_newcomers() -> None:
    who = players(2)
    match_id = uuid4()
    finish(who, [1, 2], match_id=match_id)
    services.void_match(match_id=match_id, now=NOW)
    apply_corrections(now=NOW)
    assert set(numbers(who).values()) == {(elo.START, 0, elo.START)}
    assert finish(who, [1, 2])
    assert not check(now=NOW).differs


def test_several_voids_are_joined() -> None:
    who = players(6)
    played = play(who, 30, Random(4))
    for match_id in played[5:9]:
        services.void_match(match_id=match_id, now=NOW)
    apply_corrections(now=NOW)
    assert RatingHead.objects.get().generation == 2
    assert not Correction.objects.filter(generation=None).exists()
    assert not check(now=NOW).differs


def test_void_in_a_past_season_moves_the_present_one() -> None:
    who = players(4)
    first = uuid4()
    finish(who, [1, 2, 3, 4], match_id=first)
    services.change_season(now=NOW)
    finish(who, [1, 2, 3, 4])
    services.void_match(match_id=first, now=NOW)
    apply_corrections(now=NOW)
    alone = selectors.rating_of(who[0])
    assert (alone.rating, alone.matches) == (elo.START + 3 * 5_333, 1)
    assert not check(now=NOW).differs


def test_changed_row_is_found_and_repaired() -> None:
    who = players(6)
    play(who, 30, Random(5))
    truth = numbers(who)
    Rating.objects.filter(player_id=who[0]).update(rating=1_700_000)
    report = check(now=NOW)
    assert report.differing == 1
    assert report.largest_difference == 1_700_000 - truth[who[0]][0]
    recompute(now=NOW)
    assert numbers(who) == truth
    assert not check(now=NOW).differs


@pytest.mark.parametrize(
    "wrong", [{"matches": 99}, {"peak": 1_900_000}, {"shown": 1}, {"on_board": True}]
)
def test_whatever_else_is_changed_is_found_and_repaired(wrong: dict[str, int]) -> None:
    who = players(4)
    play(who, 10, Random(6))
    Rating.objects.filter(player_id=who[0]).update(**wrong)
    assert check(now=NOW).differing == 1
    recompute(now=NOW)
    assert not check(now=NOW).differs


def test_flags_may_follow_the_clock_by_minutes_but_no_longer() -> None:
    who = players(2)
    for _ in range(20):
        finish(who, [1, 1])
    over = NOW + timedelta(days=30)
    assert not check(now=over + timedelta(minutes=9)).differs
    assert check(now=over + timedelta(minutes=11)).differing == 2


@pytest.mark.parametrize(
    "wrong",
    [
        "UPDATE ratings_matchtransfers SET transfers[1] = transfers[1] + 1 WHERE seq = %s",
        "UPDATE ratings_matchtransfers SET before[2] = before[2] - 1 WHERE seq = %s",
        "UPDATE ratings_matchtransfers SET transfers[1] = NULL WHERE seq = %s",
        "UPDATE ratings_matchtransfers SET transfers = '{}' WHERE seq = %s",
        "UPDATE ratings_matchtransfers SET transfers = transfers || 0 WHERE seq = %s",
        "DELETE FROM ratings_matchtransfers WHERE seq = %s",
    ],
)
@pytest.mark.parametrize("which", ["first", "last"])
def test_changed_transfers_of_one_match_are_found_and_repaired(wrong: str, which: str) -> None:
    who, random = players(6), Random(16)
    played = play(who, 30, random)
    services.void_match(match_id=played[5], now=NOW)
    apply_corrections(now=NOW)
    played += play(who, 10, random)
    truth = selectors.match_ratings(played)
    rated = RatedMatch.objects.order_by("seq")
    seq = (rated[0] if which == "first" else rated[len(rated) - 1]).seq
    assert not check(now=NOW).differs
    with connection.cursor() as cursor:
        cursor.execute(wrong, [seq])
    with pytest.raises(SystemExit) as ended:
        call_command("recompute_ratings", "--check", "--json", stdout=(out := StringIO()))
    assert ended.value.code == 1
    figures = json.loads(out.getvalue())
    assert (figures["differing_transfers"], figures["differing_players"]) == (1, 0)
    recompute(now=NOW)
    assert not check(now=NOW).differs
    assert selectors.match_ratings(played) == truth


def test_transfers_of_no_match_and_of_a_void_one_are_found() -> None:
    who = players(3)
    played = play(who, 3, Random(17))
    services.void_match(match_id=played[1], now=NOW)
    apply_corrections(now=NOW)
    newest = MatchTransfers.objects.order_by("-seq", "-generation")
    void = RatedMatch.objects.get(match_id=played[1]).seq
    MatchTransfers.objects.filter(seq=void).update(before=[elo.START] * 2, transfers=[0])
    MatchTransfers.objects.create(seq=newest[0].seq + 1, generation=1, before=[], transfers=[])
    assert check(now=NOW).differing_transfers == 2


def test_lost_row_is_found() -> None:
    who = players(2)
    finish(who, [1, 2])
    Rating.objects.filter(player_id=who[0]).delete()
    assert check(now=NOW).differing == 1


def test_changed_board_count_is_found() -> None:
    who = players(2)
    for _ in range(20):
        finish(who, [1, 1])
    assert not check(now=NOW).differs
    BoardChange.objects.all().delete()
    assert check(now=NOW).differing_counts == 2


def test_old_generations_are_pruned_and_nobody_notices() -> None:
    who, random = players(6), Random(7)
    played = play(who, 40, random)
    services.void_match(match_id=played[30], now=NOW)
    apply_corrections(now=NOW)
    before = (numbers(who), selectors.match_ratings(played), selectors.page())
    assert prune() > 0
    assert (numbers(who), selectors.match_ratings(played), selectors.page()) == before
    assert set(Rating.objects.values_list("generation", flat=True)) == {2}
    assert MatchTransfers.objects.count() == RatedMatch.objects.count()
    assert prune() == 0


def in_thread(action: object, *args: object, **options: object) -> Thread:
    def run() -> None:
        try:
            action(*args, **options)  # type: ignore[operator]
        finally:
            connection.close()

    thread = Thread(target=run)
    thread.start()
    return thread


def test_nothing_is_lost_or_counted_twice_while_matches_finish() -> None:
    who, random = players(12), Random(8)
    play(who, 60, random)
    threads = [in_thread(play, who[:6], 60, Random(9)), in_thread(play, who[6:], 60, Random(10))]
    generations = 0
    while any(thread.is_alive() for thread in threads):
        recompute(now=NOW)
        generations += 1
    for thread in threads:
        thread.join()
    assert generations
    assert RatedMatch.objects.count() == 180
    assert not check(now=NOW).differs
    assert sum(row[0] for row in numbers(who).values()) == 12 * elo.START


def test_season_changes_while_matches_finish_and_ratings_are_recomputed() -> None:
    who, random = players(12), Random(11)
    play(who, 40, random)
    threads = [in_thread(play, who[:6], 40, Random(12)), in_thread(play, who[6:], 40, Random(13))]
    while any(thread.is_alive() for thread in threads):
        services.change_season(now=NOW)
        recompute(now=NOW)
    for thread in threads:
        thread.join()
    assert not check(now=NOW).differs


def test_ra_07_opposite_orders_of_the_same_players_lose_nothing() -> None:
    who = players(4)
    ways = [who, who[::-1], who[1:] + who[:1]]

    def many(way: list[UUID]) -> None:
        for _ in range(70):
            finish(way, [1, 2, 3, 4])

    threads = [in_thread(many, way) for way in ways]
    for thread in threads:
        thread.join()
    assert RatedMatch.objects.count() == 210
    assert not check(now=NOW).differs


def test_command_checks_and_says_so_to_machines() -> None:
    who = players(4)
    play(who, 20, Random(14))
    out = StringIO()
    call_command("recompute_ratings", "--check", "--json", stdout=out)
    figures = json.loads(out.getvalue())
    assert (figures["differing_players"], figures["matches"]) == (0, 20)
    Rating.objects.filter(player_id=who[0]).update(rating=0)
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("recompute_ratings", "--check", "--json", stdout=out)
    assert ended.value.code == 1
    assert json.loads(out.getvalue())["differing_players"] == 1
    call_command("recompute_ratings", stdout=StringIO(), stderr=StringIO())
    call_command("recompute_ratings", "--check", stdout=StringIO(), stderr=StringIO())


@pytest.mark.parametrize("what", [["--k", "24"], ["--provisional-k", "64"], ["--dry-run"]])
def test_what_if_changes_nothing(what: list[str]) -> None:
    who = players(4)
    play(who, 90, Random(15))
    before = numbers(who)
    out = StringIO()
    call_command("recompute_ratings", *what, "--json", stdout=out)
    figures = json.loads(out.getvalue())
    assert (figures["differing_players"] > 0) == (what != ["--dry-run"])
    assert figures["log_loss"] > 0
    assert 0 <= figures["accuracy"] <= 1
    assert numbers(who) == before
    assert RatingHead.objects.get().generation == 1


def test_ld_07_flags_follow_ban_inactivity_and_their_end() -> None:
    who = players(2)
    for _ in range(20):
        finish(who, [1, 1])
    assert set(selectors.ranks_of(who)) == set(who)
    Player.objects.filter(pk=who[0]).update(banned_at=NOW, banned_until=NOW + timedelta(days=1))
    assert services.refresh_board(now=NOW, players=[who[0]]) == 1
    assert set(selectors.ranks_of(who)) == {who[1]}
    assert services.refresh_board(now=NOW + timedelta(days=2)) == 1
    assert set(selectors.ranks_of(who)) == set(who)
    assert services.refresh_board(now=NOW + timedelta(days=31)) == 2
    assert selectors.ranks_of(who) == {}
    standing, missing = selectors.standing_of(who[0], now=NOW + timedelta(days=31))
    assert standing is None
    assert [(one.code, one.have, one.need) for one in missing] == [("inactive", 31, 30)]
    assert not check(now=NOW + timedelta(days=31)).differs
