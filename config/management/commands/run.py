"""The one-command start: everything an instance needs, under one supervisor in the foreground."""

import contextlib
import ipaddress
import os
import re
import secrets
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.db import OperationalError, connection, connections
from django.db.migrations.executor import MigrationExecutor

from config.assets import StaticFiles, StaticFilesFailed, compile_messages
from config.demo import NotEmpty, fill
from config.embedded import Postgres, Server, Valkey, tether
from config.layout import (
    DataFolderOfAnotherVersion,
    EmbeddedError,
    Layout,
    ServerFailed,
    claim,
)
from config.processes import ROOT, Process, command_of, environment_of
from config.supervisor import Child, Supervisor, Wave
from staff.services.roles import create_first_login
from tables.selectors.strategies import presets_are_ready

READY_WITHIN = 120.0  # seconds
PRESETS_WITHIN = 15.0  # seconds
_NOISE = re.compile(
    r"^LOG:  |^FATAL:  the database system is (starting up|shutting down)|Memory overcommit"
    r"|Received SIG|ready to exit|^\s*$|Warm shutdown"
)


class PortTaken(EmbeddedError):
    """Somebody else listens on the port."""

    code = "port_taken"


class NotReady(EmbeddedError):
    """The web process did not become ready in time, or a child failed for good."""

    code = "not_ready"


class Command(BaseCommand):
    """`manage.py run`: what `make run` calls."""

    help = "Run everything in the foreground: PostgreSQL, Valkey, web, Celery workers and beat."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--end-with-parent",
            action="store_true",
            help="stop when the process that started this one ends (Linux)",
        )

        parser.add_argument(
            "--demo",
            action="store_true",
            help="fill a data folder without players with demo players and matches",
        )

    def handle(self, *args: Any, end_with_parent: bool, demo: bool, **options: Any) -> None:
        if end_with_parent and (fasten := tether(signal.SIGTERM)) is not None:
            fasten()
        supervisor = Supervisor()
        supervisor.install_signal_handlers()
        try:
            with claim(settings.DATA_DIR), _listener(settings.HOST, settings.PORT) as listener:
                sys.exit(_Instance(supervisor, settings.DATA_DIR, listener, demo=demo).run())
        except (EmbeddedError, StaticFilesFailed) as error:
            sys.stderr.write(f"{error}\n")
            sys.exit(1)


@contextlib.contextmanager
def _listener(host: str, port: int) -> Iterator[socket.socket]:
    """The web processes' listening socket, which outlives each of them. Errors: PortTaken."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
            listener.listen(2048)
            yield listener
    except (OSError, OverflowError) as error:
        raise PortTaken(
            f"Cannot listen on {host}:{port} ({error.args[-1]}): "
            "stop what uses it, or choose another PORT."
        ) from None


class _Instance:
    """One instance from its first server to its end."""

    def __init__(
        self, supervisor: Supervisor, layout: Layout, listener: socket.socket, *, demo: bool
    ) -> None:
        self._supervisor = supervisor
        self._layout = layout
        self._listener = listener
        self._demo = demo
        self._login: tuple[str, str] | None = None

    def run(self) -> int:
        """Start everything, say when it is ready, and keep it running. Returns the exit code."""
        try:
            self._start()
        except BaseException:
            self._supervisor.stop()
            raise
        return self._supervisor.run()

    def _start(self) -> None:
        self._make_secret_key()
        with contextlib.closing(StaticFiles(self._layout)) as static:
            static.start()
            compile_messages(ROOT / "config" / "locale")
            self._start_servers()
            if self._supervisor.stopping:
                return
            self._migrate()
            while not static.are_ready():
                self._supervisor.pump(0.05)
                if self._supervisor.stopping:
                    return
        self._start_process(Process.WEB)
        if not presets_are_ready():
            self._start_process(Process.STRATEGY)  # it has work that is waited for
        url = self._wait_ready()
        for process in Process:  # after it, so that they do not slow its start
            if process.value not in self._supervisor.children and not self._supervisor.stopping:
                self._start_process(process)
        self._wait_for_presets()
        self._say_ready(url)

    def _make_secret_key(self) -> None:
        file = self._layout.secret_key
        with contextlib.suppress(FileExistsError):
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w") as out:
                out.write(secrets.token_urlsafe(48) + "\n")

    def _start_servers(self) -> None:
        bundled: list[Server] = []
        if self._layout.database_url == settings.DATABASE_URL:
            bundled.append(Postgres(self._layout))
        if self._layout.redis_url == settings.REDIS_URL:
            bundled.append(Valkey(self._layout))
        for server in bundled:
            server.prepare()
            self._supervisor.start(
                Child(
                    name=server.name.lower(),
                    command=server.command,
                    wave=Wave.SERVERS,
                    stop_signal=server.tether_signal,
                    orphan_signal=server.tether_signal,
                    identity=server.identity,
                    cwd=str(server.folder),
                    prepare=server.prepare,
                    noise=_NOISE,
                )
            )
        for server in bundled:
            until = time.monotonic() + READY_WITHIN
            while not self._supervisor.stopping and not server.answers():
                if time.monotonic() > until:
                    raise ServerFailed(f"{server.name} did not answer within {READY_WITHIN:g} s.")
                self._supervisor.pump(0.02)
            if isinstance(server, Postgres) and not self._supervisor.stopping:
                server.ensure_database()

    def _migrate(self) -> None:
        """Bring the database up to date. Errors: ServerFailed, DataFolderOfAnotherVersion."""
        try:
            loader = MigrationExecutor(connection).loader
            unknown = set(loader.applied_migrations) - set(loader.disk_migrations)
            ours = {config for config, _ in loader.disk_migrations}
            if unknown := {name for name in unknown if name[0] in ours}:
                app, migration = min(unknown)
                raise DataFolderOfAnotherVersion(
                    f"The database was made by a newer version (it has {app}.{migration}): run "
                    "that version, or choose another DATA_DIR."
                )
            call_command("migrate", interactive=False, verbosity=0)
            if not settings.PRODUCTION:
                self._login = create_first_login()
                if self._demo:
                    with contextlib.suppress(NotEmpty):
                        fill()
        except OperationalError as error:
            reason = str(error).strip().splitlines()[-1]
            raise ServerFailed(f"PostgreSQL cannot be used: {reason}") from None
        finally:
            connections.close_all()

    def _start_process(self, process: Process) -> None:
        web = process is Process.WEB
        extra = ["--fd", str(self._listener.fileno())] if web else []
        self._supervisor.start(
            Child(
                name=process.value,
                command=[*command_of(process, self._layout), *extra],
                environment={**environment_of(process), "STATIC_MANIFEST": "true"},
                # A computation is begun anew at the next start: nobody waits for its end.
                stop_signal=signal.SIGKILL if process is Process.STRATEGY else signal.SIGTERM,
                pass_fds=[self._listener.fileno()] if web else [],
                cwd=str(ROOT),
                noise=_NOISE,
            )
        )

    def _wait_ready(self) -> str:
        """Wait until `/readyz` is 200. Returns the service's address here. Errors: NotReady."""
        host, port = settings.HOST, self._listener.getsockname()[1]
        if _is_everywhere(host):
            host = "::1" if ":" in host else "127.0.0.1"
        url = f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
        until = time.monotonic() + READY_WITHIN
        while not self._supervisor.stopping and not _answers(url + "readyz"):
            if time.monotonic() > until:
                raise NotReady(f"The service was not ready within {READY_WITHIN:g} s.")
            self._supervisor.pump(0.05)
        return url

    def _wait_for_presets(self) -> None:
        """At the first start, wait for the strategies that everybody needs, but not for long."""
        until = time.monotonic() + PRESETS_WITHIN
        try:
            while not (self._supervisor.stopping or presets_are_ready()):
                if time.monotonic() > until:
                    break
                self._supervisor.pump(0.1)
        finally:
            connections.close_all()

    def _say_ready(self, url: str) -> None:
        if self._supervisor.stopping:
            return
        sys.stdout.write(f"Ready: {url}\n")
        if _is_everywhere(settings.HOST):
            port = self._listener.getsockname()[1]
            sys.stdout.write(f"On this network: http://{_lan_address()}:{port}/\n")
        if self._login is not None:  # the first start: never said again
            name, password = self._login
            sys.stdout.write(f"Staff login: {name} / {password}\n")
            sys.stdout.write(f"Staff pages: {url}admin/\n")
        sys.stdout.flush()


def _is_everywhere(host: str) -> bool:
    """Whether the host stands for every interface."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:  # noqa: S310 (our own http URL)
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False


def _lan_address() -> str:
    """This machine's address on the network that leads outside; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])
