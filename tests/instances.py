"""Whole instances of the service, as `make run` starts them."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from config.layout import Layout, layout_of
from config.processes import ROOT

STOP_WITHIN = 10  # seconds, the promise
READY_WITHIN = 90  # generous: the machine may be busy


class Instance:
    """One `manage.py run` on a free port with a data folder of its own."""

    def __init__(self, data_dir: Path, port: int | None = None, **environment: str) -> None:
        self.layout: Layout = layout_of(data_dir)
        self.port = port or free_port()
        self.environment = environment
        self.lines: list[str] = []
        self.process: subprocess.Popen[str]
        self.reader: threading.Thread

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self.process = launch(self.layout.root, self.port, **self.environment)
        self.lines = []
        self.reader = threading.Thread(target=self._read, args=[self.process], daemon=True)
        self.reader.start()
        self.wait(lambda: self.ready_line in self.lines)

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                self.lines.append(line.rstrip("\n"))

    @property
    def ready_line(self) -> str:
        return f"Ready: http://127.0.0.1:{self.port}/"

    def wait(self, reached: Callable[[], bool]) -> None:
        until = time.monotonic() + READY_WITHIN
        while not reached():
            if time.monotonic() > until or self.process.poll() is not None:
                pytest.fail("\n".join(["not reached in time:", *self.lines]))
            time.sleep(0.05)

    def is_ready(self) -> bool:
        with contextlib.suppress(httpx.HTTPError):
            answer = httpx.get(self.url + "/readyz", timeout=5)
            return answer.status_code == 200 and not answer.json()["degraded"]
        return False

    def family(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def child(self, *words: str) -> psutil.Process:
        """The child whose command line has all these words."""
        for process in psutil.Process(self.process.pid).children():
            try:
                command = " ".join(process.cmdline())
            except psutil.NoSuchProcess:  # it has just ended
                continue
            if all(word in command for word in words):
                return process
        raise LookupError(words)

    def has_child(self, *words: str) -> bool:
        """Whether there is a child whose command line has all these words."""
        with contextlib.suppress(LookupError):
            self.child(*words)
            return True
        return False

    @contextlib.contextmanager
    def another_web(self) -> Iterator[str]:
        """One more web process on the same servers; gives its address."""
        port = free_port()
        more = {"DATA_DIR": str(self.layout.root), "PROCESS": "web", **self.environment}
        web = subprocess.Popen(
            [sys.executable, "manage.py", "web", "--port", str(port)],
            cwd=ROOT,
            env={**foreign_environment(), **more},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        url = f"http://127.0.0.1:{port}"

        def is_there() -> bool:
            with contextlib.suppress(httpx.HTTPError):
                return httpx.get(f"{url}/readyz", timeout=5).status_code == 200
            return False

        try:
            self.wait(is_there)
            yield url
        finally:
            web.kill()
            web.wait()

    def stop(self, number: signal.Signals = signal.SIGTERM) -> tuple[int, float, int]:
        """Signal the supervisor. Returns exit code, seconds, and how many processes are left."""
        family = self.family()
        began = time.monotonic()
        self.process.send_signal(number)
        code = self.process.wait(30)
        took = time.monotonic() - began
        return code, took, len([one for one in family if one.is_running()])

    def kill(self) -> None:
        if self.process.poll() is None:
            for one in [*self.family(), psutil.Process(self.process.pid)]:
                with contextlib.suppress(psutil.NoSuchProcess):
                    one.kill()
            self.process.wait()
        self.reader.join(10)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def foreign_environment() -> dict[str, str]:
    """The environment without what makes the tests' own processes those of the test run."""
    ours = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "DJANGO_SETTINGS_MODULE", "REDIS_PREFIX")
    return {key: value for key, value in os.environ.items() if key not in ours}


def launch(data_dir: Path, port: int, **more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "manage.py", "run"],
        cwd=ROOT,
        env={**foreign_environment(), "DATA_DIR": str(data_dir), "PORT": str(port), **more},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
