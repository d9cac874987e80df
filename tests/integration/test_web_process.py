"""A web process with settings of its own: many idle sockets, dead ones, its end, its log."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from config.processes import ROOT
from tests.conftest import Service
from tests.instances import free_port
from tests.journeys.guests import Guest, end_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

PER_PLAYER = 10


class Web:
    """One more web process on the service's database."""

    def __init__(self, service: Service, log: Path, **settings: str) -> None:
        self.port = free_port()
        self.log = log
        with log.open("ab") as written:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "web", "--port", str(self.port)],
                cwd=ROOT,
                env={**service.environment, "PROCESS": "web", **settings},
                stdin=subprocess.DEVNULL,
                stdout=written,
                stderr=written,
            )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def wait_ready(self) -> None:
        until = time.monotonic() + 120
        while time.monotonic() < until and self.process.poll() is None:
            try:
                if httpx.get(f"{self.url}/readyz", timeout=5).status_code == 200:
                    return
            except httpx.HTTPError:
                time.sleep(0.05)
        pytest.fail(self.log.read_text())

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


Begin = Callable[..., Web]


@pytest.fixture
def begin(service: Service, tmp_path: Path) -> Iterator[Begin]:
    """Starts web processes, which end with the test."""
    begun: list[Web] = []

    def begin(**settings: str) -> Web:
        web = Web(service, tmp_path / f"web-{len(begun)}.log", **settings)
        begun.append(web)
        web.wait_ready()
        return web

    yield begin
    for web in begun:
        web.end()


async def sockets(web: Web, count: int, stack: AsyncExitStack) -> list:
    """So many open sockets of players who do nothing; ten each."""
    async with httpx.AsyncClient(base_url=f"{web.url}/api/v1/", timeout=30) as client:
        tokens = []
        for _ in range((count + PER_PLAYER - 1) // PER_PLAYER):
            made = await client.post("players/", json={})
            assert made.status_code == 201, made.text
            tokens.append(made.json()["token"])
    opened = []
    for number in range(count):
        headers = {"Authorization": f"Bearer {tokens[number // PER_PLAYER]}"}
        address = f"ws://127.0.0.1:{web.port}/ws/v1/"
        one = await stack.enter_async_context(connect(address, additional_headers=headers))
        assert '"welcome"' in await one.recv()
        opened.append(one)
    return opened


async def test_300_idle_sockets_leave_the_database_to_others(begin: Begin) -> None:
    """They hold no connection, however small the pool is (OP-09)."""
    web = begin(DATABASE_POOL_SIZE="4")
    async with AsyncExitStack() as stack:
        opened = await sockets(web, 300, stack)
        async with httpx.AsyncClient(base_url=f"{web.url}/api/v1/", timeout=10) as client:
            made = await client.post("players/", json={})
            headers = {"Authorization": f"Bearer {made.json()['token']}"}
            match = (await client.post("matches/", json={}, headers=headers)).json()["id"]
            answers = await asyncio.gather(
                *(client.get(f"matches/{match}/", headers=headers) for _ in range(40))
            )
        assert {answer.status_code for answer in answers} == {200}
        await opened[-1].send('{"type": "ping"}')
        assert '"pong"' in await opened[-1].recv()


async def test_50_sockets_do_not_hold_up_the_end(begin: Begin) -> None:
    """All are told to come back, each at a time of its own, and are closed (OP-15, RT-25)."""
    web = begin()
    async with AsyncExitStack() as stack:
        opened = await sockets(web, 50, stack)
        began = time.monotonic()
        web.process.send_signal(signal.SIGTERM)
        code = await asyncio.to_thread(web.process.wait, 15)
        assert time.monotonic() - began < 10
        assert code in (0, -signal.SIGTERM)
        times, codes = [], set()
        for one in opened:
            try:
                while True:
                    message = await one.recv()
                    if '"closing"' in message:
                        times.append(message)
            except ConnectionClosed as closed:
                codes.add(closed.rcvd.code if closed.rcvd else None)
        assert codes == {1012}
        assert len(times) == 50
        assert len(set(times)) > 25


def test_a_socket_that_answers_no_ping_is_dead(begin: Begin, service: Service) -> None:
    """A sleeping phone's player is away, though nobody has closed anything (RT-12)."""
    web = begin(SOCKET_PING_SECONDS="0.5")
    anna = Guest(service.url, "Anna")
    match = anna.post("matches/", 201)["id"]
    handshake = (
        "GET /ws/v1/ HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        f"Authorization: Bearer {anna.token}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", web.port)) as asleep:
        asleep.settimeout(20)
        asleep.sendall(handshake.encode())
        assert b"101 " in asleep.recv(4096)
        while asleep.recv(65536):  # reads, but answers nothing, until the server gives up
            pass
    anna.open()
    anna.wait_for("snapshot", match=match)
    anna.close()


def test_the_token_is_in_no_log(begin: Begin, service: Service) -> None:
    """After a match by header, cookie, first message and REST (AC-04)."""
    web = begin(LOG_LEVEL="DEBUG")
    anna = Guest(web.url, "Anna")
    match = anna.post("matches/", 201, rules={"rounds": 1})["id"]
    anna.open()
    anna.wait_for("snapshot", match=match)
    while not anna.over:
        legal = {offer["action"]: offer for offer in anna.view["to_act"]["legal"]}
        name = next(name for name in ("bet", "decline", "stand") if name in legal)
        version = anna.view["version"]
        decision = {"action": name, "version": version}
        if name == "bet":
            decision["amount"] = legal["bet"]["min"]
        anna.act(decision)
        anna.wait_until(lambda version=version: anna.view["version"] > version)
    anna.http.get("players/me/", headers={"Authorization": "", "Cookie": f"device={anna.token}"})
    anna.http.get(f"nowhere/?token={anna.token}")
    anna.send("hello", token=anna.token)
    anna.send("hello", token=f"{anna.token}x")
    assert end_of(anna) == 4401
    anna.close()
    web.process.send_signal(signal.SIGTERM)
    web.process.wait(15)
    servers = Path(os.environ["TEST_DATA_DIR"])
    logs = [web.log, *service.folder.glob("*.log"), *servers.rglob("*.log")]
    written = web.log.read_text()
    assert "players/me/" in written
    for log in logs:
        assert anna.token not in log.read_text(errors="replace"), log
