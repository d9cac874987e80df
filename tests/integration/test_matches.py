"""Matches over REST: starting alone, deciding, being refused (api.md, matches/)."""

import json
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.db.models import F
from django.utils import timezone
from msgspec.structs import replace

from accounts.services.players import ban_player
from tables.blackjack import codec
from tables.blackjack.events import MatchKind
from tables.blackjack.ruleset import Ruleset
from tables.models import Match, MatchStep, Presence
from tables.selectors.clock import database_now
from tables.selectors.presence import sightings_of
from tables.services import presence
from tables.services.batch import Wake, apply_one
from tables.services.matches import start_match
from tables.services.presence import Place
from tests.rest import Program, new_program

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]

BET = {"action": "bet", "amount": 50, "version": 0}


def alone(**rules):
    program = new_program()
    made = program.post("matches/", {"rules": rules} if rules else None)
    assert made.status_code == 201, made.content
    return program, made.json()


def together(count=2, *, watchable=False, **rules):
    programs = [new_program() for _ in range(count)]
    match = start_match(
        kind=MatchKind.PARTY,
        ruleset=Ruleset(**rules),
        player_ids=[UUID(program.id) for program in programs],
        watchable=watchable,
    )
    return programs, str(match.pk)


def refused(answer, status, code):
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.content
    assert answer["Content-Type"] == "application/problem+json"
    return answer.json()


def test_a_guest_starts_alone_and_is_at_the_table():
    program, view = alone(decks=1)
    assert view["kind"] == "solo"
    assert view["version"] == 0
    assert view["you"] == {"seat": 1}
    assert view["rules"]["decks"] == 1
    assert view["rules"]["rounds"] == 10
    assert view["seats"][0]["player"]["id"] == program.id
    assert view["seats"][0]["connected"]
    assert view["seats"][0]["away_since"] is None
    assert view["to_act"]["legal"] == [{"action": "bet", "min": 10, "max": 200, "step": 10}]
    assert program.get(f"matches/{view['id']}/").json()["seats"] == view["seats"]


def test_a_second_start_is_refused_with_the_first_match():
    program, view = alone()
    assert refused(program.post("matches/"), 409, "in_match")["match"] == view["id"]
    assert Match.objects.count() == 1


def test_a_repeated_start_is_the_same_match():
    program = new_program()
    first = program.post("matches/", idempotency_key="start-1")
    again = program.post("matches/", idempotency_key="start-1")
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    refused(
        program.post("matches/", {"rules": {"decks": 2}}, idempotency_key="start-1"),
        422,
        "idempotency_key_reused",
    )


def test_faulty_rules_are_named():
    program = new_program()
    problem = refused(
        program.post("matches/", {"rules": {"decks": 9, "luck": 1}}), 400, "bad_rules"
    )
    assert {fault["field"] for fault in problem["errors"]} == {"rules.decks", "rules.luck"}
    assert not Match.objects.exists()


def test_a_whole_match_is_played_over_rest():
    program, view = alone(rounds=2)
    address = f"matches/{view['id']}/"
    while view["to_act"]:
        offer = view["to_act"]["legal"][0]
        body = {"action": offer["action"], "version": view["version"]}
        if offer["action"] == "bet":
            body["amount"] = offer["min"]
        answer = program.post(f"{address}actions/", body)
        assert answer.status_code == 200, answer.content
        assert answer.json()["version"] == view["version"] + 1
        view = answer.json()
    assert view["status"] == "finished"
    assert view["phase"] == "settled"
    assert view["result"][0]["place"] == 1
    assert refused(program.post(f"{address}actions/", BET), 409, "match_over")
    shown = program.get(address).json()
    assert {**shown, "server_time": None} == {**view, "server_time": None}


# The order of refusals


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b"null",
        b"42",
        b"\xff",
        b"[" * 10_000,
        {},
        {"action": "bet", "amount": 50},
        {"action": "bet", "version": 0},
        {"action": "bet", "amount": None, "version": 0},
        {"action": "bet", "amount": "50", "version": 0},
        {"action": "bet", "amount": 50.5, "version": 0},
        {"action": "bet", "amount": True, "version": 0},
        {"action": "bet", "amount": 50, "version": "0"},
        {"action": "bet", "amount": 50, "version": False},
        {"action": "bet", "amount": 50, "version": None},
        {"action": "jump", "version": 0},
        {"action": 1, "version": 0},
        {"action": ["bet"], "amount": 50, "version": 0},
        {"action": "hit", "amount": 50, "version": 0},
        {"action": "stand", "amount": 0, "version": 0},
        {"version": 0},
    ],
)
def test_what_is_malformed_is_refused_before_anything_else(body):
    answer = Program().send("POST", f"matches/{uuid4()}/actions/", body)
    assert answer.status_code == 400, answer.content
    assert answer.json()["code"] in ("invalid", "parse_error")
    assert answer["Content-Type"] == "application/problem+json"


def test_a_malformed_field_is_named():
    program, view = alone()
    answer = program.post(
        f"matches/{view['id']}/actions/", {"action": "hit", "amount": 5, "version": 0}
    )
    assert [fault["field"] for fault in refused(answer, 400, "invalid")["errors"]] == ["amount"]
    answer = program.post(f"matches/{view['id']}/actions/", {"action": "bet", "amount": 10})
    assert [fault["field"] for fault in refused(answer, 400, "invalid")["errors"]] == ["version"]


def test_refusals_come_in_their_order():
    (first, second), match_id = together(watchable=False)
    address = f"matches/{match_id}/actions/"
    refused(Program().post(f"matches/{uuid4()}/actions/", BET), 401, "not_authenticated")
    refused(Program("wrong").post(address, BET), 401, "invalid_token")
    refused(first.post(f"matches/{uuid4()}/actions/", BET), 404, "match_not_found")
    stranger = new_program()
    refused(stranger.post(address, BET), 404, "match_not_found")
    Match.objects.update(watchable=True)
    refused(stranger.post(address, BET), 403, "not_your_seat")
    stale = refused(second.post(address, {**BET, "version": 1}), 409, "stale_version")
    assert stale["view"]["version"] == 0
    assert stale["view"]["you"] == {"seat": 2}
    refused(second.post(address, BET), 409, "not_your_turn")
    refused(first.post(address, {"action": "hit", "version": 0}), 422, "illegal_action")
    refused(first.post(address, {**BET, "amount": 55}), 422, "bad_amount")
    assert MatchStep.objects.filter(match=match_id).count() == Match.objects.get().version + 1 == 1


def test_a_banned_player_is_told_before_the_match_is_looked_for():
    program = new_program()
    ban_player(player_id=UUID(program.id), until=None, reason="cheating", now=timezone.now())
    problem = refused(program.post(f"matches/{uuid4()}/actions/", BET), 403, "banned")
    assert (problem["until"], problem["reason"]) == (None, "cheating")
    refused(program.post("matches/"), 403, "banned")


@pytest.mark.parametrize("amount", [0, -10, 15, 210, 1010, 10**9, 10**30])
def test_a_bet_that_is_not_offered_is_refused(amount):
    program, view = alone()
    answer = program.post(f"matches/{view['id']}/actions/", {**BET, "amount": amount})
    refused(answer, 422, "bad_amount")
    assert program.get(f"matches/{view['id']}/").json()["version"] == 0


def test_a_bet_beyond_the_chips_is_refused():
    program, view = alone(initial_chips=100, max_bet=100)
    match = Match.objects.get()
    poor = codec.decode(match.state)
    poor = replace(poor, seats=(replace(poor.seats[0], chips=50),))
    Match.objects.update(state=codec.encode(poor))
    answer = program.post(f"matches/{view['id']}/actions/", {**BET, "amount": 100})
    refused(answer, 422, "not_enough_chips")


def test_a_click_meant_for_the_last_prompt_is_refused_with_the_present_view():
    """An action says which decision it is for (RT-02)."""
    (first, second), match_id = together()
    address = f"matches/{match_id}/actions/"
    assert first.post(address, BET).status_code == 200
    late = refused(first.post(address, {**BET, "amount": 20}), 409, "stale_version")
    assert late["view"]["version"] == 1
    assert late["view"]["to_act"]["seat"] == 2
    assert second.post(address, {**BET, "version": 1}).status_code == 200


def test_only_post_is_taken():
    program, view = alone()
    answer = program.get(f"matches/{view['id']}/actions/")
    refused(answer, 405, "method_not_allowed")
    assert answer["Allow"] == "POST"


# Ids that never act twice


def test_the_same_action_twice_acts_once():
    (first, second), match_id = together()
    address = f"matches/{match_id}/actions/"
    done = first.post(address, BET, idempotency_key="a")
    again = first.post(address, BET, idempotency_key="a")
    assert done.status_code == again.status_code == 200
    assert again.json()["version"] == 1
    assert again.json()["seats"][0]["chips"] == 950
    assert second.post(address, {**BET, "version": 1}, idempotency_key="a").status_code == 200
    later = first.post(address, BET, idempotency_key="a")
    assert (later.status_code, later.json()["version"]) == (200, 2)
    assert MatchStep.objects.filter(action_id="a").count() == 2


@pytest.mark.parametrize("other", [{"amount": 60}, {"version": 1}])
def test_an_id_is_for_one_action(other):
    program, view = alone()
    address = f"matches/{view['id']}/actions/"
    assert program.post(address, BET, idempotency_key="a").status_code == 200
    refused(
        program.post(address, {**BET, **other}, idempotency_key="a"), 422, "idempotency_key_reused"
    )


def test_a_refusal_spends_no_id():
    program, view = alone()
    address = f"matches/{view['id']}/actions/"
    refused(program.post(address, {**BET, "amount": 5}, idempotency_key="a"), 422, "bad_amount")
    assert program.post(address, BET, idempotency_key="a").status_code == 200


@pytest.mark.parametrize("key", ["", "a b", "x" * 65, "\x7f"])
def test_an_id_is_visible_text(key):
    program, view = alone()
    answer = program.post(f"matches/{view['id']}/actions/", BET, idempotency_key=key)
    refused(answer, 400, "bad_idempotency_key")
    ok = program.post(f"matches/{view['id']}/actions/", BET, idempotency_key="x" * 64)
    assert ok.status_code == 200


# Presence by REST


def everybody_goes_away(match_id):
    """As if nobody had asked for the match for longer than a request connects them."""
    Presence.objects.update(match_seen_at=None)
    Match.objects.update(wake_at=F("started_at"))
    apply_one(Wake(UUID(match_id)))


def test_a_request_connects_its_player():
    (first, second), match_id = together()
    everybody_goes_away(match_id)
    view = first.get(f"matches/{match_id}/").json()
    assert [seat["connected"] for seat in view["seats"]] == [True, False]
    assert view["seats"][1]["away_since"] is not None
    view = second.get(f"matches/{match_id}/").json()
    assert [seat["connected"] for seat in view["seats"]] == [True, True]
    assert view["version"] == 0


def test_an_action_connects_its_player():
    (first, _), match_id = together()
    everybody_goes_away(match_id)
    answer = first.post(f"matches/{match_id}/actions/", BET)
    assert [seat["connected"] for seat in answer.json()["seats"]] == [True, False]


def test_whoever_was_seen_last_week_is_not_taken_over_at_once():
    programs = [new_program() for _ in range(2)]
    ids = [UUID(program.id) for program in programs]
    long_ago = timezone.now() - timedelta(days=7)
    Presence.objects.create(player_id=ids[1], gone_at=long_ago)
    match = start_match(kind=MatchKind.PARTY, ruleset=Ruleset(), player_ids=ids)
    view = programs[0].get(f"matches/{match.pk}/").json()
    assert [seat["controller"] for seat in view["seats"]] == ["human", "human"]
    assert view["version"] == 0


def test_presence_is_written_well_within_the_time_that_it_lasts(settings):
    settings.QUEUE_PRESENCE = 1.5
    assert presence.touch_every(Place.QUEUE) == timedelta(seconds=0.1)
    assert presence.touch_every(Place.MATCH) * 15 == timedelta(seconds=settings.MATCH_PRESENCE)


def test_whoever_asks_every_thirty_seconds_is_always_there():
    """Also if a request came too soon after another one to be written down."""
    (first, _), match_id = together()
    player = UUID(first.id)
    Presence.objects.update(match_seen_at=None)
    assert presence.touch(player_id=player, place=Place.MATCH, match_id=UUID(match_id))
    asked_at = database_now()
    assert not presence.touch(player_id=player, place=Place.MATCH, match_id=UUID(match_id))
    for ago, there in ((1.9, True), (2.1, False)):
        # The request that was not written came so long after the one that was, 30 s ago.
        Presence.objects.update(match_seen_at=asked_at - timedelta(seconds=ago + 30))
        seen = sightings_of([player], UUID(match_id))[first.id]
        assert seen.connected(asked_at) is there


def test_looking_at_a_match_that_one_has_left_brings_nobody_back():
    (first, _), match_id = together()
    other = first.post(f"matches/{match_id}/leave/") and first.post("matches/").json()["id"]
    first.get(f"matches/{match_id}/")
    first.post(f"matches/{match_id}/actions/", {"action": "hit", "version": 0})
    assert str(Presence.objects.get(player_id=first.id).match_id) == other


# Who sees what


def test_a_live_match_is_for_its_players_unless_it_may_be_watched():
    (first, _), match_id = together()
    refused(Program().get(f"matches/{match_id}/"), 404, "match_not_found")
    refused(new_program().get(f"matches/{match_id}/"), 404, "match_not_found")
    Match.objects.update(watchable=True)
    watched = Program().get(f"matches/{match_id}/")
    assert watched.status_code == 200
    assert watched.json()["you"] is None
    assert watched["Cache-Control"] == "no-store"
    assert first.get(f"matches/{match_id}/").json()["you"] == {"seat": 1}


def test_a_seat_is_not_taken_by_a_name():
    """Only the account has it (RT-10)."""
    (first, _), match_id = together()
    name = first.get("players/me/").json()["display_name"]
    impostor = new_program(display_name=name)
    refused(impostor.post(f"matches/{match_id}/actions/", BET), 404, "match_not_found")
    assert json.loads(impostor.get("players/me/").content)["match"] is None
