"""The socket module against a server that misbehaves on purpose; time is moved, not waited for."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute

MATCH = "m1"
NOW = "2026-01-01T00:00:00Z"
SETUP = """async () => {
  const { Socket } = await import("/static/taku/js/socket.js");
  globalThis.states = [];
  globalThis.got = [];
  globalThis.acks = [];
  globalThis.socket = new Socket();
  socket.addEventListener("state", ({ detail }) => states.push(detail));
  socket.addEventListener("events", ({ detail }) => got.push(detail.events.map((one) => one.seq)));
  socket.follow("m1", 4);
  socket.open();
}"""


class Server:
    """The other end, as the test wants it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.routes: list[WebSocketRoute] = []
        self.received: list[dict[str, Any]] = []
        self.refuses = False
        self.answers: Callable[[dict[str, Any]], dict[str, Any] | None] = self.well
        page.route_web_socket("**/ws/v1/", self.connected)

    def connected(self, route: WebSocketRoute) -> None:
        """Somebody connects."""
        if self.refuses:
            route.close(code=1006)
            return
        self.routes.append(route)
        route.on_message(lambda text: self.message(route, json.loads(str(text))))
        self.send({"type": "welcome", "player": None, "server_time": NOW, "match": None})

    def message(self, route: WebSocketRoute, message: dict[str, Any]) -> None:
        """A frame from the client."""
        self.received.append(message)
        answer = self.answers(message)
        if answer is not None:
            route.send(json.dumps(answer))

    def send(self, message: dict[str, Any]) -> None:
        """A frame to the client that connected last."""
        self.routes[-1].send(json.dumps(message))

    def events(self, *seqs: int) -> None:
        """Events with these numbers."""
        events = [{"type": "hit", "seq": seq} for seq in seqs]
        self.send({"type": "events", "match": MATCH, "version": 1, "events": events})

    def sent(self, kind: str) -> list[dict[str, Any]]:
        """What of a kind has come from the client."""
        return [message for message in self.received if message["type"] == kind]

    @staticmethod
    def well(message: dict[str, Any]) -> dict[str, Any] | None:
        """Answers pings and nothing else."""
        return {"type": "pong", "server_time": NOW} if message["type"] == "ping" else None

    @staticmethod
    def dead(message: dict[str, Any]) -> None:
        """A line that looks open and carries nothing."""


@pytest.fixture
def server(page: Page, stage_url: str) -> Server:
    page.clock.install()
    server = Server(page)
    page.goto(stage_url)
    page.evaluate(SETUP)
    page.wait_for_function("() => socket.state === 'open'")
    return server


def settle(page: Page) -> None:
    """Let what is under way arrive."""
    page.evaluate(
        "new Promise((done) => { const c = new MessageChannel();"
        "c.port1.onmessage = done; c.port2.postMessage(0); })"
    )


def last_state(page: Page) -> dict[str, Any]:
    return page.evaluate("states.at(-1)")  # type: ignore[no-any-return]


def test_it_resumes_from_the_last_number_that_it_has_seen(page: Page, server: Server) -> None:
    assert server.sent("resume") == [{"type": "resume", "match": MATCH, "seq": 4}]
    server.events(5, 6)
    page.wait_for_function("() => got.length === 1")
    server.routes[-1].close(code=1012)
    page.wait_for_function("() => socket.state === 'waiting'")
    page.clock.run_for(2000)
    page.wait_for_function("() => socket.state === 'open'")
    assert server.sent("resume")[-1]["seq"] == 6


def test_a_gap_is_asked_for_and_what_was_seen_is_passed_over(page: Page, server: Server) -> None:
    server.events(5, 6)
    server.events(8)
    server.events(5, 6, 7, 8)
    page.wait_for_function("() => got.length === 2")
    assert page.evaluate("got") == [[5, 6], [7, 8]]
    assert server.sent("resume")[-1] == {"type": "resume", "match": MATCH, "seq": 6}


def test_a_decision_goes_out_again_under_the_same_id_until_it_is_acknowledged(
    page: Page, server: Server
) -> None:
    page.evaluate("void socket.act('m1', 'stand', 3).then((ack) => acks.push(ack))")
    server.routes[-1].close(code=1006)
    page.wait_for_function("() => socket.state === 'waiting'")
    page.clock.run_for(2000)
    page.wait_for_function("() => socket.state === 'open'")
    settle(page)
    first, second = server.sent("action")
    assert first == second
    server.send({"type": "ack", "id": first["id"], "version": 4})
    page.wait_for_function("() => acks.length === 1")
    server.routes[-1].close(code=1006)
    page.clock.run_for(2000)
    page.wait_for_function("() => socket.state === 'open'")
    settle(page)
    assert len(server.sent("action")) == 2


def test_a_line_that_is_dead_is_noticed_after_sleep_within_three_seconds(
    page: Page, server: Server
) -> None:
    settle(page)
    server.answers = server.dead
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.clock.run_for(2600)
    assert "waiting" in [state["state"] for state in page.evaluate("states")]


def test_a_line_that_is_dead_is_noticed_without_any_event(page: Page, server: Server) -> None:
    settle(page)
    server.answers = server.dead
    page.clock.run_for(27_000)
    assert "waiting" in [state["state"] for state in page.evaluate("states")]


def test_waits_grow_to_a_limit_and_no_two_clients_come_at_once(page: Page, server: Server) -> None:
    server.refuses = True
    server.routes[-1].close(code=1006)
    waits = []
    for attempt in range(8):
        page.wait_for_function("() => socket.state === 'waiting'")
        left = page.evaluate("states.at(-1).retryAt - performance.now()")
        whole = min(20_000, 500 * 2**attempt)
        assert whole / 2 - 100 <= left <= whole
        waits.append(left / whole)
        page.evaluate("globalThis.tries = states.length")
        page.clock.run_for(int(left) + 5)
        page.wait_for_function("() => states.length >= tries + 2")
    assert len({round(share, 2) for share in waits}) > 2
    server.refuses = False
    page.clock.run_for(20_000)
    page.wait_for_function("() => socket.state === 'open'")


def test_a_restart_says_when_to_come_back(page: Page, server: Server) -> None:
    server.send({"type": "closing", "reason": "restart", "resume_in": 7})
    settle(page)
    server.routes[-1].close(code=1012)
    page.wait_for_function("() => socket.state === 'waiting'")
    left = page.evaluate("states.at(-1).retryAt - performance.now()")
    assert 6900 <= left <= 14100


@pytest.mark.parametrize("code", [4401, 4403, 4409])
def test_after_a_final_word_it_does_not_come_back(page: Page, server: Server, code: int) -> None:
    server.routes[-1].close(code=code)
    page.wait_for_function("() => socket.state === 'closed'")
    page.clock.run_for(60_000)
    assert last_state(page)["code"] == code
    assert len(server.routes) == 1
