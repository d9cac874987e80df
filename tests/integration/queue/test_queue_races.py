"""What several people, clocks and workers do to the queue at the same moment."""

from functools import partial
from typing import Any
from uuid import UUID

import pytest
from django.db.models import Count

from tables.models import (
    Match,
    Offence,
    Penalty,
    QueueState,
    ReadyCheck,
    Seat,
    Ticket,
    TicketMember,
)
from tables.queue_refusals import ReadyCheckOver
from tables.selectors.clock import database_now
from tables.services import queue, ready_checks, waves
from tables.services.solo import start_alone
from tests.integration.queue.conftest import (
    a_party,
    accept,
    asked,
    search,
    status,
    time_is_up,
    wait,
)

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("valkey"),
    pytest.mark.timeout(600),
]

ROUNDS = 200
"""How often what is asked for hundreds of times is raced; its variants less often."""


def answer(player_id: UUID) -> Any:
    return partial(ready_checks.accept, player_id=player_id, check_id=None)


def clear() -> None:
    """Everybody goes home; what was played is forgotten."""
    Ticket.objects.all().delete()
    ReadyCheck.objects.all().delete()
    Penalty.objects.all().delete()
    Seat.objects.update(live=False)


def nobody_is_lost(*who: UUID) -> None:
    """Everybody is in exactly one place, and no ready check has gone astray."""
    live = Seat.objects.filter(player__in=who, live=True, kind="ranked")
    seated = set(live.values_list("player_id", flat=True))
    waiting = set(TicketMember.objects.filter(player__in=who).values_list("player_id", flat=True))
    assert not seated & waiting
    twice = live.values("player").annotate(times=Count("pk")).filter(times__gt=1)
    assert not twice.exists()
    for check in ReadyCheck.objects.all():
        assert check.tickets.exists()


def test_mm_09_the_last_answers_at_once_make_one_match(people, at_once) -> None:
    everybody = people(4)
    for number in range(1, ROUNDS // 2 + 1):
        asked(*everybody)
        assert at_once(*map(answer, everybody)) == [None] * 4
        assert Match.objects.count() == number
        assert Seat.objects.filter(live=True).count() == 4
        clear()


def test_an_answer_against_the_end_of_the_time(people, at_once) -> None:
    anna, bert = people(2)
    outcomes = set()
    for _ in range(ROUNDS):
        check = asked(anna, bert)
        accept(anna)
        matches = Match.objects.count()

        def late(check: UUID = check) -> None:
            time_is_up(check)
            ready_checks.settle_due(now=database_now())

        [answered, _] = at_once(answer(bert), late)
        if answered is None:
            assert Match.objects.count() == matches + 1
            assert [status(anna), status(bert)] == ["matched", "matched"]
            assert not Penalty.objects.exists()
        else:
            assert isinstance(answered, ReadyCheckOver)
            ready_checks.settle_due(now=database_now())
            assert Match.objects.count() == matches
            assert [status(anna), status(bert)] == ["waiting", "none"]
            assert Penalty.objects.get().player_id == bert
        nobody_is_lost(anna, bert)
        outcomes.add(answered is None)
        clear()
    assert outcomes  # either may win; both end well


def test_an_answer_against_another_ones_refusal(people, at_once) -> None:
    anna, bert = people(2)
    for _ in range(ROUNDS // 2):
        asked(anna, bert)
        at_once(
            answer(anna), partial(ready_checks.decline, player_id=bert, check_id=None), answer(anna)
        )
        assert [status(anna), status(bert)] == ["waiting", "none"]
        assert list(Penalty.objects.values_list("player", "offence")) == [(bert, Offence.DECLINED)]
        nobody_is_lost(anna, bert)
        clear()


def test_two_waves_at_once_ask_everybody_once(people, at_once) -> None:
    everybody = people(5)
    for _ in range(ROUNDS):
        search(*everybody)
        wait(*everybody, seconds=30)
        at_once(waves.run_wave, waves.run_wave, waves.run_wave)
        sizes = ReadyCheck.objects.annotate(members=Count("tickets__members"))
        assert all(check.size == check.members for check in sizes)
        assert sum(check.size for check in sizes) >= 4
        clear()


def test_leaving_against_pairing(people, at_once) -> None:
    anna, bert = people(2)
    for _ in range(ROUNDS):
        search(anna, bert, waited=60)
        QueueState.objects.update(wave_at=None)
        at_once(partial(queue.leave, player_id=anna), waves.run_wave)
        assert status(anna) == "none"
        if status(bert) == "ready_check":  # the wave was first, so leaving declined
            assert Penalty.objects.get().player_id == anna
            accept(bert)
        else:
            assert not Penalty.objects.exists()
        assert status(bert) == "waiting"
        nobody_is_lost(anna, bert)
        clear()


def test_entering_from_two_tabs_and_as_a_party(people, at_once) -> None:
    anna, bert = people(2)
    a_party(anna, bert)
    enter = partial(queue.enter, now=database_now())
    for _ in range(ROUNDS // 4):
        done = at_once(*[partial(enter, player_id=anna)] * 3)
        assert done == [None] * 3
        assert Ticket.objects.count() == 1
        assert TicketMember.objects.count() == 2
        clear()


def test_a_casual_match_begins_while_the_ranked_one_is_made(people, at_once) -> None:
    anna, bert = people(2)
    for _ in range(ROUNDS // 8):
        asked(anna, bert)
        accept(anna)
        at_once(answer(bert), partial(start_alone, player_id=anna, rules={}))
        for _ in range(3):  # made again by the next wave, if the casual one kept coming between
            if status(anna) == "matched":
                break
            wait(anna, bert, seconds=1)
            waves.run_wave()
            accept(anna, bert)
        assert [status(anna), status(bert)] == ["matched", "matched"]
        assert Seat.objects.filter(player=anna, live=True).count() == 1
        assert not Penalty.objects.exists()
        clear()
