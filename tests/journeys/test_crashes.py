"""A match goes on through the death of every process, with nothing lost and nothing twice."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from tests.instances import Instance
from tests.journeys.guests import Guest
from tests.journeys.surviving import come_back, deadline, kill, play, same_table, verify

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
        instance.wait(lambda: instance.has_child("valkey-server"))
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
