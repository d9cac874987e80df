"""Whole instances, as `make run` starts them: up, through what kills them, and down."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import psutil
import psycopg
import pytest

from config.layout import Layout, layout_of
from config.processes import ROOT

pytestmark = [pytest.mark.slow_start, pytest.mark.timeout(300)]

STOP_WITHIN = 10  # seconds, the promise
READY_WITHIN = 90  # generous: the machine may be busy


class Instance:
    """One `manage.py run` on a free port with a data folder of its own."""

    def __init__(self, data_dir: Path, port: int | None = None) -> None:
        self.layout: Layout = layout_of(data_dir)
        self.port = port or free_port()
        self.lines: list[str] = []
        self.process: subprocess.Popen[str]
        self.reader: threading.Thread

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self.process = launch(self.layout.root, self.port)
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
            command = " ".join(process.cmdline())
            if all(word in command for word in words):
                return process
        raise LookupError(words)

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


def launch(data_dir: Path, port: int, **more: str) -> subprocess.Popen[str]:
    ours = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "DJANGO_SETTINGS_MODULE", "REDIS_PREFIX")
    environment = {key: value for key, value in os.environ.items() if key not in ours}
    return subprocess.Popen(
        [sys.executable, "manage.py", "run"],
        cwd=ROOT,
        env={**environment, "DATA_DIR": str(data_dir), "PORT": str(port), **more},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Short, since sockets have short names, and open to PostgreSQL's account."""
    path = Path(tempfile.mkdtemp(prefix="taku-run-"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="module")
def instance(folder: Path) -> Iterator[Instance]:
    """One instance for the whole module; a test leaves it running."""
    instance = Instance(folder / "one")
    instance.start()
    with psycopg.connect(connection(instance), autocommit=True) as database:
        database.execute("CREATE TABLE kept (word text)")
        database.execute("INSERT INTO kept VALUES ('still here')")
    yield instance
    instance.kill()


def connection(instance: Instance) -> str:
    return f"host={instance.layout.sockets} user=taku dbname=taku"


def kept(instance: Instance) -> list[tuple[str]]:
    with psycopg.connect(connection(instance)) as database:
        return database.execute("SELECT word FROM kept").fetchall()


def refused(data_dir: Path, port: int, **more: str) -> str:
    """What an instance says that refuses to start: one line, and a failing exit code."""
    process = launch(data_dir, port, **more)
    output, _ = process.communicate(timeout=60)
    assert process.returncode not in (0, None)
    assert len(output.splitlines()) == 1, output
    return output


def test_says_ready_in_one_line(instance: Instance) -> None:
    assert instance.lines.count(instance.ready_line) == 1
    assert instance.is_ready()


def test_makes_a_secret_key_that_only_its_user_reads(instance: Instance) -> None:
    assert len(instance.layout.secret_key.read_text()) >= 50
    assert instance.layout.secret_key.stat().st_mode & 0o077 == 0


def test_static_files_have_hashed_names(instance: Instance) -> None:
    page = httpx.get(instance.url + "/admin/login/")
    name = page.text.split('href="/static/admin/css/base.')[1].split('"')[0]
    answer = httpx.get(f"{instance.url}/static/admin/css/base.{name}")
    assert answer.status_code == 200
    assert "immutable" in answer.headers["cache-control"]


@pytest.mark.parametrize(
    "words",
    [("manage.py", "web"), ("valkey-server",), ("postgres", "-D"), ("celery", "beat")],
    ids=["web", "valkey", "postgresql", "beat"],
)
def test_killed_child_is_started_again(instance: Instance, words: tuple[str, ...]) -> None:
    instance.wait(lambda: _has(instance, words))
    killed = instance.child(*words)
    killed.kill()
    instance.wait(lambda: _has(instance, words) and instance.child(*words).pid != killed.pid)
    instance.wait(instance.is_ready)


def _has(instance: Instance, words: tuple[str, ...]) -> bool:
    with contextlib.suppress(LookupError, psutil.NoSuchProcess):
        return instance.child(*words).is_running()
    return False


def test_taken_port_is_told_in_one_sentence(instance: Instance, folder: Path) -> None:
    assert f"127.0.0.1:{instance.port}" in refused(folder / "other", instance.port)


def test_taken_data_folder_is_told_in_one_sentence(instance: Instance) -> None:
    assert "in use" in refused(instance.layout.root, free_port())


def test_data_folder_of_another_version_is_told_in_one_sentence(folder: Path) -> None:
    cluster = folder / "old" / "postgres"
    cluster.mkdir(parents=True)
    (cluster / "PG_VERSION").write_text("17\n")
    assert "PostgreSQL 17" in refused(folder / "old", free_port())


def test_absent_database_is_told_in_one_sentence(folder: Path) -> None:
    url = f"postgres://nobody@127.0.0.1:{free_port()}/absent"
    assert "PostgreSQL" in refused(folder / "absent", free_port(), DATABASE_URL=url)


def test_two_instances_run_side_by_side(instance: Instance, folder: Path) -> None:
    second = Instance(folder / ("its-path-is-too-long-for-a-socket-" * 4))
    try:
        second.start()
        assert instance.is_ready()
        assert second.is_ready()
        code, took, left = second.stop(signal.SIGINT)
        assert (code, left) == (0, 0)
        assert took < STOP_WITHIN
    finally:
        second.kill()
    assert instance.is_ready()


def test_sigterm_ends_all_and_the_next_start_goes_on(instance: Instance) -> None:
    code, took, left = instance.stop(signal.SIGTERM)
    assert (code, left) == (0, 0)
    assert took < STOP_WITHIN
    instance.start()
    assert kept(instance) == [("still here",)]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children of it")
def test_killed_supervisor_leaves_no_children_and_the_next_start_goes_on(
    instance: Instance,
) -> None:
    family = instance.family()
    instance.process.kill()
    instance.process.wait()
    _, alive = psutil.wait_procs(family, timeout=STOP_WITHIN)
    assert alive == []
    instance.start()
    assert kept(instance) == [("still here",)]


def test_start_after_kill_of_everything_goes_on(instance: Instance) -> None:
    instance.kill()
    pid_file = instance.layout.cluster / "postmaster.pid"
    lines = pid_file.read_text().splitlines()
    pid_file.write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")  # reused by another
    instance.start()
    assert kept(instance) == [("still here",)]
