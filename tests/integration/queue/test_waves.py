"""Waves: who is paired with whom, when, and what is known of it (matchmaking.md 2, 3)."""

from contextlib import closing
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import Block, Device, Player
from ratings.services import running_season
from tables.blackjack.events import MatchKind
from tables.models import MatchStatus, QueueState, ReadyCheck, Seat, Ticket, TicketMember
from tables.selectors.clock import database_now
from tables.services import waves
from tests.integration.queue.conftest import (
    a_party,
    accept,
    here,
    search,
    signed_in,
    status,
    wait,
    waves_may_come,
)
from tests.play import a_match
from tests.rated import listed

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]


def asked_together(*who: UUID) -> bool:
    """Whether these players are asked by one ready check."""
    checks = TicketMember.objects.filter(player__in=who).values_list("ticket__ready_check")
    return len(set(checks)) == 1 and None not in {check for (check,) in checks}


def rated(*points: float) -> list[UUID]:
    """Players with these ratings."""
    running_season(now=timezone.now())
    return listed(points)


def test_nobody_is_paired_alone(people) -> None:
    [anna] = people(1)
    search(anna, waited=600)
    assert waves.run_wave() == 0
    assert status(anna) == "waiting"


@pytest.mark.parametrize(
    ("count", "waited", "groups"),
    [(4, 0, 1), (3, 9, 0), (3, 11, 1), (2, 19, 0), (2, 21, 1)],
)
def test_fewer_are_enough_after_a_while(people, count: int, waited: float, groups: int) -> None:
    search(*people(count), waited=waited)
    assert waves.run_wave() == groups


def test_ra_22_ratings_count_as_they_are_now() -> None:
    near, far = rated(1500, 1560), rated(200, 1000)
    search(*near, waited=21)
    search(*far)
    waves.run_wave()
    assert asked_together(*near)
    assert [status(each) for each in far] == ["waiting", "waiting"]


def test_mm_12_who_waits_alone_has_a_wide_window_when_somebody_comes() -> None:
    low, high = rated(200, 2800)
    search(low)
    for _ in range(3):
        waves.run_wave()
    wait(low, seconds=300)
    search(high)
    assert waves.run_wave() == 0  # the window of who has just come counts, too
    wait(high, seconds=61)
    here(low)
    waves.run_wave()
    assert asked_together(low, high)


def test_mm_19_far_apart_and_fresh_is_not_paired() -> None:
    low, high = rated(200, 1000)
    search(low, high, waited=5)
    assert waves.run_wave() == 0


def test_mm_20_a_new_player_is_found_in_normal_time(people) -> None:
    [new], others = people(1), rated(1900, 1900, 1900)
    search(new, *others)
    assert waves.run_wave() == 0
    wait(new, *others, seconds=16)
    waves.run_wave()
    assert asked_together(new, *others)


def test_mm_14_parties_of_four_and_three_do_not_go_together(people) -> None:
    four, three = people(4), people(3)
    for party in (four, three):
        a_party(*party)
        search(party[0])
        wait(party[0], seconds=120)
        here(*party)
    assert waves.run_wave() == 0


def test_a_party_is_not_a_match_by_itself(people) -> None:
    four = people(4)
    a_party(*four)
    search(four[0])
    wait(four[0], seconds=120)
    here(*four)
    assert waves.run_wave() == 0


def test_two_accounts_of_one_browser_never_meet(people) -> None:
    anna, bert = people(2)
    signed_in(bert, Device.objects.get(player=anna).browser)
    search(anna, bert, waited=600)
    assert waves.run_wave() == 0


@pytest.mark.parametrize(("hours", "groups"), [(1, 1), (25, 0)])
def test_a_block_counts_from_the_day_after(people, hours: int, groups: int) -> None:
    anna, bert = people(2)
    at = timezone.now() - timedelta(hours=hours)
    Block.objects.create(blocker_id=bert, blocked_id=anna, created_at=at)
    search(anna, bert, waited=60)
    assert waves.run_wave() == groups


@pytest.mark.parametrize(("number", "groups"), [(20, 0), (21, 1)])
def test_the_first_twenty_blocks_count(people, number: int, groups: int) -> None:
    anna, bert, *others = people(22)
    day = timezone.now() - timedelta(days=5)
    blocked = [*others[: number - 1], bert]
    for after, other in enumerate(blocked):
        Block.objects.create(
            blocker_id=anna, blocked_id=other, created_at=day + timedelta(minutes=after)
        )
    search(anna, bert, waited=60)
    assert waves.run_wave() == groups


def test_opponents_who_have_just_met_go_last(people) -> None:
    anna, bert, carl, *rest = people(5)
    match = a_match([anna, bert], kind=MatchKind.RANKED)
    Seat.objects.filter(match=match).update(live=False)
    match.status = MatchStatus.FINISHED
    match.save()
    search(anna, bert, carl, *rest)
    Ticket.objects.update(since=database_now() - timedelta(seconds=21))  # all for equally long
    waves.run_wave()
    assert ReadyCheck.objects.get().size == 4
    assert not asked_together(anna, bert)


def test_the_banned_and_the_seated_are_passed_over(people) -> None:
    anna, bert, carl = people(3)
    search(anna, bert, carl, waited=60)
    Player.objects.filter(pk=anna).update(banned_at=timezone.now())  # its ticket is still there
    Seat.objects.create(
        match=a_match(people(2), kind=MatchKind.RANKED),
        number=3,
        player_id=bert,
        kind=MatchKind.RANKED,
        started_at=timezone.now(),
    )
    assert waves.run_wave() == 0


def test_a_wave_leaves_its_figures(people, client) -> None:
    anna, bert, carl = people(3)
    search(anna, bert, waited=30)
    signed_in(carl, Device.objects.get(player=anna).browser)
    search(carl)
    waves.run_wave()
    state = QueueState.objects.get()
    assert (state.waiting, state.matched, state.missed) == (3, 2, 1)
    assert state.mean_wait == pytest.approx(30, abs=2)
    assert state.mean_spread == 0
    assert state.seconds > 0
    assert (state.waves, state.matched_total) == (1, 2)
    told = client.get("/metrics").content.decode()
    assert "taku_queue_players 3.0" in told
    assert "taku_wave_matched 2.0" in told
    assert "taku_wave_missed 1.0" in told


def test_waves_come_no_faster_than_they_should(people, a_web_process: UUID) -> None:
    anna, bert = people(2)
    waves.tick()
    search(anna, bert, waited=60)
    waves.tick()
    assert status(anna) == "waiting"
    waves_may_come()
    here(anna, bert)
    waves.tick()
    assert status(anna) == "ready_check"


def test_mm_04_tickets_are_found_by_whoever_runs_next(people, at_once) -> None:
    anna, bert = people(2)
    search(anna, waited=60)
    search(bert, waited=60)
    assert at_once(waves.run_wave) == [1]  # another session knows of them, too
    accept(anna, bert)
    assert [status(anna), status(bert)] == ["matched", "matched"]


def test_mm_10_a_wave_beside_another_does_nothing(people, at_once) -> None:
    everybody = people(8)
    search(*everybody, waited=30)
    groups = at_once(*[waves.run_wave] * 4)
    assert sum(groups) == ReadyCheck.objects.count()
    assert Ticket.objects.filter(ready_check__isnull=False).count() <= 8
    assert all(check.tickets.count() >= 2 for check in ReadyCheck.objects.all())


def test_tickets_that_somebody_holds_are_left_alone(people) -> None:
    anna, bert = people(2)
    search(anna, bert, waited=60)
    with closing(connection.copy(alias="default")) as other:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute("SELECT id FROM tables_ticket LIMIT 1 FOR UPDATE")
        assert waves.run_wave() == 0
        other.rollback()
    here(anna, bert)
    assert waves.run_wave() == 1
