"""Clocks in the same moment as people and as each other (rules.md R11)."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import count
from threading import Event
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone
from msgspec.structs import replace

from accounts.languages import Language
from accounts.services.players import make_player
from tables import seating as clockwork
from tables.blackjack.actions import ActionName
from tables.blackjack.events import ControlReason, MatchKind
from tables.blackjack.ruleset import RANKED, Ruleset
from tables.clocks import clocks
from tables.models import (
    Connection,
    Match,
    MatchStatus,
    MatchStep,
    Outage,
    Presence,
    WebProcess,
)
from tables.selectors.clock import database_now
from tables.services import match_rows, strategies
from tables.services.batch import Decide, Done, Leave, Return, Wake, apply_batch, apply_one
from tables.services.matches import start_match
from tables.services.presence import (
    close_connection,
    forget_dead_processes,
    heartbeat,
    join_process,
    keep_connections,
    leave_process,
    open_connection,
    unwatch,
    watch,
)
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
    seating = replace(seating, deadline=expires - timedelta(seconds=0.5))
    Match.objects.filter(pk=match.pk).update(seating=clockwork.encode(seating), wake_at=expires)
    match.seating = clockwork.encode(seating)


def stand_still(seconds: int) -> None:
    """Let the newest heartbeat have been so long ago."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE tables_webprocess SET heartbeat_at = heartbeat_at - make_interval(secs => %s)",
            [seconds],
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
    for _ in range(TIMES):
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
    """A timer belongs to its match (CK-04)."""
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
    due_in(match, 20)
    deadline = clockwork.decode(match.seating).deadline
    process = UUID(int=7)
    join_process(process_id=process)
    leave_process(process_id=process)
    stand_still(60)
    outage = join_process(process_id=UUID(int=8))
    assert outage is not None
    for _ in range(3):
        apply_one(Wake(match.pk))
    leave_process(process_id=UUID(int=8))
    match.refresh_from_db()
    moved = clockwork.decode(match.seating).deadline
    assert deadline is not None
    assert moved == deadline + (outage.ended_at - outage.began_at)


def test_between_a_database_s_return_and_the_next_heartbeat_no_time_runs_out(
    no_web_process: None,
) -> None:
    """Nothing asks for the sweep's leave: timers and decisions come by themselves (RT-22)."""
    players = guests(2)
    match = start_match(kind=MatchKind.RANKED, ruleset=RANKED, player_ids=players)
    with a_living_process():
        stand_still(3)
        due_in(match, -2)
    stand_still(5)  # the clean stop's heartbeat is none: it was killed
    for _ in range(2):
        apply_one(Wake(match.pk))
    assert decisions(match) == []
    apply_one(Decide(match.pk, players[0], ActionName.BET, 0, 20))
    [step] = decisions(match)
    assert '"by":"player"' in step.events
    match.refresh_from_db()
    due = clockwork.decode(match.seating).deadline
    outage = join_process(process_id=UUID(int=1))
    assert outage is not None
    apply_one(Wake(match.pk))
    leave_process(process_id=UUID(int=1))
    match.refresh_from_db()
    moved = clockwork.decode(match.seating).deadline
    assert moved == due + (outage.ended_at - outage.began_at)


def test_while_all_web_processes_stand_still_no_time_runs_out(no_web_process: None) -> None:
    match = start_match(kind=MatchKind.RANKED, ruleset=RANKED, player_ids=guests(2))
    process = UUID(int=1)
    join_process(process_id=process)
    stand_still(11)
    due_in(match, -5)
    due = clockwork.decode(match.seating).deadline
    assert sweep() == 0
    apply_one(Wake(match.pk))
    assert decisions(match) == []
    assert not heartbeat(process_id=process)
    outage = join_process(process_id=process)
    assert outage is not None
    assert heartbeat(process_id=process)
    assert join_process(process_id=process) is None
    assert sweep() == 1
    leave_process(process_id=process)
    assert decisions(match) == []
    moved = clockwork.decode(Match.objects.get(pk=match.pk).seating).deadline
    assert moved == due + (outage.ended_at - outage.began_at)


def test_the_players_of_a_dead_process_are_away_since_its_last_heartbeat(
    no_web_process: None,
) -> None:
    """One process of several that dies is no outage."""
    anna, bert = guests(2)
    alive, dead = UUID(int=1), UUID(int=2)
    join_process(process_id=alive)
    now = database_now()
    last = now - timedelta(seconds=16)
    WebProcess.objects.create(id=dead, started_at=last, heartbeat_at=last)
    open_connection(connection_id=uuid4(), process_id=alive, player_id=anna)
    open_connection(connection_id=uuid4(), process_id=dead, player_id=bert)
    match = start_match(kind=MatchKind.RANKED, ruleset=RANKED, player_ids=[anna, bert])
    Presence.objects.filter(player=bert).update(match_seen_at=None)
    watch(socket=uuid4(), process_id=dead, match_id=match.pk)
    assert forget_dead_processes(now=now - timedelta(seconds=2)) == []
    assert forget_dead_processes(now=now) == [match.pk]
    assert forget_dead_processes(now=now) == []
    apply_one(Wake(match.pk))
    match.refresh_from_db()
    seating = clockwork.decode(match.seating)
    leave_process(process_id=alive)
    assert seating.hold(1).connected
    assert not seating.hold(2).connected
    assert seating.hold(2).away_since == last
    assert match.watchers == 0
    assert WebProcess.objects.get(pk=dead).stopped_at == last
    assert not Outage.objects.exists()


def test_the_cpu_and_its_player_in_one_moment_are_one_decision() -> None:
    """The player takes the seat back just as the CPU decides (CK-09)."""
    players = guests(2)
    with threads(2) as pool:
        for attempt in range(TIMES):
            match = start_match(kind=MatchKind.RANKED, ruleset=RANKED, player_ids=players)
            apply_one(Leave(match.pk, players[0]))
            cpu_decides_in(match, 0.004 * (attempt % 5 - 1))
            back = [
                Return(match.pk, players[0]),
                Decide(match.pk, players[0], ActionName.BET, 2, 20),
            ]
            returning = pool.submit(apply_batch, back, wait=True)
            waking = pool.submit(apply_batch, [Wake(match.pk)], wait=True)
            [returned, decided], _ = returning.result(), waking.result()
            assert isinstance(returned, Done)
            [step] = decisions(match)
            assert ('"by":"player"' in step.events) is isinstance(decided, Done)
            versions = MatchStep.objects.filter(match=match).order_by("first_seq")
            assert list(versions.values_list("version", flat=True)) == [0, 1, 2, 3]
            Match.objects.filter(pk=match.pk).update(status=MatchStatus.VOID, wake_at=None)
            match.seats.update(live=False)


def cpu_decides_in(match: Match, seconds: float) -> None:
    """Let the CPU, who is on turn, decide in so many seconds."""
    match.refresh_from_db()
    seating = clockwork.decode(match.seating)
    due = database_now() + timedelta(seconds=seconds)
    began = due - timedelta(seconds=clocks().cpu_pause)
    Match.objects.filter(pk=match.pk).update(
        seating=clockwork.encode(replace(seating, turn_began=began)), wake_at=due
    )


def test_who_stands_still_in_the_middle_of_a_batch_holds_up_nobody_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The database ends a session that holds a match and does nothing."""
    monkeypatch.setattr(match_rows, "STILL_SECONDS", 1)
    players = guests(2)
    match = start_match(kind=MatchKind.RANKED, ruleset=RANKED, player_ids=players)
    held, over = Event(), Event()

    def stand_still_in_a_batch() -> None:
        with transaction.atomic():
            apply_one(Wake(match.pk))
            held.set()
            over.wait(60)

    with threads(1) as pool:
        frozen = pool.submit(stand_still_in_a_batch)
        assert held.wait(60)
        apply_one(Decide(match.pk, players[0], ActionName.BET, 0, 20))
        over.set()
        assert isinstance(frozen.exception(), DatabaseError)
    assert len(decisions(match)) == 1


@pytest.fixture
def process(no_web_process: None) -> Iterator[UUID]:
    """A living web process."""
    join_process(process_id=UUID(int=1))
    yield UUID(int=1)
    leave_process(process_id=UUID(int=1))


def at_a_table_by_socket(process: UUID, sockets: list[UUID]) -> tuple[Match, UUID]:
    """A match without a clock; its second player is there by these sockets alone."""
    anna, bert = guests(2)
    match = start_match(kind=MatchKind.PARTY, ruleset=Ruleset(), player_ids=[anna, bert])
    Presence.objects.filter(player=bert).update(match_seen_at=None)
    for socket in sockets:
        open_connection(connection_id=socket, process_id=process, player_id=bert)
    return match, bert


def away(match: Match, player: UUID) -> bool:
    """Whether the table says that a player is away, once the sweep has been there."""
    sweep()
    match.refresh_from_db()
    return any(
        hold.player == str(player) and hold.away_since is not None
        for hold in clockwork.decode(match.seating).seats
    )


def test_of_two_sockets_that_close_together_one_is_the_last(process: UUID) -> None:
    """A browser ends with two tabs, a network with two devices: the player is away."""
    sockets = [uuid4(), uuid4()]
    match, bert = at_a_table_by_socket(process, [])
    with threads(2) as pool:
        for _ in range(TIMES):
            for socket in sockets:
                open_connection(connection_id=socket, process_id=process, player_id=bert)
            closing = [
                pool.submit(close_connection, connection_id=socket, player_id=bert)
                for socket in sockets
            ]
            assert sorted(each.result() is not None for each in closing) == [False, True]
    assert away(match, bert)


def test_a_going_is_seen_though_its_process_dies_at_once(process: UUID) -> None:
    """Nobody wakes the match but the sweep."""
    socket = uuid4()
    match, bert = at_a_table_by_socket(process, [socket])
    assert not away(match, bert)
    close_connection(connection_id=socket, player_id=bert)
    assert away(match, bert)


def test_a_heartbeat_ends_what_could_not_be_ended_in_its_time(process: UUID) -> None:
    """The database failed just when the socket closed."""
    old, new = uuid4(), uuid4()
    match, bert = at_a_table_by_socket(process, [old, new])
    Connection.objects.filter(pk=old).update(opened_at=database_now() - timedelta(seconds=11))
    assert keep_connections(process_id=process, sockets={new: bert}) == [match.pk]
    assert list(Connection.objects.values_list("pk", flat=True)) == [new]
    assert keep_connections(process_id=process, sockets={}) == []  # it may be opening just now
    Connection.objects.filter(pk=new).update(opened_at=database_now() - timedelta(seconds=11))
    assert keep_connections(process_id=process, sockets={}) == [match.pk]
    apply_one(Wake(match.pk))
    assert away(match, bert)


def test_a_heartbeat_does_not_fail_for_a_socket_of_nobody(process: UUID) -> None:
    mine = uuid4()
    match, bert = at_a_table_by_socket(process, [])
    sockets = {mine: bert, uuid4(): uuid4()}
    assert keep_connections(process_id=process, sockets=sockets) == [match.pk]
    assert Connection.objects.get(process=process, player=bert).pk == mine


def test_watchers_who_go_together_are_all_counted_out(process: UUID) -> None:
    match, _ = at_a_table_by_socket(process, [])
    with threads(2) as pool:
        for _ in range(TIMES):
            sockets = [uuid4(), uuid4()]
            for socket in sockets:
                watch(socket=socket, process_id=process, match_id=match.pk)
            going = [pool.submit(unwatch, socket=socket) for socket in sockets]
            for each in going:
                each.result()
            match.refresh_from_db()
            assert match.watchers == 0
