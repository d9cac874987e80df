"""Tickets: who may take one, whom it holds, and when it ends (matchmaking.md 1, 6, 7)."""

from contextlib import closing
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, connection
from django.utils import timezone

from accounts.models import Player
from tables.blackjack.events import MatchKind
from tables.models import MatchedWait, Seat, Ticket, TicketMember, WebProcess
from tables.party_refusals import (
    InMatch,
    NotEveryoneReady,
    NotHost,
    PlayerBanned,
    Searching,
)
from tables.queue_refusals import PartyTooLarge, QueueClosed
from tables.selectors.clock import database_now
from tables.services import parties, queue, ready_checks, removal, waves
from tables.services.batch import Leave, apply_one
from tables.services.presence import join_process
from tables.services.solo import start_alone
from tests.integration.queue.conftest import (
    a_party,
    asked,
    gone,
    here,
    open_socket,
    place,
    search,
    status,
    wait,
)
from tests.play import a_match

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]


def test_nobody_waits_at_first(people) -> None:
    [anna] = people(1)
    view = place(anna)
    assert (view.status.value, view.since, view.waiting, view.estimate) == ("none", None, 0, None)
    assert (view.window, view.party, view.ready_check, view.match, view.penalty) == (None,) * 5


def test_a_ticket_says_how_long_and_how_many_wait(people) -> None:
    anna, bert = people(2)
    search(anna, waited=5)
    search(bert)
    view = place(anna)
    assert view.status.value == "waiting"
    assert (database_now() - view.since).total_seconds() == pytest.approx(5, abs=1)
    assert view.waiting == 2
    assert 200 <= view.window <= 230
    wait(anna, seconds=60)
    assert place(anna).window is None


def test_who_is_asked_does_not_wait_meanwhile(people) -> None:
    anna, bert, carl = people(3)
    asked(anna, bert)
    search(carl)
    assert [place(each).waiting for each in (anna, bert, carl)] == [1, 1, 1]
    ready_checks.accept(player_id=anna, check_id=None)
    ready_checks.decline(player_id=bert, check_id=None)
    assert [place(each).waiting for each in (anna, carl)] == [2, 2]


def test_searching_twice_is_searching_once(people) -> None:
    [anna] = people(1)
    search(anna, waited=5)
    since = place(anna).since
    search(anna)
    assert place(anna).since == since
    assert Ticket.objects.count() == 1


def test_the_database_keeps_one_ticket_a_player(people) -> None:
    [anna] = people(1)
    search(anna)
    other = Ticket.objects.create(since=timezone.now())
    with pytest.raises(IntegrityError):
        TicketMember.objects.create(ticket=other, player_id=anna, browsers=[])


def test_the_estimate_is_made_of_what_really_happened(people) -> None:
    [anna] = people(1)
    now = database_now()
    for seconds, ago in ((10, 1), (30, 2), (20, 3), (500, 7200)):
        MatchedWait.objects.create(at=now - timedelta(seconds=ago), seconds=seconds, players=1)
    assert place(anna).estimate == 20


def test_who_stops_searching_is_out_at_once(people) -> None:
    [anna] = people(1)
    search(anna)
    queue.leave(player_id=anna)
    queue.leave(player_id=anna)
    assert status(anna) == "none"
    assert not Ticket.objects.exists()


# Parties


def test_the_host_searches_for_the_party(people) -> None:
    anna, bert, carl = people(3)
    party = a_party(anna, bert)
    with pytest.raises(NotHost):
        queue.enter(player_id=bert, now=database_now())
    search(anna)
    assert [place(each).party for each in (anna, bert)] == [party.code] * 2
    with pytest.raises(Searching):
        parties.join_party(code=party.code, player_id=carl, now=timezone.now())
    with pytest.raises(Searching):
        parties.set_ready(code=party.code, player_id=bert, ready=False)


def test_the_party_searches_when_all_are_ready(people) -> None:
    anna, bert = people(2)
    a_party(anna, bert, ready=False)
    with pytest.raises(NotEveryoneReady):
        queue.enter(player_id=anna, now=database_now())


def test_six_are_too_many_to_search_together(people) -> None:
    everybody = people(6)
    a_party(*everybody)
    with pytest.raises(PartyTooLarge):
        queue.enter(player_id=everybody[0], now=database_now())


def test_a_member_who_searches_alone_keeps_the_party_from_searching(people) -> None:
    anna, bert = people(2)
    search(bert)
    a_party(anna, bert)
    with pytest.raises(Searching):
        queue.enter(player_id=anna, now=database_now())
    assert status(bert) == "waiting"


def test_any_member_stops_the_search(people) -> None:
    anna, bert = people(2)
    a_party(anna, bert)
    search(anna)
    queue.leave(player_id=bert)
    assert [status(anna), status(bert)] == ["none", "none"]


@pytest.mark.parametrize("how", ["leave", "kick", "close"])
def test_the_search_ends_when_a_member_goes(people, how: str) -> None:
    anna, bert = people(2)
    party = a_party(anna, bert)
    search(anna)
    match how:
        case "leave":
            parties.leave_party(code=party.code, player_id=bert)
        case "kick":
            parties.kick_member(code=party.code, player_id=anna, kicked_id=bert, now=timezone.now())
        case "close":
            parties.close_party(party_id=party.pk)
    assert [status(anna), status(bert)] == ["none", "none"]
    assert place(anna).penalty is None


# Who may not


def test_who_plays_a_ranked_match_does_not_search(people) -> None:
    players = people(2)
    match = a_match(players, kind=MatchKind.RANKED)
    with pytest.raises(InMatch):
        queue.enter(player_id=players[0], now=database_now())
    assert place(players[0]).match == str(match.pk)
    apply_one(Leave(match.pk, players[0]))
    assert (status(players[0]), place(players[0]).match) == ("none", None)
    search(players[0])
    assert status(players[0]) == "waiting"


def test_a_casual_match_may_be_played_meanwhile(people) -> None:
    anna, bert = people(2)
    start_alone(player_id=anna, rules={})
    search(anna)
    search(bert)
    start_alone(player_id=bert, rules={})
    assert [status(anna), status(bert)] == ["waiting", "waiting"]


@pytest.mark.parametrize("how", ["banned", "deleted"])
def test_whose_account_ends_leaves_the_queue(people, how: str) -> None:
    anna, bert = people(2)
    search(anna, bert, waited=20)
    if how == "banned":
        removal.ban_player(player_id=anna, until=None, reason="", now=timezone.now())
        with pytest.raises(PlayerBanned):
            queue.enter(player_id=anna, now=database_now())
    else:
        removal.delete_account(player_id=anna, acting=None, now=timezone.now())
    assert status(anna) == "none"
    assert waves.run_wave() == 0


@pytest.mark.parametrize("how", ["banned", "deleted"])
def test_whose_account_ends_in_a_ready_check_leaves_it_without_penalty(people, how: str) -> None:
    anna, bert = people(2)
    asked(anna, bert)
    if how == "banned":
        removal.ban_player(player_id=anna, until=None, reason="", now=timezone.now())
    else:
        removal.delete_account(player_id=anna, acting=None, now=timezone.now())
    assert status(anna) == "none"
    assert not Player.objects.get(pk=anna).penalties.exists()


# Absence (matchmaking.md 6)


def test_mm_05_who_is_away_too_long_is_taken_out(people, a_web_process: UUID) -> None:
    [anna] = people(1)
    search(anna, waited=60)
    gone(anna, 14)
    waves.tick()
    assert status(anna) == "waiting"
    gone(anna, 16)
    waves.tick()
    assert status(anna) == "none"


def test_mm_05_who_comes_back_has_one_ticket(people) -> None:
    [anna] = people(1)
    search(anna, waited=60)
    gone(anna, 10)
    search(anna)
    assert Ticket.objects.count() == 1


def test_an_open_socket_is_presence(people, a_web_process: UUID) -> None:
    [anna] = people(1)
    search(anna)
    wait(anna, seconds=600)
    gone(anna, 500)
    open_socket(anna, a_web_process)
    waves.tick()
    assert status(anna) == "waiting"


def test_an_absent_member_takes_the_whole_party_out(people, a_web_process: UUID) -> None:
    anna, bert = people(2)
    a_party(anna, bert)
    search(anna)
    wait(anna, seconds=60)
    gone(bert, 30)
    waves.tick()
    assert [status(anna), status(bert)] == ["none", "none"]


def test_who_is_away_is_not_paired(people) -> None:
    anna, bert = people(2)
    search(anna, bert, waited=60)
    gone(anna, 30)
    assert waves.run_wave() == 0


# Outages and restarts


def test_an_outage_moves_the_times_of_tickets_once(no_web_process, people) -> None:
    anna, bert, carl = people(3)
    asked(anna, bert)
    search(carl, waited=5)
    since, deadline = place(carl).since, place(anna).ready_check.deadline
    last_seen = database_now() - timedelta(seconds=100)
    WebProcess.objects.create(id=uuid4(), started_at=last_seen, heartbeat_at=last_seen)
    with closing(connection.copy(alias="default")) as other, other.cursor() as session:
        outage = join_process(process_id=uuid4())
        assert outage is not None
        session.execute("SELECT pg_advisory_lock_shared(%s)", [0x7461_6B75_02])
        assert join_process(process_id=uuid4()) is None
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_unlock_all()")
    length = outage.ended_at - outage.began_at
    assert place(carl).since == since + length
    assert place(anna).ready_check.deadline == deadline + length


def test_nothing_is_done_in_an_outage(no_web_process, people) -> None:
    anna, bert = people(2)
    search(anna, bert, waited=60)
    gone(anna, 3600)
    waves.tick()
    assert [status(anna), status(bert)] == ["waiting", "waiting"]


# Closing


def test_mm_25_a_closed_queue_sends_everybody_home(people) -> None:
    anna, bert = people(2)
    search(anna, bert)
    queue.close_queue()
    assert [status(anna), status(bert)] == ["none", "none"]
    with pytest.raises(QueueClosed):
        queue.enter(player_id=anna, now=database_now())
    queue.open_queue()
    search(anna)
    here(anna)
    assert status(anna) == "waiting"
    assert not Seat.objects.exists()
