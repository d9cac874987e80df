"""Leaving and coming back, watching, sharing, and what is left of a match (api.md, matches/)."""

import json
import random
from datetime import timedelta
from uuid import UUID, uuid4

import msgspec
import pytest
from django.utils import timezone

from accounts.services.players import lift_ban
from tables.blackjack.cards import packs
from tables.blackjack.events import MatchKind
from tables.blackjack.ruleset import Ruleset
from tables.blackjack.shuffle import commitment, shuffled
from tables.models import Match, MatchStatus, PartyMember, Seat
from tables.services import parties, removal, strategies
from tables.services.batch import Wake, apply_one
from tests.play import a_match, decide, play_to_the_end, played, view_now
from tests.rest import Program, new_program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey")]


def refused(answer, status, code):
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.content
    return answer.json()


def together(count=2, **rules):
    programs = [new_program() for _ in range(count)]
    return programs, a_match([UUID(program.id) for program in programs], **rules)


# Leaving and coming back


def test_a_leaver_is_free_and_gets_the_same_seat_back():
    (first, second), match = together()
    second.get(f"matches/{match.pk}/")
    left = first.post(f"matches/{match.pk}/leave/")
    assert left.status_code == 200
    assert left.json()["seats"][0]["controller"] == "cpu"
    assert left.json()["you"] == {"seat": 1}
    assert first.get("players/me/").json()["match"] is None
    assert second.get("players/me/").json()["match"] == str(match.pk)
    again = first.post(f"matches/{match.pk}/leave/")
    assert again.json()["version"] == left.json()["version"]
    back = first.post(f"matches/{match.pk}/return/")
    assert back.status_code == 200
    assert back.json()["seats"][0]["controller"] == "human"
    assert back.json()["seats"][0]["connected"]
    assert first.get("players/me/").json()["match"] == str(match.pk)
    assert first.post(f"matches/{match.pk}/return/").json()["version"] == back.json()["version"]


def test_whoever_has_another_match_cannot_come_back():
    (first, second), match = together()
    second.get(f"matches/{match.pk}/")
    first.post(f"matches/{match.pk}/leave/")
    other = first.post("matches/").json()
    assert (
        refused(first.post(f"matches/{match.pk}/return/"), 409, "in_match")["match"] == other["id"]
    )


def test_alone_the_cpu_plays_to_the_end():
    strategies.compute(Ruleset(rounds=1))
    program = new_program()
    view = program.post("matches/", {"rules": {"rounds": 1}}).json()
    left = program.post(f"matches/{view['id']}/leave/")
    assert left.status_code == 200
    for _ in range(5):
        apply_one(Wake(UUID(view["id"])))
    shown = program.get(f"matches/{view['id']}/").json()
    assert shown["status"] == "finished"
    refused(program.post(f"matches/{view['id']}/leave/"), 409, "match_over")
    refused(program.post(f"matches/{view['id']}/return/"), 409, "match_over")
    assert program.post("matches/").status_code == 201


@pytest.mark.parametrize("what", ["leave", "return", "share"])
def test_only_who_sits_there_may(what):
    (first, _), match = together()
    stranger = new_program()
    refused(Program().post(f"matches/{match.pk}/{what}/"), 401, "not_authenticated")
    refused(stranger.post(f"matches/{uuid4()}/{what}/"), 404, "match_not_found")
    refused(stranger.post(f"matches/{match.pk}/{what}/"), 404, "match_not_found")
    Match.objects.update(watchable=True)
    refused(stranger.post(f"matches/{match.pk}/{what}/"), 403, "not_your_seat")
    assert first.post(f"matches/{match.pk}/{what}/").status_code in (200, 201)


# Watching


def test_live_matches_are_listed_for_who_may_watch_them():
    (first, _), match = together()
    stranger = new_program()
    assert first.get("matches/?live=true").json()["results"][0]["id"] == str(match.pk)
    assert stranger.get("matches/?live=true").json()["results"] == []
    Match.objects.update(watchable=True)
    for viewer in (first, stranger, Program()):
        [listed] = viewer.get("matches/?live=true").json()["results"]
        assert [player["seat"] for player in listed["players"]] == [1, 2]
        assert listed["players"][0]["id"] == first.id
    play_to_the_end(match)
    assert stranger.get("matches/?live=true").json()["results"] == []


# What happened


def test_events_are_told_from_any_point_without_a_gap():
    (first, _), match = together(rounds=2)
    match = play_to_the_end(match)
    told = first.get(f"matches/{match.pk}/events/").json()
    assert set(told) == {"match", "version", "seq", "events"}
    assert (told["match"], told["version"], told["seq"]) == (
        str(match.pk),
        match.version,
        match.seq,
    )
    assert [event["seq"] for event in told["events"]] == list(range(1, match.seq + 1))
    assert told["events"][0]["seats"][0]["player"]["id"] == first.id
    assert told["events"][0]["seats"][0]["player"]["display_name"]
    for after in (0, 1, 5, 17, match.seq - 1, match.seq):
        some = Program().get(f"matches/{match.pk}/events/?after={after}").json()
        assert some["events"] == told["events"][after:]
    assert Program().get(f"matches/{match.pk}/events/?after=999999").json()["events"] == []
    for wrong in ("-1", "x", "1.5", str(2**40)):
        refused(Program().get(f"matches/{match.pk}/events/?after={wrong}"), 400, "invalid")


def test_rounds_are_those_that_were_settled():
    (first, _), match = together(rounds=3)
    assert first.get(f"matches/{match.pk}/rounds/").json() == []
    settled = []
    for view in played(match, random.Random(4)):
        if view.last_round is not None and len(settled) < view.last_round.round:
            last = json.loads(msgspec.json.encode(view.last_round))
            last.pop("round")
            settled.append(last)
    assert first.get(f"matches/{match.pk}/rounds/").json() == settled
    assert len(settled) == 3


def test_fairness_tells_all_once_a_shoe_is_used_up():
    (first, _), match = together(rounds=4, decks=1)
    address = f"matches/{match.pk}/fairness/"
    live = first.get(address).json()
    assert live["algorithm"]
    assert live["shoes"][0]["seed"] is live["shoes"][0]["cards"] is None
    match = play_to_the_end(match)
    shoes = first.get(address).json()["shoes"]
    assert [shoe["shoe"] for shoe in shoes] == list(range(1, len(shoes) + 1))
    assert shoes[0]["commitment"] == live["shoes"][0]["commitment"]
    for shoe in shoes:
        seed = bytes.fromhex(shoe["seed"])
        assert shoe["commitment"] == commitment(seed)
        assert shuffled(seed, packs(1))[: len(shoe["cards"])] == shoe["cards"]


def test_a_finished_match_is_kept_and_asked_for_again():
    (first, _), match = together(rounds=1)
    assert "ETag" not in first.get(f"matches/{match.pk}/")
    match = play_to_the_end(match)
    for what in ("", "events/", "rounds/", "fairness/"):
        address = f"matches/{match.pk}/{what}"
        shown = first.get(address)
        assert shown["Cache-Control"] == "private, no-cache"
        assert shown["ETag"].startswith('"')
        unchanged = first.get(address, if_none_match=shown["ETag"])
        assert (unchanged.status_code, unchanged.content) == (304, b"")
        assert first.get(address, if_none_match='"other"').status_code == 200
    shown = first.get(f"matches/{match.pk}/")
    assert Program().get(f"matches/{match.pk}/")["ETag"] != shown["ETag"]
    Match.objects.update(status=MatchStatus.VOID)
    assert first.get(f"matches/{match.pk}/", if_none_match=shown["ETag"]).status_code == 200


# Sharing


def test_under_an_alias_names_are_seats():
    (first, second), match = together(rounds=1)
    refused(first.post(f"matches/{match.pk}/share/"), 409, "match_not_over")
    match = play_to_the_end(match)
    made = first.post(f"matches/{match.pk}/share/")
    assert made.status_code == 201
    alias = made.json()["id"]
    assert second.post(f"matches/{match.pk}/share/").json()["id"] == alias
    for what in ("", "events/", "rounds/", "fairness/"):
        shown = Program().get(f"matches/{alias}/{what}")
        assert shown.status_code == 200
        for secret in (str(match.pk), first.id, second.id):
            assert secret not in shown.content.decode()
        name = first.get("players/me/").json()["display_name"]
        assert name not in shown.content.decode()
    view = first.get(f"matches/{alias}/").json()
    assert view["id"] == alias
    assert view["you"] is None
    assert [seat["player"]["display_name"] for seat in view["seats"]] == ["席1", "席2"]
    refused(
        first.post(f"matches/{alias}/actions/", {"action": "hit", "version": 0}),
        404,
        "match_not_found",
    )


# Lists and figures


def history(program, player, query=""):
    answer = program.get(f"players/{player}/matches/{query}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_a_player_sees_all_their_matches_and_strangers_the_ranked_ones():
    first, second = new_program(), new_program()
    ids = [UUID(first.id), UUID(second.id)]
    solo = play_to_the_end(a_match(ids[:1], rounds=1))
    ranked = play_to_the_end(a_match(ids, kind=MatchKind.RANKED, rounds=1, turn_seconds=30))
    live = a_match(ids)
    mine = history(first, first.id)["results"]
    assert [item["id"] for item in mine] == [str(live.pk), str(ranked.pk), str(solo.pk)]
    assert set(mine[0]) == {
        *("id", "kind", "started_at", "finished_at", "status", "players", "place", "outcome"),
        *("chips", "rating_change"),
    }
    assert mine[0]["status"] == "playing"
    assert mine[0]["outcome"] is None
    assert mine[1]["finished_at"].endswith("Z")
    assert [player["id"] for player in mine[1]["players"]] == [first.id, second.id]
    seat = Seat.objects.get(match=solo)
    assert (mine[2]["place"], mine[2]["outcome"], mine[2]["chips"]) == (1, seat.outcome, seat.chips)
    for stranger in (second, Program()):
        assert [m["id"] for m in history(stranger, first.id)["results"]] == [str(ranked.pk)]
    refused(first.get(f"players/{uuid4()}/matches/"), 404, "player_not_found")


def test_a_history_is_filtered():
    first = new_program()
    matches = [play_to_the_end(a_match([UUID(first.id)], rounds=1), seed) for seed in range(6)]
    day = timezone.now().replace(hour=12, minute=0, second=0, microsecond=0)
    for ago, match in enumerate(reversed(matches)):
        Seat.objects.filter(match=match).update(started_at=day - timedelta(days=ago))
    outcomes = {str(seat.match_id): seat.outcome for seat in Seat.objects.all()}
    for result in ("win", "draw", "lose"):
        found = [item["id"] for item in history(first, first.id, f"?result={result}")["results"]]
        assert sorted(found) == sorted(m for m, outcome in outcomes.items() if outcome == result)
    assert len(history(first, first.id, "?kind=solo")["results"]) == 6
    assert history(first, first.id, "?kind=party")["results"] == []
    second_day = (day - timedelta(days=1)).date().isoformat()
    since = history(first, first.id, f"?from={second_day}")["results"]
    assert [item["id"] for item in since] == [str(m.pk) for m in matches[:3:-1]]
    until = history(first, first.id, f"?to={second_day}")["results"]
    assert [item["id"] for item in until] == [str(m.pk) for m in matches[-2::-1]]
    exact = (day - timedelta(days=2)).strftime("%Y-%m-%dT%H:%M:%SZ")
    at = history(first, first.id, f"?from={exact}&to={exact}")["results"]
    assert [item["id"] for item in at] == [str(matches[-3].pk)]
    for wrong in ("kind=tournament", "result=won", "from=yesterday", "to=2026-13-01", "from=+1e9"):
        refused(first.get(f"players/{first.id}/matches/?{wrong}"), 400, "invalid")


def test_a_history_has_pages(django_assert_max_num_queries):
    first = new_program()
    at = timezone.now()
    for number in range(7):
        match = play_to_the_end(a_match([UUID(first.id)], rounds=1), number)
        Seat.objects.filter(match=match).update(started_at=at)  # the order is still a whole one
    found, address = [], f"players/{first.id}/matches/?limit=3"
    while address:
        with django_assert_max_num_queries(12):
            page = first.get(address).json()
        found += [item["id"] for item in page["results"]]
        address = page["next"] and page["next"].partition("/api/v1/")[2]
    assert len(found) == len(set(found)) == 7


def test_statistics_add_up_what_happened(django_assert_max_num_queries):
    first, second = new_program(), new_program()
    ids = [UUID(first.id), UUID(second.id)]
    empty = first.get(f"players/{first.id}/statistics/").json()
    assert empty["chips_won_per_100_placed"] is None
    assert empty["best_match"] is None
    matches = [
        play_to_the_end(a_match(ids, rounds=6, rebuys=1), 1),
        play_to_the_end(a_match(ids[:1], rounds=5), 2),
        play_to_the_end(a_match(ids, rounds=4), 3),
    ]
    Match.objects.filter(pk=matches[2].pk).update(status=MatchStatus.VOID)
    with django_assert_max_num_queries(12):
        figures = Program().get(f"players/{first.id}/statistics/").json()
    told = [first.get(f"matches/{match.pk}/events/").json()["events"] for match in matches[:2]]
    mine = [event for events in told for event in events if event.get("seat") == 1]
    rounds = [r for m in matches[:2] for r in first.get(f"matches/{m.pk}/rounds/").json()]
    seats = [seat for r in rounds for seat in r["seats"] if seat["seat"] == 1]
    hands = [hand for seat in seats for hand in seat["hands"]]
    assert figures["rounds"] == len(seats)
    assert sum(figures["hands"].values()) == len(hands)
    for outcome, count in figures["hands"].items():
        assert count == sum(hand["outcome"] == outcome for hand in hands)
    assert figures["doubles"] == sum(event["type"] == "doubled" for event in mine)
    assert figures["splits"] == sum(event["type"] == "split" for event in mine)
    assert figures["insurance_taken"] == sum(event["type"] == "insured" for event in mine)
    assert figures["insurance_won"] == sum(seat["insurance_returned"] > 0 for seat in seats)
    placed = sum(hand["bet"] for hand in hands) + sum(seat["insurance"] for seat in seats)
    back = sum(h["returned"] for h in hands) + sum(seat["insurance_returned"] for seat in seats)
    assert figures["chips_placed"] == placed
    assert figures["chips_won_per_100_placed"] == round(100 * (back - placed) / placed, 2)
    assert sum(sum(kind.values()) for kind in figures["matches"].values()) == 2
    assert sum(figures["matches"]["solo"].values()) == 1
    assert figures["best_match"]["id"] in [str(match.pk) for match in matches[:2]]
    profile = Program().get(f"players/{first.id}/").json()
    assert sum(profile["results"].values()) == 2
    refused(Program().get(f"players/{uuid4()}/statistics/"), 404, "player_not_found")


# People who go


def test_a_deleted_player_leaves_party_and_seat_for_good():
    (first, second), match = together()
    second.get(f"matches/{match.pk}/")
    assert first.send("DELETE", "players/me/").status_code == 204
    refused(first.get("players/me/"), 401, "invalid_token")
    view = second.get(f"matches/{match.pk}/").json()
    assert view["seats"][0]["controller"] == "cpu"
    assert view["seats"][0]["player"]["display_name"] == "退会したプレイヤー"
    [changed] = [
        event
        for event in second.get(f"matches/{match.pk}/events/").json()["events"]
        if event["type"] == "control_changed"
    ]
    assert (changed["seat"], changed["reason"]) == (1, "deleted")
    assert not Seat.objects.get(match=match, number=1).live
    assert history(Program(), first.id)["results"] == []


def test_a_deletion_that_was_interrupted_is_done_by_asking_again(monkeypatch):
    (first, second), match = together()
    second.get(f"matches/{match.pk}/")

    def crash(**_):
        raise SystemError

    with monkeypatch.context() as patched:
        patched.setattr(removal.players, "delete_player", crash)
        with pytest.raises(SystemError):
            removal.delete_account(player_id=UUID(first.id), acting=None, now=timezone.now())
    assert first.get("players/me/").status_code == 200
    assert first.send("DELETE", "players/me/").status_code == 204
    assert view_now(match, UUID(second.id)).seats[0].controller == "cpu"


def test_a_banned_player_loses_seat_and_party_for_good():
    (first, second), match = together()
    second.get(f"matches/{match.pk}/")
    now = timezone.now()
    removal.ban_player(player_id=UUID(first.id), until=None, reason="cheating", now=now)
    view = view_now(match, UUID(second.id))
    assert view.seats[0].controller == "cpu"
    refused(first.post(f"matches/{match.pk}/return/"), 403, "banned")
    lift_ban(player_id=UUID(first.id), now=timezone.now())
    refused(first.post(f"matches/{match.pk}/return/"), 403, "not_your_seat")
    assert first.post("matches/").status_code == 201


def test_a_party_is_left_with_the_account():
    first, second = new_program(), new_program()
    now = timezone.now()
    party = parties.create_party(player_id=UUID(first.id), now=now)
    parties.join_party(code=party.code, player_id=UUID(second.id), now=now)
    assert first.get("players/me/").json()["party"] == party.code
    assert first.send("DELETE", "players/me/").status_code == 204
    party.refresh_from_db()
    assert str(party.host_id) == second.id
    assert not PartyMember.objects.filter(player=first.id).exists()


def test_a_new_name_shows_at_the_table():
    (first, second), match = together()
    view = second.get(f"matches/{match.pk}/").json()
    first.send("PATCH", "players/me/", {"display_name": "Hanako"})
    shown = second.get(f"matches/{match.pk}/").json()
    assert shown["seats"][0]["player"]["display_name"] == "Hanako"
    assert shown["version"] == view["version"]
    moved = decide(match, view_now(match), random.Random(1))
    assert moved.seats[0].player.display_name == "Hanako"
