"""What all tests share: the real PostgreSQL and Valkey, and real processes of the service."""

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import psycopg
import pytest
import redis
from django.conf import settings
from django.db import OperationalError, connection
from django.test import TransactionTestCase

from accounts.generated_names import generated_name
from config.embedded import Postgres, Valkey, tether
from config.layout import layout_of
from config.processes import ROOT, Process, command_of, environment_of
from tables.batcher import close_connections

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
"""The system's Chromium, for the browser tests; none is ever downloaded."""
_BUSY = """SELECT pid FROM pg_stat_activity WHERE datname = current_database()
    AND application_name IN ('taku-web', 'taku-worker', 'taku-beat') AND state <> 'idle'"""
_EMPTY = """DO $$
DECLARE
    tables text[] := ARRAY(
        SELECT oid::regclass::text FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname NOT IN
            ('django_migrations', 'django_content_type', 'auth_permission', 'auth_group',
             'auth_group_permissions')
        ORDER BY oid);
    each text;
BEGIN
    SET LOCAL lock_timeout = '3s';
    EXECUTE 'LOCK TABLE ' || array_to_string(tables, ', ') || ' IN SHARE ROW EXCLUSIVE MODE';
    SET LOCAL session_replication_role = replica;
    FOREACH each IN ARRAY tables LOOP
        IF pg_relation_size(each::regclass) > 262144 THEN
            EXECUTE 'TRUNCATE ' || each || ' CASCADE';
        ELSE
            EXECUTE 'DELETE FROM ' || each;
        END IF;
    END LOOP;
END $$"""
"""Empties all tables but what the migrations fill; truncating is slow, but shrinks a large one."""
_END_STANDING = """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND state LIKE 'idle in transaction%' AND state_change < clock_timestamp() - interval '2s'"""
"""Ends sessions that stand still inside a transaction: they would never let go of their locks."""
_BROWSER_TESTS = ROOT / "tests" / "browser"
_SERVERS = pytest.StashKey[subprocess.Popen[bytes]]()


def pytest_configure(config: pytest.Config) -> None:
    """Start the servers once for all workers, beside the collection of the tests."""
    if hasattr(config, "workerinput") or config.option.collectonly or config.option.help:
        return
    config.stash[_SERVERS] = subprocess.Popen(
        [sys.executable, "-m", "config.embedded", os.environ["TEST_DATA_DIR"], "--not-durable"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the servers and remove their folder."""
    if hasattr(config, "workerinput"):
        return
    servers = config.stash.get(_SERVERS, None)
    if servers is not None:
        assert servers.stdin is not None
        servers.stdin.close()
        servers.wait(20)
    shutil.rmtree(os.environ["TEST_DATA_DIR"], ignore_errors=True)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """pytest-django's test database, with nobody left in it when it is dropped."""
    yield
    close_connections()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests with a database may use every alias; whole instances are tested one at a time.

    Browser tests come last: their driver keeps an event loop running in the test thread, in which
    no later test could call an asynchronous view.
    """
    items.sort(key=lambda item: "browser" in item.path.parts)
    for item in items:
        for marker in item.iter_markers("django_db"):
            marker.kwargs.setdefault("databases", "__all__")
        if CHROMIUM is None and _BROWSER_TESTS in item.path.parents:
            item.add_marker(pytest.mark.skip(reason="Chromium is missing"))
        if item.get_closest_marker("slow_start"):
            item.add_marker(pytest.mark.xdist_group("slow_start"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line where the browser tests did not run."""
    skipped = terminalreporter.stats.get("skipped", [])
    if CHROMIUM is None and any("tests/browser/" in report.nodeid for report in skipped):
        terminalreporter.write_line("Browser tests were skipped: chromium was not found on PATH.")


@pytest.fixture(autouse=True)
def known_luck(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shoes, seats and names that this process draws are a test's own, the same in every run.

    With another LUCK in the environment, and in a rerun, they are others: a test must hold for all
    of them. The processes of the service draw freely.
    """
    node = request.node
    dice = random.Random(
        f"{os.environ.get('LUCK')} {getattr(node, 'execution_count', 1)} {node.nodeid}"
    )
    shoes = SimpleNamespace(token_bytes=dice.randbytes)
    seats = SimpleNamespace(SystemRandom=lambda: dice)
    monkeypatch.setattr("tables.services.batch.secrets", shoes)
    monkeypatch.setattr("tables.services.ready_checks.secrets", seats)
    monkeypatch.setattr(generated_name, "__defaults__", (dice.choice,))


@pytest.fixture(scope="session")
def servers() -> None:
    """PostgreSQL and Valkey answer."""
    layout = layout_of(os.environ["TEST_DATA_DIR"])
    until = time.monotonic() + 60
    for server in (Postgres(layout), Valkey(layout)):
        server.wait_ready(lambda: True, seconds=until - time.monotonic())


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    servers: None, django_db_modify_db_settings_parallel_suffix: None
) -> None:
    """pytest-django's hook before it makes this worker's test database."""


@pytest.fixture
def valkey(servers: None) -> Iterator[redis.Redis]:
    """A client of the real Valkey. Each worker of the test run has a database of
    its own, which is emptied afterwards."""
    with contextlib.closing(redis.Redis.from_url(settings.REDIS_URL)) as client:
        yield client
        client.flushdb()


@dataclass
class Running:
    """A process of the service under test."""

    kind: Process
    start: Callable[[], subprocess.Popen[bytes]]
    log: Path
    process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.process = self.start()

    def kill(self) -> None:
        """`kill -9`."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """SIGTERM, and wait for the end."""
        self.process.terminate()
        self.process.wait(15)

    def restart(self) -> None:
        """Start again after `kill` or `stop`."""
        self.process = self.start()


@dataclass
class Service:
    """A real web process, and whatever else was started with `start`, on this worker's database."""

    host: str
    port: int
    listener: socket.socket
    database: str
    environment: dict[str, str]
    folder: Path
    running: dict[Process, Running] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """`http://127.0.0.1:PORT`, without a slash at the end."""
        return f"http://{self.host}:{self.port}"

    @property
    def ws_url(self) -> str:
        """`ws://127.0.0.1:PORT`, without a slash at the end."""
        return f"ws://{self.host}:{self.port}"

    def client(self, **options: Any) -> httpx.Client:
        """An HTTP client of the service; close it, or use it in a `with`."""
        return httpx.Client(base_url=self.url, timeout=10, **options)

    def start(self, *kinds: Process) -> None:
        """Start these kinds of processes where they do not run yet."""
        for kind in kinds:
            if kind not in self.running:
                log = self.folder / f"{kind}.log"
                self.running[kind] = Running(kind, lambda kind=kind: self._popen(kind), log)

    def _popen(self, kind: Process) -> subprocess.Popen[bytes]:
        web = kind is Process.WEB
        command = command_of(kind, layout_of(self.folder))
        with (self.folder / f"{kind}.log").open("ab") as log:
            return subprocess.Popen(
                [*command, *(["--fd", str(self.listener.fileno())] if web else [])],
                cwd=ROOT,
                env={**self.environment, **environment_of(kind)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[self.listener.fileno()] if web else [],
                preexec_fn=tether(signal.SIGKILL),
            )

    def pause(self) -> None:
        """Stop all processes where they stand, none of them inside a transaction.

        Emptying a test's database would wait for their locks, and they for it; and between tests
        they need no processor.
        """
        with psycopg.connect(self.database, autocommit=True) as watch:
            until = time.monotonic() + 20
            while True:
                self._signal_all(signal.SIGSTOP)
                for _ in range(10):  # a statement under way ends by itself
                    if not watch.execute(_BUSY).fetchall():
                        return
                    time.sleep(0.01)
                if time.monotonic() > until:  # never at rest: the next test starts them anew
                    for running in self.running.values():
                        if running.process.poll() is None:
                            running.kill()
                    return
                self._signal_all(signal.SIGCONT)
                time.sleep(0.05)

    def resume(self) -> None:
        """Let the processes go on."""
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, number: signal.Signals) -> None:
        for running in self.running.values():
            if running.process.poll() is None:
                running.process.send_signal(number)

    def wait_ready(self, seconds: float = 120) -> None:
        """Return when `/readyz` is 200."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(self.url + "/readyz", timeout=5).status_code == 200:
                    return
            if self.running[Process.WEB].process.poll() is not None:
                break
            time.sleep(0.05)
        pytest.fail("The service is not ready:\n" + self.running[Process.WEB].log.read_text())


@pytest.fixture(scope="session")
def _service(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The processes of this worker's service, which live as long as its tests."""
    database = settings.DATABASES["default"]
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(2048)
        service = Service(
            host="127.0.0.1",
            port=listener.getsockname()[1],
            listener=listener,
            database=psycopg.conninfo.make_conninfo(
                host=database["HOST"], user=database["USER"], dbname=database["NAME"]
            ),
            environment={
                **os.environ,
                "DJANGO_SETTINGS_MODULE": "config.settings",
                "DATABASE_URL": f"postgres://{database['USER']}@/{database['NAME']}"
                f"?host={database['HOST']}",
                "TIME_SCALE": os.environ.get("TIME_SCALE", "0.1"),
                "READY_CHECK_TIME": "600",  # 60 s: several clients answer one after the other
                "SECRET_KEY": settings.SECRET_KEY,
            },
            folder=tmp_path_factory.mktemp("service"),
        )
        try:
            yield service
        finally:
            service.resume()
            for running in service.running.values():
                running.process.terminate()
            for running in service.running.values():
                try:
                    running.process.wait(10)
                except subprocess.TimeoutExpired:
                    running.kill()


@pytest.fixture(autouse=True, scope="session")
def _quick_flush() -> None:
    """Transactional tests delete their rows, where Django would truncate and refill all tables.

    It waits its turn, since the service's processes may be writing. A deadlock with one of them is
    nobody's fault, so it is tried again; one that stands still inside a transaction would be
    waited for for ever, so its session is ended.
    """

    def flush(_: TransactionTestCase) -> None:
        for attempt in range(20):
            try:
                with connection.cursor() as cursor:
                    cursor.execute(_EMPTY)
                return
            except OperationalError:
                if attempt == 19:
                    raise
                with connection.cursor() as cursor:
                    cursor.execute(_END_STANDING)
                time.sleep(0.1)

    TransactionTestCase._fixture_teardown = flush


@pytest.fixture
def service(_service: Service, transactional_db: None) -> Iterator[Service]:
    """A real uvicorn process on a free port, on this worker's test database.

    The database is emptied after the test; the process is paused until the next one that uses it.
    Its durations run at TIME_SCALE 0.1. `service.start(Process.SWEEP, Process.WORKER,
    Process.BEAT)` adds Celery.
    """
    _service.resume()
    _service.start(Process.WEB)
    if _service.running[Process.WEB].process.poll() is not None:
        _service.running[Process.WEB].restart()
    _service.wait_ready()
    yield _service
    _service.pause()


@pytest.fixture
def no_web_process(_service: Service) -> None:
    """No web process lives on this worker's database, not even one that waits for its next test."""
    web = _service.running.get(Process.WEB)
    if web is not None and web.process.poll() is None:
        web.kill()


@pytest.fixture
def workers(service: Service) -> Service:
    """The service with its Celery workers and beat."""
    service.start(Process.SWEEP, Process.WORKER, Process.BEAT)
    for running in service.running.values():
        if running.process.poll() is not None:
            running.restart()
    return service
