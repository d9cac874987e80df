"""The socket against the real processes: who may open one, what it takes, what it is told."""

import json
from contextlib import ExitStack
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tables.models import Match
from tests.conftest import Service
from tests.journeys.guests import Invite, end_of, seat

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]


def heard(socket: ClientConnection, type_: str) -> dict[str, Any]:
    """The next message of a type; news of other things may come between."""
    while True:
        message: dict[str, Any] = json.loads(socket.recv(30))
        if message["type"] == type_:
            return message


def test_a_player_is_welcomed_with_their_match(invite: Invite) -> None:
    guest = invite("Anna")
    match = seat(guest)
    welcome = guest.open()
    assert welcome["player"]["display_name"] == "Anna"
    assert welcome["match"] == match
    guest.wait_for("snapshot", match=match)
    assert guest.view["you"] == {"seat": 1}


def test_a_match_that_begins_later_comes_by_itself(invite: Invite) -> None:
    guest = invite("Anna")
    guest.open()
    match = seat(guest)
    guest.wait_for("snapshot", match=match)


def test_an_action_is_acknowledged_and_told_to_all(invite: Invite) -> None:
    anna, bert = invite("Anna"), invite("Bert")
    match = seat(anna, bert)
    for guest in (anna, bert):
        guest.open()
        guest.wait_for("snapshot", match=match)
    anna.act({"action": "bet", "amount": 20, "version": 0})
    bert.wait_until(lambda: bert.view["version"] == 1)
    assert [event["type"] for event in bert.events] == ["bet_placed", "turn_started"]
    assert bert.events[0]["by"] == "player"
    assert bert.view["you"] == {"seat": 2}


def test_the_same_id_never_acts_twice(invite: Invite) -> None:
    anna, bert = invite("Anna"), invite("Bert")
    match = seat(anna, bert)
    anna.open()
    frame = {"type": "action", "match": match, "action": "bet", "amount": 20, "version": 0}
    for _ in range(2):
        anna.socket.send(json.dumps({**frame, "id": "only-once"}))
    acks = [anna.wait_for("ack", id="only-once") for _ in range(2)]
    assert [ack["version"] for ack in acks] == [1, 1]


def test_a_stale_action_is_refused_with_the_present_view(invite: Invite) -> None:
    anna, bert = invite("Anna"), invite("Bert")
    match = seat(anna, bert)
    anna.open()
    anna.wait_for("snapshot")
    anna.act({"action": "bet", "amount": 20, "version": 0})
    late = anna.send("action", match=match, action="bet", amount=20, version=0)
    error = anna.wait_for("error", id=late)
    assert error["code"] == "stale_version"
    assert error["view"]["version"] == 1


def test_what_was_missed_comes_on_resume(invite: Invite) -> None:
    anna, bert = invite("Anna"), invite("Bert")
    match = seat(anna, bert)
    for guest in (anna, bert):
        guest.open()
        guest.wait_for("snapshot", match=match)
    bert.drop()
    anna.act({"action": "bet", "amount": 20, "version": 0})
    bert.open(resume=True)
    assert bert.view["version"] == 1


def test_a_resume_from_the_future_gets_a_snapshot(invite: Invite) -> None:
    anna = invite("Anna")
    match = seat(anna)
    anna.open()
    anna.wait_for("snapshot")
    anna.send("resume", match=match, seq=10_000)
    assert anna.wait_for("snapshot")["seq"] < 10_000


def test_nothing_missed_is_an_empty_list(invite: Invite) -> None:
    anna = invite("Anna")
    match = seat(anna)
    anna.open()
    anna.wait_for("snapshot")
    anna.send("resume", match=match, seq=anna.seq)
    assert anna.wait_for("events")["events"] == []


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "null",
        "42",
        '{"type": "dance"}',
        '{"type": "subscribe"}',
        "x" * 1_000_000,
        "[" * 4000,
        '{"type": "ping", "more": ' + "[" * 4000,
    ],
)
def test_a_malformed_message_is_answered_and_the_socket_stays(invite: Invite, text: str) -> None:
    """Whatever it is (RT-17)."""
    anna = invite("Anna")
    anna.open()
    anna.socket.send(text)
    assert anna.wait_for("error")["code"] in {
        "bad_message",
        "unknown_type",
        "message_too_large",
    }
    anna.send("ping")
    anna.wait_for("pong")


def test_repeated_abuse_ends_the_socket(invite: Invite) -> None:
    anna = invite("Anna")
    anna.open()
    for _ in range(30):
        anna.socket.send("{")
    assert end_of(anna) == 4429
    assert anna.heard[-1] == {"type": "closing", "reason": "abuse", "resume_in": None}


def test_a_cookie_from_a_foreign_page_is_refused(invite: Invite, service: Service) -> None:
    """The handshake is (RT-19)."""
    anna = invite("Anna")
    with pytest.raises(InvalidStatus):
        connect(
            f"{service.ws_url}/ws/v1/",
            additional_headers={"Cookie": f"device={anna.token}"},
            origin="https://elsewhere.example",
        )


def test_a_cookie_from_our_page_is_welcomed(invite: Invite, service: Service) -> None:
    anna = invite("Anna")
    with connect(
        f"{service.ws_url}/ws/v1/",
        additional_headers={"Cookie": f"device={anna.token}"},
        origin=service.url,
    ) as socket:
        assert json.loads(socket.recv(10))["player"]["id"] == anna.id


def test_the_first_message_may_bring_the_token(invite: Invite, service: Service) -> None:
    anna = invite("Anna")
    with connect(f"{service.ws_url}/ws/v1/") as socket:
        socket.send(json.dumps({"type": "hello", "token": anna.token, "language": "en"}))
        welcome = json.loads(socket.recv(10))
        assert welcome["player"]["id"] == anna.id
        assert welcome["language"] == "en"


def test_a_wrong_token_ends_the_socket(service: Service) -> None:
    with connect(f"{service.ws_url}/ws/v1/") as socket:
        socket.send(json.dumps({"type": "hello", "token": "wrong"}))
        assert json.loads(socket.recv(10))["reason"] == "signed_out"
        with pytest.raises(ConnectionClosed) as closed:
            socket.recv(10)
        assert closed.value.rcvd.code == 4401


def test_a_guest_may_watch_what_anyone_may_watch(invite: Invite, service: Service) -> None:
    anna, bert = invite("Anna"), invite("Bert")
    open_match = seat(anna, bert, watchable=True)
    with connect(f"{service.ws_url}/ws/v1/") as socket:
        socket.send('{"type": "hello"}')
        assert json.loads(socket.recv(10))["player"] is None
        socket.send(json.dumps({"type": "subscribe", "match": open_match}))
        snapshot = heard(socket, "snapshot")
        assert snapshot["view"]["you"] is None
        socket.send(
            json.dumps({"type": "action", "match": open_match, "action": "hit", "version": 0})
        )
        assert heard(socket, "error")["code"] == "not_authenticated"


def test_a_private_match_is_not_found_by_others(invite: Invite) -> None:
    anna, bert, eve = invite("Anna"), invite("Bert"), invite("Eve")
    match = seat(anna, bert)
    eve.open()
    eve.send("subscribe", match=match)
    assert eve.wait_for("error")["code"] == "match_not_found"
    eve.send("action", match=match, action="hit", version=0)
    assert eve.wait_for("error")["code"] == "match_not_found"


def test_at_most_ten_sockets_and_the_oldest_goes(invite: Invite, service: Service) -> None:
    anna = invite("Anna")
    anna.open()
    headers = {"Authorization": f"Bearer {anna.token}"}
    with ExitStack() as others:
        for _ in range(10):
            url = f"{service.ws_url}/ws/v1/"
            others.enter_context(connect(url, additional_headers=headers))
        assert end_of(anna) == 4409


def test_a_signed_out_device_loses_its_socket(invite: Invite) -> None:
    anna = invite("Anna")
    code = anna.post("players/me/transfer-code/", 201)["code"]
    other = invite("Bert")
    moved = other.post("players/transfer/", 201, code=code)
    anna.open()
    other.token = moved["token"]
    other.open()
    other.http.headers["Authorization"] = f"Bearer {other.token}"
    devices = anna.get("players/me/devices/")["results"]
    [theirs] = [device["id"] for device in devices if not device["current"]]
    assert anna.http.delete(f"players/me/devices/{theirs}/").status_code == 204
    assert end_of(other) == 4401
    closing = {"type": "closing", "reason": "signed_out", "resume_in": None}
    assert closing in other.heard
    anna.send("ping")
    anna.wait_for("pong")


def test_an_added_device_is_told_to_the_others(invite: Invite) -> None:
    anna = invite("Anna")
    anna.open()
    code = anna.post("players/me/transfer-code/", 201)["code"]
    invite("Bert").post("players/transfer/", 201, code=code)
    assert anna.wait_for("notice")["kind"] == "device_added"


def test_who_was_watching_sees_no_more_once_it_is_forbidden(invite: Invite) -> None:
    anna, bert, eve = invite("Anna"), invite("Bert"), invite("Eve")
    match = seat(anna, bert, watchable=True)
    for guest in (anna, eve):
        guest.open()
    eve.send("subscribe", match=match)
    eve.wait_for("snapshot", match=match)
    anna.wait_for("snapshot", match=match)
    Match.objects.filter(pk=match).update(watchable=False)
    anna.act({"action": "bet", "amount": 20, "version": 0})
    assert eve.wait_for("error")["code"] == "match_not_found"
    assert all(message["type"] != "events" for message in eve.heard)
