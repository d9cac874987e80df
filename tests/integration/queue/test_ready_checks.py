"""Ready checks: the match when all accept, and what becomes of whom when not
(matchmaking.md 4, 5)."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db.models import F

from accounts.models import Notice
from tables.blackjack.events import MatchKind
from tables.blackjack.ruleset import Ruleset
from tables.models import (
    Match,
    MatchStatus,
    Offence,
    Outage,
    Penalty,
    QueueState,
    ReadyCheck,
    Seat,
    Ticket,
)
from tables.queue_refusals import OutOfQueue, ReadyCheckOver
from tables.selectors.clock import database_now
from tables.services import penalties, queue, ready_checks, strategies, waves
from tables.services.batch import Leave, Return, apply_batch, apply_one
from tables.services.solo import start_alone
from tests.integration.queue.conftest import (
    a_party,
    accept,
    asked,
    here,
    place,
    search,
    status,
    time_is_up,
    wait,
)
from tests.play import a_match

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]


def statuses(*who: UUID) -> list[str]:
    return [status(player_id) for player_id in who]


def test_all_accept_and_the_match_is_made(people) -> None:
    everybody = people(4)
    check = asked(*everybody)
    view = place(everybody[0]).ready_check
    assert (view.id, view.size, view.accepted, view.answered) == (str(check), 4, 0, False)
    accept(*everybody[:3])
    assert place(everybody[0]).ready_check.accepted == 3
    assert [place(each).ready_check.answered for each in everybody] == [True] * 3 + [False]
    accept(everybody[3])
    [match] = Match.objects.all()
    assert (match.kind, match.status, match.watchable) == ("ranked", "playing", True)
    assert 0 < match.quality <= 1
    assert {seat.player_id for seat in match.seats.all()} == set(everybody)
    assert statuses(*everybody) == ["matched"] * 4
    assert place(everybody[0]).match == str(match.pk)
    assert not Ticket.objects.exists()
    assert not ReadyCheck.objects.exists()


def test_a_made_match_says_how_long_one_waits(people) -> None:
    anna, bert, carl = people(3)
    asked(anna, bert, waited=42)
    accept(anna, bert)
    assert place(carl).estimate in (42, 43)


def test_accepting_twice_is_accepting_once(people) -> None:
    anna, bert, carl = people(3)
    asked(anna, bert, carl)
    accept(anna, anna)
    assert place(bert).ready_check.accepted == 1


def test_who_is_not_asked_cannot_answer(people) -> None:
    anna, bert = people(2)
    with pytest.raises(ReadyCheckOver):
        accept(anna)
    search(anna)
    with pytest.raises(ReadyCheckOver):
        accept(anna)
    old = asked(anna, bert)
    for answer in (ready_checks.accept, ready_checks.decline):
        with pytest.raises(ReadyCheckOver):
            answer(player_id=anna, check_id=uuid4())
    ready_checks.accept(player_id=anna, check_id=old)
    ready_checks.accept(player_id=bert, check_id=old)
    with pytest.raises(ReadyCheckOver):
        ready_checks.accept(player_id=bert, check_id=old)
    assert Match.objects.count() == 1


# It fails (MM-22, MM-24)


def test_mm_24_the_innocent_go_back_in_front_with_their_time(people) -> None:
    anna, bert, carl = people(3)
    asked(anna, bert, carl)
    since = place(anna).since
    accept(anna)
    ready_checks.decline(player_id=bert, check_id=None)
    assert statuses(anna, bert, carl) == ["waiting", "none", "ready_check"]
    assert place(anna).since == since
    assert Ticket.objects.get(members__player=anna).front
    accept(carl)  # who had time left is not worse off
    assert statuses(anna, bert, carl) == ["waiting", "none", "waiting"]
    assert list(Penalty.objects.values_list("player", "offence")) == [(bert, "declined")]
    assert not ReadyCheck.objects.exists()


def test_who_does_not_answer_in_time_leaves(people) -> None:
    anna, bert, carl = people(3)
    check = asked(anna, bert, carl)
    accept(anna)
    ready_checks.settle_due(now=database_now())
    assert statuses(anna, bert, carl) == ["ready_check"] * 3
    time_is_up(check)
    with pytest.raises(ReadyCheckOver):
        accept(bert)
    ready_checks.settle_due(now=database_now())
    assert statuses(anna, bert, carl) == ["waiting", "none", "none"]
    assert set(Penalty.objects.values_list("player", "offence")) == {
        (bert, "no_answer"),
        (carl, "no_answer"),
    }


def test_who_stays_silent_after_others_declined_leaves_too(people) -> None:
    anna, bert, carl = people(3)
    check = asked(anna, bert, carl)
    ready_checks.decline(player_id=bert, check_id=None)
    time_is_up(check)
    ready_checks.settle_due(now=database_now())
    assert statuses(anna, carl) == ["none", "none"]
    assert not ReadyCheck.objects.exists()


def test_leaving_the_queue_declines(people) -> None:
    anna, bert = people(2)
    asked(anna, bert)
    queue.leave(player_id=anna)
    assert status(anna) == "none"
    assert Penalty.objects.get().offence == Offence.DECLINED


def test_a_party_goes_back_only_as_a_whole(people) -> None:
    anna, bert, carl, dora = people(4)
    a_party(anna, bert)
    search(anna, waited=60)
    here(bert)
    search(carl, dora, waited=60)
    waves.run_wave()
    accept(anna, carl, dora)
    ready_checks.decline(player_id=bert, check_id=None)
    assert statuses(anna, bert, carl, dora) == ["none", "none", "waiting", "waiting"]
    assert list(Penalty.objects.values_list("player", flat=True)) == [bert]


def test_a_party_comes_into_the_match_together(people) -> None:
    anna, bert, carl, dora = people(4)
    party = a_party(anna, bert)
    search(anna, waited=60)
    here(bert)
    search(carl, dora, waited=60)
    waves.run_wave()
    accept(anna, carl, dora, bert)
    came_with = dict(Seat.objects.values_list("player", "party_id"))
    assert came_with == {anna: party.pk, bert: party.pk, carl: None, dora: None}
    assert not party.members.filter(ready=True).exists()


# The match


def test_a_casual_match_still_played_is_left(people) -> None:
    anna, bert, carl = people(3)
    alone = start_alone(player_id=anna, rules={}).match
    together = a_match([bert, carl])
    asked(anna, bert)
    accept(anna, bert)
    ranked = Match.objects.get(kind="ranked")
    assert place(anna).match == place(bert).match == str(ranked.pk)
    assert not Seat.objects.filter(match__in=[alone, together], player=anna, live=True).exists()
    assert not Seat.objects.filter(match=together, player=bert, live=True).exists()
    assert Seat.objects.filter(match=together, player=carl, live=True).exists()


def test_nobody_leaves_a_table_when_no_match_is_made(people) -> None:
    anna, bert = people(2)
    alone = start_alone(player_id=anna, rules={}).match
    asked(anna, bert)
    accept(anna)
    ready_checks.decline(player_id=bert, check_id=None)
    assert Seat.objects.get(match=alone).live


def test_mm_15_a_match_that_cannot_be_made_costs_nobody_anything(people, monkeypatch) -> None:
    anna, bert = people(2)
    start_alone(player_id=anna, rules={})

    def broken(**_: object) -> None:
        raise RuntimeError("no")

    asked(anna, bert)
    since = place(anna).since
    monkeypatch.setattr(ready_checks, "start_match", broken)
    accept(anna, bert)
    assert statuses(anna, bert) == ["waiting", "waiting"]
    assert place(anna).since == since
    assert not Penalty.objects.exists()
    assert not ReadyCheck.objects.exists()
    assert QueueState.objects.get().failed_builds == 1
    assert Seat.objects.filter(player=anna, live=True).exists()  # nothing was left for nothing
    monkeypatch.undo()
    waves.run_wave()
    accept(anna, bert)
    assert statuses(anna, bert) == ["matched", "matched"]


def test_who_returned_to_a_ranked_match_meanwhile_is_not_in_two(people) -> None:
    anna, bert, carl = people(3)
    ranked = a_match([anna, bert], kind=MatchKind.RANKED)
    apply_one(Leave(ranked.pk, anna))
    asked(anna, carl)
    apply_one(Return(ranked.pk, anna))
    accept(anna, carl)
    assert statuses(anna, carl) == ["matched", "waiting"]
    assert waves.run_wave() == 0
    assert not Penalty.objects.exists()


def test_a_match_that_a_dead_process_left_unmade_is_made(people, monkeypatch) -> None:
    anna, bert = people(2)
    check = asked(anna, bert)
    monkeypatch.setattr(ready_checks, "build", lambda **_: None)
    accept(anna, bert)
    monkeypatch.undo()
    time_is_up(check)
    ready_checks.settle_due(now=database_now())
    assert statuses(anna, bert) == ["matched", "matched"]
    assert not Penalty.objects.exists()


def test_mm_07_an_old_timeout_does_not_touch_a_new_match(people) -> None:
    anna, bert, carl = people(3)
    old = asked(anna, bert)
    accept(anna)
    ready_checks.decline(player_id=bert, check_id=None)
    search(carl)
    wait(anna, carl, seconds=60)
    waves.run_wave()
    ready_checks.expire(check_id=old)
    assert statuses(anna, carl) == ["ready_check", "ready_check"]
    accept(anna, carl)
    ready_checks.expire(check_id=old)
    assert statuses(anna, carl) == ["matched", "matched"]


# Penalties (matchmaking.md 5)


def test_penalties_grow_within_an_hour(people) -> None:
    [anna] = people(1)
    now = database_now()
    lasted = []
    for number in range(5):
        at = now + timedelta(minutes=number)
        penalties.punish(player_ids=[anna], offence=Offence.DECLINED, now=at)
        lasted.append((Penalty.objects.latest("at").until - at).total_seconds())
    assert lasted == [0, 60, 300, 900, 900]
    assert Notice.objects.filter(player=anna, kind="penalty").count() == 4
    Penalty.objects.update(at=F("at") - timedelta(hours=2), until=F("until") - timedelta(hours=2))
    penalties.punish(player_ids=[anna], offence=Offence.DECLINED, now=now)
    assert place(anna).penalty is None


def test_who_has_a_penalty_waits_until_it_ends(people) -> None:
    anna, bert = people(2)
    now = database_now()
    for _ in range(2):
        penalties.punish(player_ids=[anna], offence=Offence.NO_ANSWER, now=now)
    penalty = place(anna).penalty
    assert (penalty.until, penalty.reason) == (now + timedelta(seconds=60), "no_answer")
    with pytest.raises(OutOfQueue) as refused:
        queue.enter(player_id=anna, now=database_now())
    assert refused.value.members == {"until": penalty.until, "reason": "no_answer"}
    a_party(bert, anna)
    with pytest.raises(OutOfQueue):
        queue.enter(player_id=bert, now=database_now())
    queue.enter(player_id=bert, now=now + timedelta(seconds=61))
    assert status(anna) == "waiting"


def test_no_penalty_soon_after_an_outage(people) -> None:
    anna, bert = people(2)
    now = database_now()
    Outage.objects.create(
        began_at=now - timedelta(minutes=20), ended_at=now - timedelta(seconds=590)
    )
    asked(anna, bert)
    ready_checks.decline(player_id=anna, check_id=None)
    assert not Penalty.objects.exists()
    accept(bert)
    Outage.objects.update(ended_at=now - timedelta(seconds=610))
    search(anna, waited=60)
    waves.run_wave()
    ready_checks.decline(player_id=anna, check_id=None)
    assert Penalty.objects.count() == 1


@pytest.mark.parametrize(("kind", "punished"), [(MatchKind.RANKED, 2), (MatchKind.PARTY, 0)])
def test_only_a_ranked_match_left_to_the_cpu_counts(people, kind: MatchKind, punished: int) -> None:
    strategies.compute(Ruleset(rounds=1))
    players = people(2)
    match = a_match(players, kind=kind, rounds=1)
    apply_batch([Leave(match.pk, player) for player in players], wait=True)
    assert Match.objects.get(pk=match.pk).status == MatchStatus.FINISHED
    assert Penalty.objects.filter(player__in=players, offence="cpu_played").count() == punished


def test_who_is_out_is_not_punished_for_the_cpu(people) -> None:
    [anna] = people(1)
    seat = Seat(number=1, player_id=anna, own_decisions=1, cpu_decisions=2)
    penalties.punish_absent(seats=[seat], out=[1], now=database_now())
    assert not Penalty.objects.exists()
    seat.cpu_decisions = 1  # not more than half
    penalties.punish_absent(seats=[seat], out=[], now=database_now())
    assert not Penalty.objects.exists()
