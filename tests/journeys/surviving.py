"""Living through the death of processes: killing them, coming back, and what must still be so."""

import random
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import psutil
import psycopg
from websockets.exceptions import ConnectionClosed

from config.processes import ROOT
from tests.instances import Instance, foreign_environment
from tests.journeys.guests import PATIENCE, Guest


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
    until = time.monotonic() + 60
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


def manage(instance: Instance, *arguments: str) -> str:
    """Run a management command on an instance's database; gives what it printed."""
    checked = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env={**foreign_environment(), "DATA_DIR": str(instance.layout.root)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    return checked.stdout


def verify(instance: Instance) -> None:
    """Every stored match is what its seeds and actions make."""
    manage(instance, "verify_match", "--all")


def deadline(guest: Guest) -> datetime:
    return datetime.fromisoformat(guest.view["to_act"]["deadline"])


def same_table(before: dict[str, object], after: dict[str, object]) -> bool:
    members = ("version", "round", "phase", "dealer", "shoe", "last_round")
    return all(before[member] == after[member] for member in members)


def play_together(guests: Sequence[Guest], decisions: int) -> None:
    """Let guests at one table decide in turn; each sees every step over its own socket."""
    dice = random.Random(decisions)
    for _ in range(decisions):
        newest = max(guest.view["version"] for guest in guests)
        see(guests, newest)
        acting = next(guest for guest in guests if guest.my_turn)
        insist(acting, acting.decide(dice, ("stand", "decline")))
        see(guests, newest + 1)


def see(guests: Sequence[Guest], version: int) -> None:
    """Let each guest hear until it knows a version."""
    for guest in guests:
        guest.wait_until(lambda guest=guest: guest.view["version"] >= version)


def insist(guest: Guest, decision: dict[str, Any]) -> None:
    """Send one action under one id, over the same socket, until it is committed."""
    message_id = guest.send("action", match=guest.match, **decision)
    until = time.monotonic() + 60
    while True:
        message = guest.receive(PATIENCE)
        if message.get("id") != message_id:
            continue
        if message["type"] == "ack":
            return
        assert message["code"] in {"internal_error", "match_busy"}, message
        assert time.monotonic() < until
        time.sleep(0.2)
        assert guest.socket is not None
        guest.socket.send(guest.sent[message_id])


def asked(instance: Instance, query: str) -> Any:
    """The one row that a question to the instance's database gives."""
    with psycopg.connect(instance.layout.database_url, autocommit=True) as database:
        return database.execute(query).fetchone()


def last_outage(instance: Instance) -> tuple[int, timedelta]:
    """The number of outages so far, and the length of the last one."""
    found = asked(
        instance,
        """SELECT count(*) OVER (), ended_at - began_at FROM tables_outage
        ORDER BY id DESC LIMIT 1""",
    )
    return found or (0, timedelta(0))
