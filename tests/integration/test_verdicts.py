"""Staff let a finished match count no more, or again: everybody learns of it, ratings follow."""

import json
from collections import Counter
from io import StringIO
from uuid import UUID, uuid4

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.models import Notice
from ratings.models import Correction, RatedMatch
from ratings.selectors import ratings_of
from ratings.services import RatingsBusy
from ratings.services.checks import check
from ratings.services.generations import apply_corrections
from tables.blackjack.actions import ActionName
from tables.blackjack.events import MatchKind
from tables.blackjack.ruleset import Ruleset
from tables.hub import Known
from tables.models import Match, MatchStep, Seat
from tables.selectors.matches import MatchNotFound, events_after, news_of, sight_of
from tables.services import strategies
from tables.services.batch import Decide, PlayOut, Rename, apply_one
from tables.services.removal import delete_account
from tables.services.verdicts import NotFinished, ReasonNeeded, restore_match, void_match
from tables.services.verification import verify_match
from tests.play import a_match, guests, play_to_the_end, view_now
from tests.races import threads
from tests.rest import Program, new_program

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("valkey"),
    pytest.mark.timeout(300),
]

RANKED = {"kind": MatchKind.RANKED, "rounds": 1, "turn_seconds": 30}
WINS = 16_000  # half of K 32: the other never decided anything and is last (RT1.1)


def void(match, reason="A fault of ours"):
    return void_match(match_id=match.pk, reason=reason, actor="mika", now=timezone.now())


def restore(match, reason="It was none"):
    return restore_match(match_id=match.pk, reason=reason, actor="mika", now=timezone.now())


def begun(players):
    """A ranked match in which the first player alone has decided something."""
    match = a_match(players, **RANKED)
    apply_one(Decide(match.pk, players[0], ActionName.BET, 0, 10))
    return match


def won(players):
    """A ranked match that the first player has won."""
    strategies.compute(Ruleset(rounds=1, turn_seconds=30))
    match = begun(players)
    apply_one(PlayOut(match.pk))
    match.refresh_from_db()
    assert match.status == "finished"
    return match


def ratings(players):
    now = ratings_of(players)
    return [now[player].rating - 1_500_000 for player in players]


def status_in(program, match):
    return program.get(f"matches/{match.pk}/").json()["status"]


def test_a_void_match_shows_and_counts_no_more_until_it_is_restored():
    players = guests(2)
    match = won(players)
    assert ratings(players) == [WINS, -WINS]
    seq, version = match.seq, match.version
    assert void(match)
    match.refresh_from_db()
    assert (match.status, match.seq, match.version) == ("void", seq + 1, version)
    told, last = events_after(sight_of(match_id=match.pk, viewer_id=None), seq)
    [event] = json.loads(bytes(told))
    assert (event["type"], event["reason"]) == ("match_voided", "A fault of ours")
    assert (event["seq"], event["version"], last) == (seq + 1, version, seq + 1)
    assert view_now(match).status == "void"
    assert verify_match(match.pk).difference is None
    apply_corrections(now=timezone.now())
    assert ratings(players) == [0, 0]
    assert [seat.rating_after for seat in view_now(match).result] == [None, None]
    assert restore(match)
    match.refresh_from_db()
    assert (match.status, match.seq, match.version) == ("finished", seq + 2, version)
    apply_corrections(now=timezone.now())
    assert ratings(players) == [WINS, -WINS]
    assert [seat.rating_after for seat in view_now(match).result] == ["1516.000", "1484.000"]
    assert verify_match(match.pk).difference is None
    assert not check(now=timezone.now()).differs


def test_its_players_are_told_and_others_are_not():
    program, other, stranger = new_program(), new_program(), new_program()
    match = won([UUID(program.id), UUID(other.id)])
    void(match)
    for each in (program, other):
        [notice] = each.get("players/me/notices/").json()["results"]
        assert notice["kind"] == "match_voided"
        assert notice["match"] == str(match.pk)
        assert status_in(each, match) == "void"
    restore(match)
    kinds = [n["kind"] for n in program.get("players/me/notices/").json()["results"]]
    assert sorted(kinds) == ["match_restored", "match_voided"]
    assert stranger.get("players/me/notices/").json()["results"] == []
    counts = program.get("players/me/").json()
    assert counts["unread"] == 2
    assert Program().get(f"matches/{match.pk}/").json()["status"] == "finished"


def test_who_slept_through_the_news_finds_it_by_the_poll():
    match = won(guests(2))
    void(match)
    [message] = news_of({match.pk: Known(match.seq, match.news)}).messages
    body = json.loads(message.body)
    assert [event["type"] for event in body["events"]] == ["match_voided"]
    assert body["view"]["status"] == "void"
    assert "you" not in body["view"]


def test_a_second_time_nothing_happens():
    match = won(guests(2))
    assert not restore(match)
    assert void(match)
    assert not void(match, "Another reason")
    assert MatchStep.objects.filter(match=match, kind="voided").count() == 1
    assert Notice.objects.count() == 2
    assert Correction.objects.count() == 1


def test_a_casual_match_can_be_void_too():
    match = play_to_the_end(a_match(guests(2), rounds=1))
    assert void(match)
    assert view_now(match).status == "void"
    assert not Correction.objects.exists()


def test_a_match_still_played_cannot_be_judged():
    match = a_match(guests(2), **RANKED)
    for judge in (void, restore):
        with pytest.raises(NotFinished):
            judge(match)
    assert not MatchStep.objects.filter(match=match, kind="voided").exists()


@pytest.mark.parametrize("reason", ["", "  \n", "x" * 301])
def test_a_reason_is_needed(reason):
    match = won(guests(2))
    with pytest.raises(ReasonNeeded):
        void(match, reason)
    assert view_now(match).status == "finished"


def test_an_unknown_match_is_none():
    with pytest.raises(MatchNotFound):
        void_match(match_id=uuid4(), reason="No match", actor="mika", now=timezone.now())


def test_who_decided_it_is_stored_and_not_shown():
    match = won(guests(2))
    void(match)
    step = MatchStep.objects.get(match=match, kind="voided")
    assert json.loads(step.payload) == {"actor": "mika", "reason": "A fault of ours"}
    assert "mika" not in step.events
    assert "mika" not in Program().get(f"matches/{match.pk}/events/").content.decode()


def test_a_forged_verdict_is_found():
    match = won(guests(2))
    void(match)
    forged = '{"actor":"mika","reason":"Something else"}'
    MatchStep.objects.filter(match=match, kind="voided").update(payload=forged)
    assert verify_match(match.pk).difference is not None


def test_a_deleted_player_gets_no_notice():
    players = guests(2)
    match = won(players)
    delete_account(player_id=players[1], acting=None, now=timezone.now())
    void(match)
    assert list(Notice.objects.values_list("player_id", flat=True)) == [players[0]]


def test_a_name_that_changes_as_the_match_ends_leaves_its_end_alone():
    players = guests(2)
    match = won(players)
    apply_one(Rename(match.pk, players[0]))
    assert Match.objects.get(pk=match.pk).finished_at == match.finished_at


def test_the_commands_say_what_became_of_the_match():
    match = won(guests(2))

    def run(command, match_id=match.pk, reason="Collusion"):
        out = StringIO()
        call_command(command, str(match_id), reason=reason, stdout=out)
        return out.getvalue().strip()

    assert run("void_match") == f"{match.pk} is void."
    assert run("void_match") == f"{match.pk} is void already."
    assert run("restore_match") == f"{match.pk} counts."
    assert run("restore_match") == f"{match.pk} counts already."
    with pytest.raises(CommandError, match="no match"):
        run("void_match", uuid4())
    for nothing in ("", " "):
        with pytest.raises(CommandError, match="--reason must say why"):
            run("void_match", reason=nothing)
    live = a_match(guests(2), **RANKED)
    with pytest.raises(CommandError, match="still played"):
        run("void_match", live.pk)


def outcome(future):
    error = future.exception()
    return type(error).__name__ if error else future.result()


def patiently(judge, match):
    """As staff do: again, where the ratings were busy."""
    while True:
        try:
            return judge(match)
        except RatingsBusy:
            continue


def test_a_void_against_the_end_of_its_match():
    players = guests(2)
    strategies.compute(Ruleset(rounds=1, turn_seconds=30))
    came = Counter()
    with threads(2) as pool:
        for _ in range(200):
            match = begun(players)
            end = pool.submit(apply_one, PlayOut(match.pk))
            judged = outcome(pool.submit(patiently, void, match))
            end.result()
            came[judged] += 1
            match.refresh_from_db()
            rated = RatedMatch.objects.get(match_id=match.pk)
            if judged == "NotFinished":
                assert (match.status, rated.counted) == ("finished", True)
            else:
                assert judged is True
                assert (match.status, rated.counted) == ("void", False)
            assert not Seat.objects.filter(match=match, live=True).exists()
    assert sum(came.values()) == 200
    apply_corrections(now=timezone.now())
    assert RatedMatch.objects.filter(counted=False).count() == came[True]
    assert not check(now=timezone.now()).differs


def test_two_of_the_staff_at_once_judge_once():
    match = won(guests(2))
    with threads(4) as pool:
        for number in range(100):
            judge = void if number % 2 == 0 else restore
            done = [pool.submit(patiently, judge, match) for _ in range(4)]
            assert Counter(map(outcome, done)) == {True: 1, False: 3}
    match.refresh_from_db()
    assert match.status == "finished"
    assert verify_match(match.pk).difference is None
    apply_corrections(now=timezone.now())
    assert not check(now=timezone.now()).differs
