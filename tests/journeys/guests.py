"""Guests as programs see the service: an HTTP client and a socket of their own."""

import json
import random
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Any
from uuid import UUID

import httpx
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tables.blackjack.events import MatchKind
from tables.blackjack.ruleset import Ruleset
from tables.services.matches import start_match

Message = dict[str, Any]

PATIENCE = 60.0


class Guest:
    """A guest with an account and, once opened, a socket; keeps the latest view of its match."""

    def __init__(self, url: str, name: str) -> None:
        self.http = httpx.Client(base_url=f"{url}/api/v1/", timeout=10)
        self.ws_url = url.replace("http", "ws", 1) + "/ws/v1/"
        made = self.http.post("players/", json={"display_name": name})
        assert made.status_code == 201, made.text
        self.token = made.json()["token"]
        self.id = made.json()["player"]["id"]
        self.http.headers["Authorization"] = f"Bearer {self.token}"
        self.socket: ClientConnection | None = None
        self.match: str | None = None
        self.view: Message = {}
        self.seq = 0
        self.events: list[Message] = []
        self.party: Message | None = None
        self.heard: list[Message] = []
        self.sent: dict[str, str] = {}
        self._ids = 0

    # REST

    def post(self, path: str, expect: int = 200, **body: Any) -> Message:
        answer = self.http.post(path, json=body)
        assert answer.status_code == expect, answer.text
        return dict(answer.json()) if answer.content else {}

    def get(self, path: str, expect: int = 200) -> Any:
        answer = self.http.get(path)
        assert answer.status_code == expect, answer.text
        return answer.json()

    # The socket

    def open(self, *, resume: bool = False) -> Message:
        """Open a socket and be welcomed."""
        headers = {"Authorization": f"Bearer {self.token}"}
        self._open = ExitStack()
        self.socket = self._open.enter_context(connect(self.ws_url, additional_headers=headers))
        welcome = self.wait_for("welcome")
        if resume and self.match is not None:
            self.send("resume", match=self.match, seq=self.seq)
            self.wait_for("ack")
        return welcome

    def drop(self) -> None:
        """Lose the connection without a word."""
        assert self.socket is not None
        with suppress(OSError):  # the other side may be gone already
            self.socket.socket.shutdown(socket.SHUT_RDWR)
        self._open.close()
        self.socket = None

    def close(self) -> None:
        """Go, politely."""
        if self.socket is not None:
            self._open.close()
            self.socket = None
        self.http.close()

    def send(self, type_: str, **members: Any) -> str:
        """Send a message with a new id and give the id."""
        assert self.socket is not None
        self._ids += 1
        message_id = f"{self.id}-{self._ids}"
        self.sent[message_id] = json.dumps({"type": type_, "id": message_id, **members})
        self.socket.send(self.sent[message_id])
        return message_id

    def receive(self, timeout: float = PATIENCE) -> Message:
        """Take the next message and remember what it says of match and party."""
        assert self.socket is not None
        message: Message = json.loads(self.socket.recv(timeout))
        self.heard.append(message)
        match message["type"]:
            case "snapshot":
                self.match = message["match"]
                self.view, self.seq = message["view"], message["seq"]
            case "events" if message["match"] == self.match:
                you = self.view.get("you")
                for event in message["events"]:
                    if event["seq"] > self.seq:
                        assert event["seq"] == self.seq + 1, "a gap in seq"
                        self.seq = event["seq"]
                        self.events.append(event)
                self.view = {**message["view"], "you": you}
            case "party":
                self.party = message["party"]
        return message

    def wait_for(self, type_: str, **members: Any) -> Message:
        """Receive until a message of a type, with these members, has come."""
        until = time.monotonic() + PATIENCE
        while True:
            message = self.receive(max(0.01, until - time.monotonic()))
            if message["type"] == type_ and all(
                message.get(key) == value for key, value in members.items()
            ):
                return message

    def wait_until(self, true: Callable[[], bool]) -> None:
        """Receive until something is true."""
        until = time.monotonic() + PATIENCE
        while not true():
            self.receive(max(0.01, until - time.monotonic()))

    # Play

    @property
    def seat(self) -> int:
        return int(self.view["you"]["seat"])

    @property
    def my_turn(self) -> bool:
        return bool(self.view) and self.view["to_act"] and self.view["to_act"]["seat"] == self.seat

    @property
    def over(self) -> bool:
        return bool(self.view) and self.view["status"] != "playing"

    def decide(self, dice: random.Random, prefer: tuple[str, ...] = ()) -> Message:
        """Choose among what is offered, what is preferred first."""
        legal = self.view["to_act"]["legal"]
        names = [offer["action"] for offer in legal]
        wanted = [offer for name in prefer for offer in legal if offer["action"] == name]
        offer = wanted[0] if wanted else dice.choice(legal)
        assert offer["action"] in names
        decision = {"action": offer["action"], "version": self.view["version"]}
        if offer["action"] == "bet":
            steps = (min(offer["max"], 50) - offer["min"]) // offer["step"]
            decision["amount"] = offer["min"] + offer["step"] * dice.randint(0, steps)
        return decision

    def act(self, decision: Message) -> Message:
        """Send a decision over the socket and wait until it is committed."""
        message_id = self.send("action", match=self.match, **decision)
        return self.wait_for("ack", id=message_id)


Invite = Callable[[str], Guest]
"""Makes a guest of a name."""


def seat(*guests: Guest, watchable: bool = False, **rules: object) -> str:
    """Begin a match for these guests; gives its id."""
    match = start_match(
        kind=MatchKind.SOLO if len(guests) == 1 else MatchKind.PARTY,
        ruleset=Ruleset(**{"rounds": 50, **rules}),
        player_ids=[UUID(guest.id) for guest in guests],
        watchable=watchable,
    )
    return str(match.pk)


def end_of(guest: Guest) -> int:
    """Receive until the server closes; gives the close code."""
    while True:
        try:
            guest.receive()
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd is not None else 1006
