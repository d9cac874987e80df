"""What each staff action does, to whom, and that done twice it is done once."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.utils import timezone
from websockets.exceptions import ConnectionClosed

from accounts.models import AnnouncementLevel, Notice, Player
from ratings.elo import Pace
from ratings.models import Flag, FlagKind, FlagState, Season, SeasonStatus
from staff.models import Kind, RatingRun, RunKind, RunState, StaffAction
from staff.services import matches, players, ratings, words
from staff.services.orders import NothingToDo
from tables.blackjack.events import MatchKind
from tables.blackjack.ruleset import Ruleset
from tables.models import (
    Match,
    MatchStatus,
    Offence,
    PartyMember,
    Penalty,
    Report,
    ReportState,
    Seat,
    TicketMember,
)
from tables.services import parties, queue
from tables.services.strategies import compute
from tests.journeys.guests import Invite, seat
from tests.play import a_match, play_to_the_end
from tests.rest import new_program

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

RANKED = {"kind": MatchKind.RANKED, "rounds": 1, "turn_seconds": 30}


def people(count):
    programs = [new_program() for _ in range(count)]
    return programs, [UUID(program.id) for program in programs]


def test_a_ban_during_the_own_turn_leaves_nothing_behind(invite: Invite, order):
    """AD-12."""
    anna, bert = invite("Anna"), invite("Bert")
    match = seat(anna, bert)
    anna.open()
    anna.wait_for("snapshot", match=match)
    now = timezone.now()
    given = order(reason="stalls  on purpose")
    action = players.ban(given, player_id=UUID(anna.id), until=now + timedelta(days=7))
    assert anna.wait_for("closing")["reason"] == "banned"
    with pytest.raises(ConnectionClosed) as closed:
        anna.wait_for("nothing more")
    assert closed.value.rcvd.code == 4403
    assert not Seat.objects.get(match=match, player=anna.id).live
    refused = anna.http.get("matches/" + match + "/")
    assert (refused.status_code, refused.json()["code"]) == (403, "banned")
    assert refused.json()["reason"] == "stalls on purpose"
    own = anna.get("players/me/")
    assert own["ban"]["reason"] == "stalls on purpose"
    view = bert.get(f"matches/{match}/")
    assert view["seats"][0]["controller"] == "cpu"
    assert (action.kind, action.player, action.reason) == (
        Kind.BAN,
        UUID(anna.id),
        "stalls on purpose",
    )
    assert action.before == {"banned": False}
    assert action.after["banned"]
    # Told once more to do the same, nothing more happens.
    assert players.ban(given, player_id=UUID(anna.id), until=None) == action
    assert Notice.objects.filter(player=anna.id, kind="ban").count() == 1
    players.unban(order(), player_id=UUID(anna.id))
    assert anna.get(f"matches/{match}/")["id"] == match
    told = Notice.objects.filter(player=anna.id, kind="ban").order_by("id")
    assert [notice.values.get("lifted", False) for notice in told] == [False, True]
    with pytest.raises(NothingToDo):
        players.unban(order(), player_id=UUID(anna.id))
    assert StaffAction.objects.count() == 2


def test_a_ban_takes_ticket_and_party(order):
    """AD-12."""
    _, ids = people(2)
    now = timezone.now()
    party = parties.create_party(player_id=ids[0], now=now)
    parties.join_party(code=party.code, player_id=ids[1], now=now)
    PartyMember.objects.update(ready=True)
    queue.enter(player_id=ids[0], now=now)
    players.ban(order(), player_id=ids[0], until=None)
    assert not TicketMember.objects.exists()
    assert [member.player_id for member in PartyMember.objects.all()] == [ids[1]]


def test_a_renaming_shows_at_the_table_and_is_told(invite: Invite, order):
    anna, bert = invite("Rudename"), invite("Bert")
    match = seat(anna, bert)
    for guest in (anna, bert):
        guest.open()
        guest.wait_for("snapshot", match=match)
    players.rename(order("moderator"), player_id=UUID(anna.id), display_name="Politename")
    assert "Politename" in anna.wait_for("notice", kind="renamed")["text"]
    assert bert.get(f"matches/{match}/")["seats"][0]["player"]["display_name"] == "Politename"
    [action] = StaffAction.objects.all()
    assert action.before["name"].startswith("Rudename#")
    players.rename(order("moderator"), player_id=UUID(anna.id), display_name=None)
    assert anna.get("players/me/")["display_name"] not in {"Politename", ""}


def test_signed_out_devices_lose_sockets_and_tokens(invite: Invite, order):
    anna = invite("Anna")
    anna.open()
    players.sign_out(order("support"), player_id=UUID(anna.id))
    assert anna.wait_for("closing")["reason"] == "signed_out"
    assert anna.http.get("players/me/").status_code == 401
    with pytest.raises(NothingToDo):
        players.sign_out(order("support"), player_id=UUID(anna.id))


def test_a_lifted_penalty_lets_search_again_and_is_forgotten(order):
    [program], [player] = people(1)
    now = timezone.now()
    for minutes in (0, 5):
        Penalty.objects.create(
            player_id=player,
            offence=Offence.DECLINED,
            at=now,
            until=now + timedelta(minutes=minutes),
        )
    assert program.post("queue/").json()["code"] == "penalty"
    players.lift_penalty(order(), player_id=player)
    assert program.post("queue/").status_code == 200
    assert Penalty.objects.count() == 1
    told = program.get("players/me/notices/", accept_language="en").json()["results"]
    assert [one["text"] for one in told] == ["You may enter the ranked queue again."]
    with pytest.raises(NothingToDo):
        players.lift_penalty(order(), player_id=player)


def test_a_closed_party_tells_its_members(invite: Invite, order):
    anna = invite("Anna")
    anna.open()
    party = parties.create_party(player_id=UUID(anna.id), now=timezone.now())
    anna.wait_until(lambda: anna.party is not None)
    matches.close_party(order(), party_id=party.pk)
    assert anna.wait_for("party", party=None)["reason"] == "closed"
    assert anna.get("players/me/")["party"] is None


def test_a_stuck_match_is_played_to_its_end_by_the_cpu(invite: Invite, workers, order):
    anna = invite("Anna")
    anna.open()
    made = anna.post("matches/", 201, rules={"turn_seconds": None, "rounds": 1})
    given = order()
    matches.end_match(given, match_id=UUID(made["id"]))
    matches.end_match(given, match_id=UUID(made["id"]))
    for patience in (True, True, False):  # the strategy of these rules may have to be computed
        with suppress(TimeoutError) if patience else nullcontext():
            anna.wait_until(lambda: bool(anna.view) and anna.view["status"] == "finished")
    assert StaffAction.objects.count() == 1
    assert anna.get("players/me/")["match"] is None
    with pytest.raises(NothingToDo):
        matches.end_match(order(), match_id=UUID(made["id"]))


def test_nobody_is_punished_for_a_ranked_match_that_staff_have_ended(order):
    """What the CPU decided was the staff's doing; the players search again at once."""
    compute(Ruleset(rounds=1, turn_seconds=30))
    programs, ids = people(2)
    match = a_match(ids, **RANKED)
    matches.end_match(order("moderator"), match_id=match.pk)
    match.refresh_from_db()
    assert match.status == MatchStatus.FINISHED
    assert all(seat.cpu_decisions and not seat.own_decisions for seat in match.seats.all())
    assert not Penalty.objects.exists()
    assert programs[0].post("queue/").status_code == 200


def test_a_double_click_voids_once(order):
    """AD-07. Sent twice at the same moment: one void, one audit entry, one notice to each."""
    _, ids = people(2)
    match = play_to_the_end(a_match(ids, **RANKED))
    given = order("rating keeper")

    def click(_):
        try:
            return matches.void_match(given, match_id=match.pk).pk
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(click, range(4)))) == 1
    assert Match.objects.get(pk=match.pk).status == MatchStatus.VOID
    assert StaffAction.objects.count() == 1
    assert Notice.objects.filter(kind="match_voided").count() == 2
    with pytest.raises(NothingToDo):
        matches.void_match(order("rating keeper"), match_id=match.pk)


def test_a_wrong_verdict_is_taken_back_by_an_action_of_its_own(order):
    """AD-09."""
    _, ids = people(2)
    match = play_to_the_end(a_match(ids, **RANKED))
    matches.void_match(order("rating keeper"), match_id=match.pk)
    matches.restore_match(order("rating keeper"), match_id=match.pk)
    assert Match.objects.get(pk=match.pk).status == MatchStatus.FINISHED
    told = [action.kind for action in StaffAction.objects.order_by("id")]
    assert told == ["void_match", "restore_match"]


@pytest.mark.parametrize("kind", RunKind)
def test_a_rating_run_is_watched_to_its_end(order, kind):
    _, ids = people(2)
    play_to_the_end(a_match(ids, **RANKED))
    sent = []
    ratings.start_run(order("rating keeper"), kind=kind, send=lambda: sent.append(kind))
    assert sent == [kind]
    with pytest.raises(NothingToDo):
        ratings.start_run(order("rating keeper"), kind=kind, send=int)
    assert ratings.run_waiting() == 1
    [run] = RatingRun.objects.all()
    assert run.state == RunState.DONE
    assert run.result["matches"] == 1
    assert run.progress
    assert run.ended_at >= run.began_at
    assert ratings.run_waiting() == 0


def test_a_run_that_a_killed_worker_left_is_done_again(order):
    RatingRun.objects.create(kind=RunKind.CHECK, state=RunState.RUNNING, asked_at=timezone.now())
    assert ratings.run_waiting() == 1
    assert RatingRun.objects.get().state == RunState.DONE


def test_seasons_are_planned_and_change_once(order):
    now = timezone.now()
    ratings.plan_season(
        order("rating keeper"),
        starts_at=now + timedelta(days=30),
        ends_at=None,
        pace=Pace(k=20, provisional_k=40, provisional_matches=10),
    )
    running = Season.objects.get(status=SeasonStatus.RUNNING).number
    given = order("rating keeper")
    for _ in range(2):
        ratings.change_season(given, closing=running)
    with pytest.raises(NothingToDo):
        ratings.change_season(order("rating keeper"), closing=running)
    season = Season.objects.get(status=SeasonStatus.RUNNING)
    assert (season.number, season.k) == (running + 1, 20)


def test_what_staff_announce_reaches_every_socket_until_it_is_taken_down(invite: Invite, order):
    anna = invite("Anna")
    anna.open()
    now = timezone.now()
    action = words.announce(
        order(),
        level=AnnouncementLevel.WARNING,
        text_ja="まもなく止まります。",
        text_en="We stop soon.",
        starts_at=now,
        ends_at=None,
        restart_at=None,
    )
    heard = anna.wait_for("notice", kind="announcement")
    assert heard["level"] == "warning"
    words.withdraw(order(), announcement_id=UUID(action.after["announcement"]))
    anna.wait_until(lambda: any(one["type"] == "notice" and one["until"] for one in anna.heard))
    assert anna.get("announcements/")["results"] == []


def test_a_report_is_decided_with_a_note(order):
    [first, second], _ = people(2)
    first.post("reports/", {"player": second.id, "reason": "name"})
    report = Report.objects.get()
    words.decide_report(
        order("moderator", "nothing wrong"), report_id=report.pk, state=ReportState.DISMISSED
    )
    report.refresh_from_db()
    assert (report.state, report.note) == ("dismissed", "nothing wrong")
    with pytest.raises(words.ReportNotFound):
        words.decide_report(order(), report_id=uuid4(), state=ReportState.WATCHING)


def test_a_flag_is_decided_with_a_note(order):
    _, ids = people(2)
    now = timezone.now()
    flag = Flag.objects.create(
        kind=FlagKind.ONE_SIDED, players=sorted(ids), match=uuid4(), created_at=now, updated_at=now
    )
    words.decide_flag(
        order("moderator", "one household"), flag_id=flag.pk, state=FlagState.WATCHING
    )
    flag.refresh_from_db()
    assert (flag.state, flag.note) == ("watching", "one household")


def test_a_closed_queue_sends_home_and_opens_again(order):
    [program], [player] = people(1)
    queue.enter(player_id=player, now=timezone.now())
    matches.close_queue(order())
    assert not TicketMember.objects.exists()
    assert program.post("queue/").json()["code"] == "queue_closed"
    matches.open_queue(order())
    assert program.post("queue/").status_code == 200


def test_a_deleted_player_stays_in_others_matches(order):
    """AD-02."""
    [anna, bert], ids = people(2)
    match = play_to_the_end(a_match(ids, **RANKED))
    before = bert.get(f"players/{bert.id}/").json()["rating"]
    assert anna.send("DELETE", "players/me/").status_code == 204
    view = bert.get(f"matches/{match.pk}/", accept_language="en").json()
    assert view["seats"][0]["player"]["display_name"] == "Deleted player"
    assert view["result"][0]["rating_after"]
    assert bert.get(f"players/{bert.id}/").json()["rating"] == before
    assert Player.objects.filter(pk=ids[0]).exists()
