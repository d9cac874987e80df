"""Parties over REST, as api.md says."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from accounts.models import Player
from accounts.services import blocks
from accounts.services import players as accounts
from api.party_serializers import PartyPreviewSerializer, PartySerializer
from tables.models import Match, Party, Presence, Seat
from tables.party_view import PartyPreview, PartyView

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey")]


@dataclass
class Caller:
    """A program that speaks for a player, or for nobody."""

    player: Player | None = None
    token: str | None = None

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> HttpResponse:
        extra = {f"HTTP_{name.upper()}": value for name, value in headers.items()}
        if self.token is not None:
            extra["HTTP_AUTHORIZATION"] = f"Bearer {self.token}"
        content = {} if body is None else {"data": json.dumps(body)}
        answer: Any = Client().generic(
            method, f"/api/v1/{path}", content_type="application/json", **content, **extra
        )
        return answer


@pytest.fixture
def callers() -> list[Caller]:
    """Six programs, each with an account of its own."""
    made = []
    for name in ("Aki", "Ben", "Chika", "Dan", "Emi", "Fumi"):
        answer = json.loads(Caller()("POST", "players/", {"display_name": name}).content)
        made.append(Caller(Player.objects.get(pk=answer["player"]["id"]), answer["token"]))
    return made


@pytest.fixture
def code(callers: list[Caller]) -> str:
    """The code of Aki's party, which Ben has joined."""
    made = callers[0]("POST", "parties/", {})
    assert made.status_code == 201
    joined = callers[1]("POST", f"parties/{made.json()['code']}/join/")
    assert joined.status_code == 200
    found: str = made.json()["code"]
    return found


def refused(answer: HttpResponse, status: int, code: str) -> dict[str, Any]:
    problem: dict[str, Any] = json.loads(answer.content)
    assert (answer.status_code, problem["code"]) == (status, code), problem
    assert answer["Content-Type"] == "application/problem+json"
    return problem


def test_a_party_is_made_and_shown(callers: list[Caller]) -> None:
    made = callers[0]("POST", "parties/", {"rules": {"decks": 2}, "watchable": True})
    party = made.json()
    assert made.status_code == 201
    assert made["ETag"] == '"1"'
    assert list(party) == [
        "code", "join_url", "status", "host", "members", "max_members", "rules", "changed", "edge",
        "watchable", "match", "version",
    ]  # fmt: skip
    assert party["join_url"] == f"http://testserver/p/{party['code']}/"
    assert party["rules"]["decks"] == 2
    assert party["watchable"] is True
    assert party["host"] == party["members"][0]["player"]
    assert party["members"][0]["connected"] is True
    assert party["members"][0]["joined_at"].endswith("Z")
    assert callers[0]("GET", f"parties/{party['code']}/").json() == party


def test_rest_and_socket_show_a_party_alike(callers: list[Caller], code: str, listen: Any) -> None:
    with listen() as inbox:
        callers[1]("POST", f"parties/{code}/ready/", {"ready": True})
    shown = callers[0]("GET", f"parties/{code}/").json()
    [message] = inbox[callers[0].player.pk]
    assert message["party"] == {**shown, "join_url": f"/p/{code}/"}


def test_what_is_documented_is_what_is_shown() -> None:
    for serializer, struct in (
        (PartySerializer, PartyView),
        (PartyPreviewSerializer, PartyPreview),
    ):
        fields = [field.name for field in msgspec.structs.fields(struct)]
        assert list(serializer().fields) == fields


def test_a_visitor_sees_host_counts_rules_and_whether_they_may_join(
    callers: list[Caller], code: str
) -> None:
    for visitor in (Caller(), callers[2]):
        preview = visitor("GET", f"parties/{code}/").json()
        assert preview["can_join"] == {"ok": True, "code": None}
        assert preview["counts"] == {"members": 2, "ready": 0}
        assert preview["host"]["display_name"] == "Aki"
        assert preview["rules"]["rounds"] == 10
        assert "members" not in preview
        assert "Ben" not in json.dumps(preview)


def test_a_code_is_read_in_any_case_and_width(callers: list[Caller], code: str) -> None:
    wide = "".join(chr(ord(sign) + 0xFEE0) for sign in code.lower())
    for typed in (code.lower(), wide, f"{code[:3]}%20{code[3:]}", f"%E3%80%80{code}"):
        assert callers[0]("GET", f"parties/{typed}/").json()["code"] == code
    assert callers[2]("POST", f"parties/{wide}/join/").status_code == 200


def test_an_unknown_code_is_404_by_every_way(callers: list[Caller]) -> None:
    refused(Caller()("GET", "parties/ACDEFH/"), 404, "party_not_found")
    refused(Caller()("GET", "parties/ACDEFH/qr.svg"), 404, "party_not_found")
    refused(callers[0]("PATCH", "parties/nothing/", {"rules": {}}), 404, "party_not_found")
    for act, body in (
        ("join", None),
        ("leave", None),
        ("start", None),
        ("ready", {"ready": True}),
        ("kick", {"player": str(callers[1].player.pk)}),
        ("host", {"player": str(callers[1].player.pk)}),
    ):
        refused(callers[0]("POST", f"parties/ACDEFH/{act}/", body), 404, "party_not_found")


def test_everything_but_looking_needs_an_account(code: str) -> None:
    guest = Caller()
    refused(guest("POST", "parties/", {}), 401, "not_authenticated")
    refused(guest("PATCH", f"parties/{code}/", {"watchable": True}), 401, "not_authenticated")
    for act in ("join", "leave", "ready", "kick", "host", "start"):
        refused(guest("POST", f"parties/{code}/{act}/", {}), 401, "not_authenticated")


def test_the_qr_code_is_a_picture_for_everybody(code: str) -> None:
    for accept in ("image/avif,image/webp,*/*;q=0.8", "image/svg+xml", "*/*"):
        drawn = Caller()("GET", f"parties/{code}/qr.svg", accept=accept)
        assert drawn.status_code == 200
        assert drawn["Content-Type"] == "image/svg+xml"
        assert drawn.content.startswith(b"<svg ")


def test_joining_and_its_refusals(
    callers: list[Caller], code: str, play: Any, now: datetime
) -> None:
    again = callers[1]("POST", f"parties/{code}/join/")
    assert (again.status_code, again.json()["version"]) == (200, 2)
    refused(callers[1]("POST", "parties/", {}), 409, "already_in_party")
    callers[2]("POST", "parties/", {})
    refused(callers[2]("POST", f"parties/{code}/join/"), 409, "already_in_party")
    match = play(callers[3].player)
    problem = refused(callers[3]("POST", f"parties/{code}/join/"), 409, "in_match")
    assert problem["match"] == str(match.pk)
    blocks.block(player=callers[0].player, blocked_id=callers[4].player.pk, now=now)
    refused(callers[4]("POST", f"parties/{code}/join/"), 403, "blocked")
    accounts.ban_player(player_id=callers[5].player.pk, until=None, reason="x", now=now)
    refused(callers[5]("POST", f"parties/{code}/join/"), 403, "banned")


def test_a_removed_player_stays_out_by_every_way(callers: list[Caller], code: str) -> None:
    ben = str(callers[1].player.pk)
    refused(callers[1]("POST", f"parties/{code}/kick/", {"player": ben}), 403, "not_host")
    kicked = callers[0]("POST", f"parties/{code}/kick/", {"player": ben})
    assert [member["player"]["display_name"] for member in kicked.json()["members"]] == ["Aki"]
    refused(callers[1]("POST", f"parties/{code.lower()}/join/"), 403, "kicked")
    seen = callers[1]("GET", f"parties/{code}/").json()
    assert seen["can_join"] == {"ok": False, "code": "kicked"}
    refused(callers[1]("POST", f"parties/{code}/ready/", {"ready": True}), 409, "not_in_party")


def test_leaving_ends_the_party_with_the_last(callers: list[Caller], code: str) -> None:
    left = callers[0]("POST", f"parties/{code}/leave/")
    assert (left.status_code, left.json()) == (200, {"party": None, "reason": "left"})
    assert callers[1]("GET", f"parties/{code}/").json()["host"]["display_name"] == "Ben"
    callers[1]("POST", f"parties/{code}/leave/")
    refused(callers[1]("GET", f"parties/{code}/"), 404, "party_not_found")


def test_the_host_hands_over(callers: list[Caller], code: str) -> None:
    ben = str(callers[1].player.pk)
    handed = callers[0]("POST", f"parties/{code}/host/", {"player": ben})
    assert handed.json()["host"]["id"] == ben
    refused(callers[0]("PATCH", f"parties/{code}/", {"rules": {"decks": 1}}), 403, "not_host")
    refused(callers[0]("POST", f"parties/{code}/start/"), 403, "not_host")
    nobody = str(callers[5].player.pk)
    refused(callers[1]("POST", f"parties/{code}/host/", {"player": nobody}), 409, "not_a_member")


def test_rules_are_changed_and_faults_named(callers: list[Caller], code: str) -> None:
    changed = callers[0]("PATCH", f"parties/{code}/", {"rules": {"decks": 1, "rounds": 3}})
    assert changed.json()["changed"] == ["decks", "rounds"]
    body = {"rules": {"decks": 99, "nonsense": 1, "insurance": "yes"}}
    problem = refused(
        callers[0]("PATCH", f"parties/{code}/", body, accept_language="en"), 400, "bad_rules"
    )
    assert problem["errors"] == [
        {"field": "rules.decks", "code": "out_of_range", "detail": "This must be from 1 to 8."},
        {"field": "rules.nonsense", "code": "unknown_rule", "detail": "There is no such rule."},
        {
            "field": "rules.insurance",
            "code": "wrong_type",
            "detail": "This must be true or false.",
        },
    ]
    conflict = {"rules": {"surrender": "late", "hole_card": "european"}}
    problem = refused(
        callers[0]("PATCH", f"parties/{code}/", conflict, accept_language="ja"), 400, "bad_rules"
    )
    assert [fault["field"] for fault in problem["errors"]] == ["rules.surrender"]
    assert not problem["errors"][0]["detail"].isascii()
    problem = refused(callers[2]("POST", "parties/", {"rules": {"decks": "6"}}), 400, "bad_rules")
    assert [fault["field"] for fault in problem["errors"]] == ["rules.decks"]


@pytest.mark.parametrize(
    ("act", "body", "field"),
    [
        ("ready", {}, "ready"),
        ("ready", {"ready": 1}, "ready"),
        ("ready", {"ready": "true"}, "ready"),
        ("kick", {"player": "Ben"}, "player"),
        ("kick", {}, "player"),
        ("host", {"player": None}, "player"),
    ],
)
def test_malformed_requests_name_the_field(
    callers: list[Caller], code: str, act: str, body: Any, field: str
) -> None:
    problem = refused(callers[0]("POST", f"parties/{code}/{act}/", body), 400, "invalid")
    assert [fault["field"] for fault in problem["errors"]] == [field]


@pytest.mark.parametrize("body", [{"rules": []}, {"rules": None}, {"watchable": 1}, []])
def test_malformed_changes_change_nothing(callers: list[Caller], code: str, body: Any) -> None:
    refused(callers[0]("PATCH", f"parties/{code}/", body), 400, "invalid")
    assert Party.objects.get().version == 2


def test_an_old_version_is_412(callers: list[Caller], code: str) -> None:
    tag = callers[0]("GET", f"parties/{code}/")["ETag"]
    body = {"rules": {"decks": 1}}
    first = callers[0]("PATCH", f"parties/{code}/", body, if_match=tag)
    assert (first.status_code, first["ETag"]) == (200, '"3"')
    refused(callers[0]("PATCH", f"parties/{code}/", body, if_match=tag), 412, "precondition_failed")
    refused(
        callers[1]("POST", f"parties/{code}/ready/", {"ready": True}, if_match="nonsense"),
        412,
        "precondition_failed",
    )
    for good in ("*", f'"1", {first["ETag"]}', None):
        headers = {} if good is None else {"if_match": good}
        ready = callers[1]("POST", f"parties/{code}/ready/", {"ready": False}, **headers)
        assert ready.status_code == 200


def test_the_match_starts_when_all_others_are_ready_and_once(
    callers: list[Caller], code: str
) -> None:
    refused(callers[0]("POST", f"parties/{code}/start/"), 409, "not_everyone_ready")
    callers[1]("POST", f"parties/{code}/ready/", {"ready": True})
    refused(callers[1]("POST", f"parties/{code}/start/"), 403, "not_host")
    started = callers[0]("POST", f"parties/{code}/start/")
    match = started.json()
    assert started.status_code == 201
    assert (match["kind"], match["status"], match["version"]) == ("party", "playing", 0)
    assert [seat["player"]["display_name"] for seat in match["seats"]] == ["Aki", "Ben"]
    assert match["you"] == {"seat": 1}
    again = callers[0]("POST", f"parties/{code}/start/")
    assert (again.status_code, again.json()["id"]) == (200, match["id"])
    party = callers[1]("GET", f"parties/{code}/").json()
    assert (party["status"], party["match"]) == ("playing", match["id"])
    assert [member["ready"] for member in party["members"]] == [False, False]
    unready = callers[1]("POST", f"parties/{code}/ready/", {"ready": False})
    refused(unready, 409, "party_started")
    refused(callers[2]("POST", f"parties/{code}/join/"), 409, "party_started")
    assert Match.objects.count() == 1


def test_after_the_match_the_party_is_open_and_nobody_ready(
    callers: list[Caller], code: str, end: Any
) -> None:
    callers[1]("POST", f"parties/{code}/ready/", {"ready": True})
    first = callers[0]("POST", f"parties/{code}/start/").json()["id"]
    end(Match.objects.get(pk=first), timezone.now())
    party = callers[0]("GET", f"parties/{code}/").json()
    assert (party["status"], party["match"]) == ("open", None)
    assert [member["ready"] for member in party["members"]] == [False, False]
    refused(callers[0]("POST", f"parties/{code}/start/"), 409, "not_everyone_ready")
    callers[1]("POST", f"parties/{code}/ready/", {"ready": True})
    second = callers[0]("POST", f"parties/{code}/start/")
    assert second.status_code == 201
    assert second.json()["id"] != first


def test_alone_one_may_always_start(callers: list[Caller]) -> None:
    code = callers[0]("POST", "parties/", {"rules": {"rounds": 1}}).json()["code"]
    started = callers[0]("POST", f"parties/{code}/start/")
    assert (started.status_code, started.json()["kind"]) == (201, "solo")
    assert started.json()["rules"]["rounds"] == 1


def test_who_plays_elsewhere_keeps_the_party_from_starting(
    callers: list[Caller], code: str, play: Any
) -> None:
    callers[1]("POST", f"parties/{code}/ready/", {"ready": True})
    play(callers[1].player)
    problem = refused(callers[0]("POST", f"parties/{code}/start/"), 409, "in_match")
    assert "match" not in problem
    assert Seat.objects.count() == 1
    assert callers[1]("GET", f"parties/{code}/").json()["members"][1]["ready"] is True


def test_the_same_key_makes_one_party(callers: list[Caller]) -> None:
    first = callers[0]("POST", "parties/", {}, idempotency_key="one")
    again = callers[0]("POST", "parties/", {}, idempotency_key="one")
    assert (again.status_code, again.json()) == (201, first.json())
    assert Party.objects.count() == 1


def test_asking_for_the_party_counts_as_being_there(callers: list[Caller], code: str) -> None:
    Presence.objects.all().delete()
    assert callers[0]("GET", f"parties/{code}/").json()["members"][1]["connected"] is False
    assert callers[1]("GET", f"parties/{code}/").json()["members"][1]["connected"] is True
    callers[2]("GET", f"parties/{code}/")
    assert not Presence.objects.filter(player=callers[2].player).exists()


def test_a_name_is_told_as_it_is(callers: list[Caller]) -> None:
    name = "<img src=x onerror=a"
    accounts.change_player(player_id=callers[0].player.pk, display_name=name)
    made = callers[0]("POST", "parties/", {})
    assert made["Content-Type"] == "application/json"
    assert made.json()["host"]["display_name"] == name
