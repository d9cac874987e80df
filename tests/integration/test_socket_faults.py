"""What goes wrong between a socket and its client, and must not be noticed at the table."""

import json
import random
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from uuid import UUID

import httpx
import psycopg
import pytest
import redis
from django.conf import settings
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tables.hub import Header, MatchMessage, publish
from tests.conftest import Service
from tests.journeys.guests import Guest, Invite, end_of, seat

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]


def stay(guest: Guest) -> dict:
    """What a table looks like to everybody, as it is stored."""
    return guest.get(f"matches/{guest.match}/")


def same_table(shown: dict, stored: dict) -> bool:
    moving = {"server_time", "you"}
    return {k: v for k, v in shown.items() if k not in moving} == {
        k: v for k, v in stored.items() if k not in moving
    }


def cautious(guest: Guest, over_rest: bool = False) -> None:
    """Decide something that ends the hand soon, with the smallest bet."""
    view = guest.get(f"matches/{guest.match}/")
    legal = {offer["action"]: offer for offer in view["to_act"]["legal"]}
    name = next(name for name in ("bet", "decline", "stand", "hit") if name in legal)
    decision = {"action": name, "version": view["version"]}
    if name == "bet":
        decision["amount"] = legal["bet"]["min"]
    if over_rest:
        guest.post(f"matches/{guest.match}/actions/", **decision)
    else:
        guest.act(decision)


def sit_down(*guests: Guest, **rules: object) -> str:
    match = seat(*guests, **rules)
    for guest in guests:
        guest.open()
        guest.wait_for("snapshot", match=match)
    return match


def test_the_payout_reaches_a_seat_whose_socket_is_gone(invite: Invite) -> None:
    """Bet, stand, and drop the socket: the chips are those of the settled round (BJ-50)."""
    anna, bert = invite("Anna"), invite("Bert")
    sit_down(anna, bert)
    settled = False
    while not settled:
        cautious(anna, over_rest=True)
        anna.drop()
        bert.wait_until(lambda: bert.my_turn or bert.view["round"] > 1)
        while bert.view["round"] == 1 and bert.my_turn:
            seen = bert.view["version"]
            cautious(bert)
            bert.wait_until(lambda seen=seen: bert.view["version"] > seen)
        settled = bert.view["round"] > 1
        anna.open(resume=True)
    [record] = anna.get(f"matches/{anna.match}/rounds/")
    of_anna = next(one for one in record["seats"] if one["seat"] == 1)
    won = sum(hand["returned"] - hand["bet"] for hand in of_anna["hands"])
    won += of_anna["insurance_returned"] - of_anna["insurance"]
    assert anna.view["seats"][0]["chips"] == 1000 + won
    assert anna.view["last_round"]["round"] == 1


def test_replies_come_in_the_order_of_the_messages(invite: Invite) -> None:
    """A burst is handled one by one, however long each takes (RT-04)."""
    anna, bert = invite("Anna"), invite("Bert")
    match = sit_down(anna, bert)
    kinds = ("ping", "subscribe", "action")
    dice = random.Random(4)
    sent = []
    for _ in range(30):
        kind = dice.choice(kinds)
        members = {} if kind == "ping" else {"match": match}
        if kind == "action":
            members |= {"action": "bet", "amount": 10, "version": 0}
        sent.append(anna.send(kind, **members))
    replies = []
    while len(replies) < len(sent):
        message = anna.receive()
        if message["type"] in {"pong", "ack", "error"}:
            replies.append(message["id"])
    assert replies == sent
    bert.wait_until(lambda: bert.view["version"] >= 1)
    assert same_table({**anna.view}, stay(bert))


def test_whoever_was_cut_off_while_a_round_ended_sees_the_right_table(invite: Invite) -> None:
    """The gap is filled, not left until a reload (RT-05)."""
    anna, bert = invite("Anna"), invite("Bert")
    sit_down(anna, bert)
    anna.drop()
    while bert.get(f"matches/{bert.match}/")["round"] == 1:
        for guest in (anna, bert):
            turn = guest.get(f"matches/{bert.match}/")["to_act"]
            if turn["seat"] == guest.seat:
                cautious(guest, over_rest=True)
    anna.open(resume=True)
    assert anna.view["round"] == 2
    assert same_table(anna.view, stay(anna))


def test_a_second_connection_is_let_in_and_the_death_of_the_first_is_no_leaving(
    invite: Invite,
) -> None:
    """The old socket dies late; the player has been back for long (RT-09)."""
    anna, bert = invite("Anna"), invite("Bert")
    match = sit_down(anna, bert)
    old = anna.socket, anna._open
    anna.open()
    anna.wait_for("snapshot", match=match)
    old[0].socket.shutdown(socket.SHUT_RDWR)
    old[1].close()
    anna.act({"action": "bet", "amount": 10, "version": 0})
    bert.wait_until(lambda: bert.view["version"] == 1)
    told = [message for message in bert.heard if message["type"] == "presence"]
    assert all(one["connected"] for message in told for one in message["seats"][:1])
    assert stay(anna)["seats"][0]["connected"]


def test_whoever_does_not_read_gets_all_as_soon_as_they_do(
    invite: Invite, service: Service
) -> None:
    """News that did not fit is read again, without waiting for more news (RT-14)."""
    anna = invite("Anna")
    match = sit_down(anna)
    anna.drop()
    narrow = socket.socket()
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    narrow.connect((service.host, service.port))
    headers = {"Authorization": f"Bearer {anna.token}"}
    with connect(
        f"{service.ws_url}/ws/v1/", sock=narrow, additional_headers=headers, max_queue=1
    ) as slow:
        until_snapshot(slow, match)
        view = stay(anna)
        much = f'{{"type": "presence", "match": "{match}", "seats": [], "much": "{"x" * 20_000}"}}'
        header = Header(UUID(match), view["seq"] + 1, view["seq"], view["version"])
        for _ in range(30):  # more than buffers on the way and mailbox hold
            publish([MatchMessage(header, much)] * 20)
        for _ in range(3):
            cautious(anna, over_rest=True)
        newest = stay(anna)["version"]
        assert newest > view["version"]
        heard, seen = 0, -1
        while seen < newest:
            message = json.loads(slow.recv(20))
            heard += "much" in message
            if message["type"] in {"snapshot", "events"}:
                seen = message["view"]["version"]
        assert heard < 600  # so the mailbox was full


def until_snapshot(client: ClientConnection, match: str) -> None:
    while True:
        message = json.loads(client.recv(10))
        if message["type"] == "snapshot" and message["match"] == match:
            return


def test_sockets_hear_of_everything_after_valkey_forgot_them(
    invite: Invite, service: Service
) -> None:
    """No membership runs out or is lost for good (RT-15, OP-07)."""
    anna, bert = invite("Anna"), invite("Bert")
    sit_down(anna, bert)
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        client.flushdb()
        client.client_kill_filter(_type="pubsub")
    anna.act({"action": "bet", "amount": 10, "version": 0})
    bert.wait_until(lambda: bert.view["version"] == 1)


def test_a_token_is_enough_after_everything_else_was_forgotten(invite: Invite) -> None:
    """No session but the token, in the database (RT-24)."""
    anna = invite("Anna")
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        client.flushdb()
    match = anna.post("matches/", 201)["id"]
    anna.open()
    anna.wait_for("snapshot", match=match)
    anna.act({"action": "bet", "amount": 10, "version": 0})


def test_a_flood_over_two_sockets_is_one_players_and_ends_them(
    invite: Invite, service: Service
) -> None:
    """The bucket is the player's, not the socket's (RT-20)."""
    anna = invite("Anna")
    anna.open()
    headers = {"Authorization": f"Bearer {anna.token}"}
    with connect(f"{service.ws_url}/ws/v1/", additional_headers=headers) as other:
        for _ in range(220):
            other.send('{"type": "ping"}')
        with pytest.raises(ConnectionClosed) as closed:  # noqa: PT012  (whichever comes first)
            for _ in range(2000):
                anna.socket.send('{"type": "ping"}')
            end_of(anna)
            anna.socket.recv(1)
        assert closed.value.rcvd.code == 4429
    assert any(message.get("code") == "throttled" for message in anna.heard)


@contextmanager
def without(table: str, service: Service) -> Iterator[None]:
    """The database fails at whatever needs a table."""
    with psycopg.connect(service.database, autocommit=True) as database:
        database.execute(f"ALTER TABLE {table} RENAME TO elsewhere")
        try:
            yield
        finally:
            database.execute(f"ALTER TABLE elsewhere RENAME TO {table}")


def code_of(opened: ClientConnection) -> int:
    """Receive until the server closes; gives the close code."""
    with suppress(ConnectionClosed):
        while True:
            opened.recv(30)
    assert opened.close_code is not None
    return opened.close_code


def wait_for_sockets(number: int, service: Service) -> None:
    """Until the web process knows of so many."""
    until = time.monotonic() + 30
    while f"taku_sockets {number}.0" not in httpx.get(f"{service.url}/metrics", timeout=10).text:
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.parametrize("table", ["accounts_device", "tables_connection"])
def test_a_socket_that_the_database_fails_is_told_to_come_back_and_is_nobodys_presence(
    invite: Invite, service: Service, table: str
) -> None:
    """Else its player would be connected for ever, and no CPU would ever take the seat."""
    anna = invite("Anna")
    match = seat(anna)
    wait_for_sockets(0, service)
    with without(table, service):
        for opening, hello in (
            ({"additional_headers": {"Authorization": f"Bearer {anna.token}"}}, {}),
            ({}, {"token": anna.token}),
        ):
            with connect(anna.ws_url, **opening) as opened:
                with suppress(ConnectionClosed):
                    opened.send(json.dumps({"type": "hello", **hello}))
                assert code_of(opened) == 1012
    wait_for_sockets(0, service)
    anna.open()
    anna.wait_for("snapshot", match=match)
    wait_for_sockets(1, service)
