"""The supervisor with children that need no servers."""

import io
import os
import signal
import sys
import threading
import time

import pytest

from config.supervisor import Child, Supervisor


def _supervisor() -> tuple[Supervisor, io.StringIO]:
    output = io.StringIO()
    return Supervisor(output, first_wait=0.01), output


def _python(name: str, code: str, **options) -> Child:
    return Child(name=name, command=[sys.executable, "-u", "-c", code], **options)


def test_failing_child_stops_everything_with_its_exit_code() -> None:
    supervisor, output = _supervisor()
    supervisor.start(_python("good", "import time; time.sleep(60)"))
    supervisor.start(_python("bad", "raise SystemExit(7)"))
    assert supervisor.run() == 7
    assert output.getvalue().count("bad ended (exit code 7), starting it again") == 4
    assert "bad ended 5 times within a minute (exit code 7): stopping." in output.getvalue()
    assert not any(child.alive for child in supervisor.children.values())


def test_waits_grow() -> None:
    supervisor, output = _supervisor()
    supervisor.start(_python("bad", "raise SystemExit(1)"))
    supervisor.run()
    waits = [
        float(line.split(" in ")[1].split()[0])
        for line in output.getvalue().splitlines()
        if "again" in line
    ]
    assert waits == [0.01, 0.02, 0.04, 0.08]


def test_child_that_cannot_start_counts_as_failed() -> None:
    supervisor, output = _supervisor()
    supervisor.start(Child(name="absent", command=["/absent/program"]))
    assert supervisor.run() == 1
    assert "No such file" in output.getvalue()


def test_killed_child_is_started_again() -> None:
    supervisor, output = _supervisor()
    child = _python("good", "print('here'); import time; time.sleep(60)")
    supervisor.start(child)
    for lives in (1, 2):
        _pump_until(supervisor, lambda lives=lives: output.getvalue().count("here") == lives)
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)
        _pump_until(supervisor, lambda lives=lives: output.getvalue().count("signal 9") == lives)
    _pump_until(supervisor, lambda: output.getvalue().count("here") == 3)
    supervisor.stop()
    assert not child.alive


def test_deaf_child_is_killed() -> None:
    supervisor, output = _supervisor()
    code = "import signal, time; signal.signal(15, signal.SIG_IGN); print('here'); time.sleep(60)"
    child = _python("deaf", code)
    supervisor.start(child)
    _pump_until(supervisor, lambda: "here" in output.getvalue())
    supervisor._on_signal()
    threading.Timer(0.2, supervisor._on_signal).start()  # the second Ctrl-C
    began = time.monotonic()
    supervisor.stop()
    assert not child.alive
    assert time.monotonic() - began < 3


def test_children_are_out_of_reach_of_the_terminals_ctrl_c() -> None:
    supervisor, output = _supervisor()
    supervisor.start(_python("good", "import os, time; print(os.getsid(0)); time.sleep(60)"))
    _pump_until(supervisor, lambda: "|" in output.getvalue())
    session = int(output.getvalue().rsplit("|", 1)[1])
    supervisor.stop()
    assert session != os.getsid(0)


def _pump_until(supervisor: Supervisor, reached, seconds: float = 20) -> None:
    until = time.monotonic() + seconds
    while not reached():
        if time.monotonic() > until:
            pytest.fail("not reached in time")
        supervisor.pump(0.05)
