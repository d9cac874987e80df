"""What is kept of a player over their matches: changes of rating, the profile, the export."""

from uuid import UUID

import pytest
from django.apps import apps
from django.utils import timezone

from accounts.models import Player
from tables.blackjack.events import MatchKind
from tables.models import Match, Seat
from tables.services import parties
from tests.play import a_match, play_to_the_end
from tests.rest import Program, new_program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey")]

RANKED = {"kind": MatchKind.RANKED, "turn_seconds": 30, "rounds": 1}


def rivals():
    first, second = new_program(), new_program()
    return first, second, [UUID(first.id), UUID(second.id)]


# Ratings


def test_history_shows_by_how_much_each_match_moved_the_rating():
    first, second, ids = rivals()
    ranked = [play_to_the_end(a_match(ids, **RANKED), seed) for seed in range(3)]
    solo = play_to_the_end(a_match(ids[:1], rounds=1))
    live = a_match(ids, **RANKED)
    listed = {
        item["id"]: item for item in first.get(f"players/{first.id}/matches/").json()["results"]
    }
    assert listed[str(live.pk)]["rating_change"] is None
    assert listed[str(solo.pk)]["rating_change"] is None
    for match in ranked:
        shown = first.get(f"matches/{match.pk}/").json()["result"][0]
        moved = 1000 * (float(shown["rating_after"]) - float(shown["rating_before"]))
        change = listed[str(match.pk)]["rating_change"]
        assert round(1000 * float(change)) == round(moved)
        assert len(change.partition(".")[2]) == 3
    others = second.get(f"players/{first.id}/matches/").json()["results"]
    assert [item["rating_change"] for item in others] == [
        listed[item["id"]]["rating_change"] for item in others
    ]


def queries_of(program, address, count):
    with count() as asked:
        assert program.get(address).status_code == 200
    return len(asked)


def test_lists_and_figures_ask_no_more_with_more_matches(django_assert_max_num_queries):
    def count():
        return django_assert_max_num_queries(30)

    first, _, ids = rivals()
    addresses = [
        f"players/{first.id}/{what}"
        for what in ("", "matches/?limit=50", "statistics/", "rating-history/")
    ] + ["players/me/export/"]
    play_to_the_end(a_match(ids, **RANKED))
    for address in addresses:
        first.get(address)
    few = [queries_of(first, address, count) for address in addresses]
    for seed in range(4):
        play_to_the_end(a_match(ids, **RANKED), seed)
    assert [queries_of(first, address, count) for address in addresses] == few


@pytest.mark.django_db(transaction=True)
def test_a_repeated_last_action_of_a_rated_match_shows_the_ratings():
    first, second, ids = rivals()
    programs = {first.id: first, second.id: second}
    match = a_match(ids, **RANKED)
    second.get(f"matches/{match.pk}/")
    view = first.get(f"matches/{match.pk}/").json()
    while view["status"] == "playing":
        turn = view["to_act"]
        names = [offer["action"] for offer in turn["legal"]]
        name = next(n for n in ("bet", "decline", "stand") if n in names)
        action = {"action": name, "version": view["version"]}
        if name == "bet":
            action["amount"] = turn["legal"][0]["min"]
        actor = programs[view["seats"][turn["seat"] - 1]["player"]["id"]]
        last = (actor, action, f"decision-{view['version']}")
        view = actor.post(f"matches/{match.pk}/actions/", action, idempotency_key=last[2]).json()
        assert "code" not in view, view
    assert view["result"][0]["rating_before"] == "1500.000"
    actor, action, key = last
    again = actor.post(f"matches/{match.pk}/actions/", action, idempotency_key=key)
    assert again.status_code == 200
    assert again.json()["result"] == view["result"]
    assert again.json()["version"] == view["version"]


# The export


def test_the_export_holds_party_presence_matches_and_ratings():
    first, second, ids = rivals()
    match = play_to_the_end(a_match(ids, **RANKED))
    now = timezone.now()
    party = parties.create_party(player_id=ids[0], now=now)
    parties.join_party(code=party.code, player_id=ids[1], now=now)
    parties.kick_member(code=party.code, player_id=ids[0], kicked_id=ids[1], now=now)
    live = a_match(ids[:1])
    first.get(f"matches/{live.pk}/")
    body = first.get("players/me/export/").json()
    assert body["party"]["code"] == party.code
    assert body["party"]["host"]
    assert body["presence"]["match_id"] == str(live.pk)
    finished, playing = body["matches"]
    seat = Seat.objects.get(match=match, player=ids[0])
    assert (finished["id"], playing["id"]) == (str(match.pk), str(live.pk))
    assert (finished["place"], finished["outcome"]) == (seat.place, seat.outcome)
    assert finished["statistics"]["rounds"] == seat.statistics.rounds
    decided = [
        event["version"]
        for event in first.get(f"matches/{match.pk}/events/").json()["events"]
        if event.get("by") and event.get("seat") == 1
        if event["type"] in {"bet_placed", "hit", "stood", "doubled", "split", "surrendered"}
    ]
    assert set(decided) <= {step["version"] for step in finished["steps"]}
    assert playing["steps"] == []
    [season] = body["ratings"]["seasons"]
    assert season["matches"] == 1
    [rated] = body["ratings"]["matches"]
    assert rated["match"] == str(match.pk)
    assert rated["rating_after"] == season["rating"]
    assert second.get("players/me/export/").json()["parties_kicked_from"] == [
        {"party_id": str(party.pk), "at": now.isoformat().replace("+00:00", "Z")}
    ]


def test_the_export_keeps_other_people_and_secrets_of_the_table_out():
    first, second, ids = rivals()
    match = a_match(ids)
    state = Match.objects.get(pk=match.pk).state
    exported = first.get("players/me/export/").content.decode()
    assert second.id not in exported
    assert second.get("players/me/").json()["display_name"] not in exported
    for word in ("seed", "digest", "shoe", "token"):
        assert word not in exported
    assert state not in exported


EXPORTED = {
    *("accounts.Device", "accounts.TransferCode", "accounts.RecoveryKey", "accounts.Block"),
    *("accounts.Notice", "accounts.IdempotencyRecord"),
    *("tables.Party", "tables.PartyMember", "tables.PartyKick", "tables.Seat"),
    *("tables.SeatStatistics", "tables.Connection", "tables.Presence"),
    *("tables.TicketMember", "tables.Penalty", "tables.Report"),
    "ratings.Rating",
}


def test_nothing_that_is_stored_about_players_is_left_out_of_the_export():
    """A new table of something about players: put it into the export, then into this list."""
    about_players = {
        model._meta.label
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if field.related_model is Player and field.concrete
    }
    assert about_players == EXPORTED


def test_a_stranger_sees_no_export():
    assert Program().get("players/me/export/").status_code == 401
