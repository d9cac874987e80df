"""Runs the processes of one instance in the foreground: restarts the dead, stops all in order."""

import contextlib
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum
from functools import partial
from typing import Any

from honcho.colour import get_colours
from honcho.printer import Message, Printer
from honcho.process import Popen
from honcho.process import Process as HonchoProcess

from config.embedded import Identity, tether
from config.layout import EmbeddedError

FAILURES = 5  # this many ends of one child ...
WITHIN = 60.0  # ... within so many seconds stop everything
LONGEST_WAIT = 8.0  # seconds before a restart; the first waits FIRST_WAIT, each next twice as long
FIRST_WAIT = 0.25


class Wave(IntEnum):
    """Which children are stopped first."""

    APPLICATION = 0
    SERVERS = 1


PATIENCE = {Wave.APPLICATION: 5.5, Wave.SERVERS: 3.0}
"""Seconds from asking to killing; together under the ten within which everything must be gone."""


@dataclass(kw_only=True)
class Child:
    """One process that is kept running."""

    name: str
    command: Sequence[str]
    wave: Wave = Wave.APPLICATION
    stop_signal: signal.Signals = signal.SIGTERM
    orphan_signal: signal.Signals = signal.SIGKILL  # what it gets when the supervisor dies
    environment: Mapping[str, str] = field(default_factory=dict)
    identity: Identity = field(default_factory=Identity)
    pass_fds: Sequence[int] = ()
    cwd: str = "/"
    prepare: Callable[[], None] | None = None
    """Called before each start, in a thread."""
    noise: re.Pattern[str] | None = None
    """Lines that are not shown."""

    pid: int | None = field(default=None, init=False)
    ends: deque[float] = field(default_factory=lambda: deque(maxlen=FAILURES), init=False)
    due: float | None = field(default=None, init=False)
    """When it is to be started again, by the monotonic clock."""
    done: threading.Event = field(default_factory=threading.Event, init=False)

    @property
    def alive(self) -> bool:
        return not self.done.is_set()


class _Process(HonchoProcess):  # type: ignore[misc]
    """honcho's process with a session of its own, which dies with the supervisor."""

    def __init__(self, child: Child, colour: str) -> None:
        super().__init__(
            list(child.command),
            name=child.name,
            colour=colour,
            env={**os.environ, **child.environment},
            cwd=child.cwd,
        )
        # The session keeps the terminal's Ctrl-C away from the children.
        self._child_ctor = partial(
            Popen,
            shell=False,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=tether(child.orphan_signal),
            pass_fds=tuple(child.pass_fds),
            **child.identity,
        )


class Supervisor:
    """Starts children, shows their lines, restarts them, and stops them wave by wave."""

    def __init__(self, output: Any = None, *, first_wait: float = FIRST_WAIT) -> None:
        self._first_wait = first_wait
        self.children: dict[str, Child] = {}
        self.exit_code = 0
        self.stopping = False
        self._events: queue.Queue[Message] = queue.Queue()
        self._colours = get_colours()
        self._colour_of: dict[str, str] = {}
        self._printer = Printer(output or sys.stdout)
        self._printer.width = 8
        self._signals = 0

    def start(self, child: Child) -> None:
        """Start a child; from now on it is kept running."""
        self.children[child.name] = child
        self._colour_of.setdefault(child.name, next(self._colours))
        child.due = None
        child.done.clear()
        threading.Thread(target=self._follow, args=[child], name=child.name, daemon=True).start()

    def _follow(self, child: Child) -> None:
        """Run one life of a child. The thread must outlive it: on Linux the child's tether is to
        the thread that started it."""
        try:
            if child.prepare is not None:
                child.prepare()
            if not self.stopping:
                _Process(child, self._colour_of[child.name]).run(events=self._events)
                return
        except (OSError, EmbeddedError) as error:
            self._put(child.name, "line", f"{error}\n")
        self._put(child.name, "stop", {"returncode": 1})

    def install_signal_handlers(self) -> None:
        """Ctrl-C, SIGTERM and a closed terminal stop everything; a second one does not wait."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)

    def _on_signal(self, *_: Any) -> None:
        self._signals += 1
        self.stopping = True

    def pump(self, seconds: float = 0.1) -> None:
        """Handle what the children did, for at most so long, and start whose wait is over."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            try:
                self._handle(self._events.get(timeout=left))
            except queue.Empty:
                break
        for child in self.children.values():
            if not self.stopping and child.due is not None and child.due <= time.monotonic():
                self.start(child)

    def _handle(self, message: Message) -> None:
        child = self.children[message.name]
        match message.type:
            case "start":
                child.pid = message.data["pid"]
            case "line":
                line = message.data
                text = line.decode(errors="replace") if isinstance(line, bytes) else line
                if child.noise is None or not child.noise.search(text):
                    self._write(message._replace(data=text))
            case "stop":
                self._ended(child, message.data["returncode"])

    def _ended(self, child: Child, code: int) -> None:
        child.pid = None
        child.done.set()
        if self.stopping:
            return
        now = time.monotonic()
        child.ends.append(now)
        recent = [end for end in child.ends if now - end < WITHIN]
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        if len(recent) >= FAILURES:
            self.say(f"{child.name} ended {FAILURES} times within a minute ({how}): stopping.")
            self.exit_code = (128 - code if code < 0 else code) or 1
            self.stopping = True
            return
        wait = min(self._first_wait * 2 ** (len(recent) - 1), LONGEST_WAIT)
        self.say(f"{child.name} ended ({how}), starting it again in {wait:g} s.")
        child.due = now + wait

    def run(self) -> int:
        """Keep the children running until a signal or a failing child ends it; stop them all.

        Returns the exit code: 0 after a signal, else the failing child's.
        """
        try:
            while not self.stopping:
                self.pump(0.5)
        finally:
            self.stop()
        return self.exit_code

    def stop(self) -> None:
        """Stop all children in order, each wave within its patience."""
        self.stopping = True
        for wave in Wave:
            asked: set[int] = set()
            until = time.monotonic() + PATIENCE[wave]
            while (living := self._living(wave)) and time.monotonic() < until:
                for child in living:  # one that is just starting has its pid a moment later
                    if child.pid is not None and child.pid not in asked:
                        asked.add(child.pid)
                        self._send(child, child.stop_signal)
                if self._signals > 1:
                    break
                self.pump(0.05)
            for child in self._living(wave):
                self._send(child, signal.SIGKILL)
            until = time.monotonic() + 1
            while self._living(wave) and time.monotonic() < until:
                self.pump(0.02)

    def _living(self, wave: Wave) -> list[Child]:
        return [child for child in self.children.values() if child.wave is wave and child.alive]

    def _send(self, child: Child, number: signal.Signals) -> None:
        """Signal a child; a kill goes to its whole session."""
        if child.pid is None:
            return
        with contextlib.suppress(ProcessLookupError):
            if number is signal.SIGKILL:
                os.killpg(child.pid, number)
            else:
                os.kill(child.pid, number)

    def say(self, text: str) -> None:
        """One line of the supervisor's own."""
        self._write(
            Message(type="line", data=text + "\n", time=datetime.now(), name="run", colour=None)
        )

    def _put(self, name: str, kind: str, data: object) -> None:
        self._events.put(Message(type=kind, data=data, time=datetime.now(), name=name, colour=None))

    def _write(self, message: Message) -> None:
        try:
            self._printer.write(message)
        except BrokenPipeError:  # whoever read our output is gone
            self._printer.output = open(os.devnull, "w")  # noqa: SIM115
            self.stopping = True
