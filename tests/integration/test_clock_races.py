"""Clocks in the same moment as people and as each other (rules.md R11)."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import count
from uuid import UUID

import pytest
from django.db import connection
from django.utils import timezone
from msgspec.structs import replace

from accounts.languages import Language
from accounts.services.players import make_player
from tables import seating as clockwork
from tables.blackjack.actions import ActionName
from tables.blackjack.events import ControlReason, MatchKind
from tables.blackjack.ruleset import RANKED, Ruleset
from tables.models import Match, MatchStatus, MatchStep
from tables.selectors.clock import database_now
from tables.services import strategies
from tables.services.batch import Decide, Done, Leave, Wake, apply_batch, apply_one
from tables.services.matches import start_match
from tables.services.presence import join_process, leave_process
from tables.services.sweep import sweep
from tables.table import StaleVersion
from tests.races import threads

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(240)]

TIMES = 200


@pytest.fixture(autouse=True)
def strategy() -> None:
    strategies.compute(RANKED)


def guests(number: int) -> list[UUID]:
    return [
        make_player(display_name=None, language=Language.ENGLISH, now=timezone.now()).pk
        for _ in range(number)
    ]


def due_in(match: Match, seconds: float) -> None:
    """Let the present turn's time be up in so many seconds, its half second included."""
    seating = clockwork.decode(match.seating)
    expires = database_now() + timedelta(seconds=seconds)
    deadline = expires - timedelta(seconds=0.5)
    Match.objects.filter(pk=match.pk).update(
        seating=clockwork.encode(replace(seating, deadline=deadline)), wake_at=expires
    )


def decisions(match: Match) -> list[MatchStep]:
    return list(MatchStep.objects.filter(match=match, kind="decision").order_by("version"))


@contextmanager
def a_living_process() -> Iterator[None]:
    """This session counts as a web process, so that clocks are acted on."""
    process = UUID(int=1)
    join_process(process_id=process)
    try:
        yield
    finally:
        leave_process(process_id=process)


def test_a_decision_and_its_expiry_in_one_moment_are_one_decision() -> None:
    players = guests(2)
    by_whom = []
    with threads(2) as pool:
        for attempt in range(TIMES):
            match = start_match(kind=MatchKind.RANKED, ruleset=RANKED, player_ids=players)
            due_in(match, 0.004 * (attempt % 5 - 1))
            decide = Decide(match.pk, players[0], ActionName.BET, 0, 20)
            acting = pool.submit(apply_batch, [decide], wait=True)
            waking = pool.submit(apply_batch, [Wake(match.pk)], wait=True)
            [result], [woken] = acting.result(), waking.result()
            assert isinstance(woken, Done)
            [step] = decisions(match)
            if isinstance(result, Done):
                assert '"by":"player"' in step.events
                assert result.version == 1
            else:
                assert isinstance(result, StaleVersion)
                assert '"by":"timeout"' in step.events
            by_whom.append(isinstance(result, Done))
            Match.objects.filter(pk=match.pk).update(status=MatchStatus.VOID, wake_at=None)
            match.seats.update(live=False)
    assert len(by_whom) == TIMES


def test_two_sweeps_at_once_act_once() -> None:
    matches = []
    for _ in range(40):
        match = start_match(kind=MatchKind.RANKED, ruleset=RANKED, player_ids=guests(2))
        due_in(match, -0.01)
        matches.append(match)
    with a_living_process(), threads(3) as pool:
        for swept in [pool.submit(sweep) for _ in range(3)]:
            swept.result()
    for match in matches:
        [step] = decisions(match)
        assert '"by":"timeout"' in step.events


def test_an_old_timer_never_touches_another_match() -> None:
    players = guests(2)
    first = start_match(kind=MatchKind.RANKED, ruleset=RANKED, player_ids=players)
    due_in(first, -0.01)
    for player in players:
        apply_one(Leave(first.pk, player))
    second = start_match(kind=MatchKind.RANKED, ruleset=RANKED, player_ids=players)
    with a_living_process():
        sweep()
    assert decisions(second) == []


def test_while_nobody_could_act_no_clock_is_acted_on(no_web_process: None) -> None:
    match = start_match(kind=MatchKind.RANKED, ruleset=RANKED, player_ids=guests(2))
    due_in(match, -5)
    assert sweep() == 0
    assert decisions(match) == []


def test_when_all_leave_the_cpu_plays_to_the_end() -> None:
    players = guests(3)
    match = start_match(kind=MatchKind.PARTY, ruleset=Ruleset(rounds=3), player_ids=players)
    for player in players:
        apply_one(Leave(match.pk, player))
    with a_living_process():
        for _ in count():
            if sweep() == 0:
                break
    match.refresh_from_db()
    assert match.status == MatchStatus.FINISHED
    assert all('"by":"cpu"' in step.events for step in decisions(match))


def test_the_steps_of_a_table_played_to_the_end_are_short() -> None:
    players = guests(6)
    match = start_match(kind=MatchKind.PARTY, ruleset=Ruleset(rounds=20), player_ids=players)
    for player in players[:-1]:
        apply_one(Leave(match.pk, player))
    before = len(decisions(match))
    apply_one(Leave(match.pk, players[-1], ControlReason.LEFT))
    assert len(decisions(match)) - before <= 100
    match.refresh_from_db()
    assert match.wake_at is not None


def test_an_outage_moves_every_deadline_once(no_web_process: None) -> None:
    match = start_match(kind=MatchKind.RANKED, ruleset=RANKED, player_ids=guests(2))
    deadline = clockwork.decode(match.seating).deadline
    process = UUID(int=7)
    join_process(process_id=process)
    leave_process(process_id=process)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE tables_webprocess SET heartbeat_at = heartbeat_at - interval '60 s'")
    outage = join_process(process_id=UUID(int=8))
    assert outage is not None
    for _ in range(3):
        apply_one(Wake(match.pk))
    leave_process(process_id=UUID(int=8))
    match.refresh_from_db()
    moved = clockwork.decode(match.seating).deadline
    assert deadline is not None
    assert moved == deadline + (outage.ended_at - outage.began_at)
