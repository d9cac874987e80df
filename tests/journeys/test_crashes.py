"""A match goes on through the death of every process, with nothing lost and nothing twice."""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import psutil
import pytest
from websockets.exceptions import ConnectionClosed

from config.processes import ROOT
from tests.instances import Instance
from tests.journeys.guests import Guest

pytestmark = [pytest.mark.slow_start, pytest.mark.timeout(300)]

CLOCKED = {"turn_seconds": 60, "rounds": 50}


@pytest.fixture(scope="module")
def instance() -> Iterator[Instance]:
    folder = Path(tempfile.mkdtemp(prefix="taku-crash-"))
    folder.chmod(0o711)
    instance = Instance(folder / "one")
    instance.start()
    yield instance
    instance.kill()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def guest(instance: Instance) -> Iterator[Guest]:
    """A guest alone at a table with a clock, some decisions into the match."""
    instance.wait(instance.is_ready)
    guest = Guest(instance.url, "Crash")
    match = guest.post("matches/", 201, rules=CLOCKED)["id"]
    guest.open()
    guest.wait_until(lambda: guest.match == match)
    play(guest, 5)
    yield guest
    guest.close()


def play(guest: Guest, decisions: int) -> None:
    dice = random.Random(decisions)
    for _ in range(decisions):
        guest.wait_until(lambda: guest.my_turn)
        decision = guest.decide(dice, ("stand", "decline"))
        version = guest.view["version"]
        guest.act(decision)
        guest.wait_until(lambda version=version: guest.view["version"] > version)


def come_back(instance: Instance, guest: Guest) -> None:
    """Lose the socket with its process, wait until the service is ready, and resume."""
    guest.drop()
    instance.wait(instance.is_ready)
    until = time.monotonic() + 30
    while True:
        try:
            guest.open(resume=True)
        except (OSError, ConnectionClosed, TimeoutError):
            assert time.monotonic() < until
            time.sleep(0.2)
        else:
            return


def kill(instance: Instance, *words: str) -> None:
    """`kill -9` of a child; returns when its successor is there."""
    killed = instance.child(*words)
    killed.kill()

    def replaced() -> bool:
        try:
            return instance.child(*words).pid != killed.pid
        except (LookupError, psutil.NoSuchProcess):
            return False

    instance.wait(replaced)


def verify(instance: Instance) -> None:
    """Every stored match is what its seeds and actions make."""
    ours = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "DJANGO_SETTINGS_MODULE", "REDIS_PREFIX")
    environment = {key: value for key, value in os.environ.items() if key not in ours}
    checked = subprocess.run(
        [sys.executable, "manage.py", "verify_match", "--all"],
        cwd=ROOT,
        env={**environment, "DATA_DIR": str(instance.layout.root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


def deadline(guest: Guest) -> datetime:
    return datetime.fromisoformat(guest.view["to_act"]["deadline"])


def same_table(before: dict[str, object], after: dict[str, object]) -> bool:
    members = ("version", "round", "phase", "dealer", "shoe", "last_round")
    return all(before[member] == after[member] for member in members)


def test_killed_web_process_loses_no_acknowledged_decision(
    instance: Instance, guest: Guest
) -> None:
    before, was_due = guest.view, deadline(guest)
    kill(instance, "manage.py", "web")
    come_back(instance, guest)
    assert same_table(before, guest.view)
    assert deadline(guest) > was_due
    play(guest, 5)
    verify(instance)


def test_an_outage_is_counted_once(instance: Instance, guest: Guest) -> None:
    kill(instance, "manage.py", "web")
    come_back(instance, guest)
    due = deadline(guest)
    time.sleep(3)
    guest.send("subscribe", match=guest.match)
    guest.wait_for("snapshot")
    assert deadline(guest) == due


@pytest.mark.parametrize(
    "words",
    [("celery", "--queues=sweep"), ("celery", "--queues=default"), ("celery", "beat")],
    ids=["sweep", "worker", "beat"],
)
def test_play_goes_on_without_noticing_a_dead_worker(
    instance: Instance, guest: Guest, words: tuple[str, ...]
) -> None:
    kill(instance, *words)
    play(guest, 5)


def test_play_goes_on_while_valkey_is_dead(instance: Instance, guest: Guest) -> None:
    for _ in range(3):
        instance.child("valkey-server").kill()
        play(guest, 3)
    instance.wait(instance.is_ready)


def test_killed_database_loses_no_acknowledged_decision(instance: Instance, guest: Guest) -> None:
    before = guest.view
    kill(instance, "postgres", "-D")
    come_back(instance, guest)
    assert same_table(before, guest.view)
    play(guest, 5)
    verify(instance)


def test_everything_killed_and_started_again_goes_on(instance: Instance, guest: Guest) -> None:
    before = guest.view
    was_due = deadline(guest)
    instance.kill()
    instance.start()
    come_back(instance, guest)
    assert same_table(before, guest.view)
    assert deadline(guest) > was_due
    play(guest, 5)
    verify(instance)


def test_a_stop_tells_sockets_when_to_come_back(instance: Instance, guest: Guest) -> None:
    web = instance.child("manage.py", "web")
    web.terminate()
    closing = guest.wait_for("closing")
    assert closing["reason"] == "restart"
    assert closing["resume_in"] > 0

    def closed() -> int:
        while True:
            try:
                guest.receive()
            except ConnectionClosed as error:
                return error.rcvd.code if error.rcvd is not None else 1006

    assert closed() == 1012
    come_back(instance, guest)
    play(guest, 5)
