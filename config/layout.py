"""The data folder of one instance: where everything lies, who holds it, which version made it."""

import contextlib
import errno
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

LAYOUT = "1"
POSTGRES_MAJOR = "18"
DATABASE = ROLE = "taku"
ROOM_NEEDED = 150 * 1024 * 1024  # bytes: an empty cluster with its first log segment, and some air
_SOCKET_PATH_LIMIT = 100  # bytes; the kernel's is 108, 104 on some systems


class EmbeddedError(RuntimeError):
    """A bundled server cannot be started; the message is one sentence for whoever started it."""

    code = "embedded"


class DataFolderInUse(EmbeddedError):
    """Another running instance holds the data folder."""

    code = "data_folder_in_use"


class DataFolderOfAnotherVersion(EmbeddedError):
    """The data folder was written by a version that this one cannot read."""

    code = "data_folder_of_another_version"


class DataFolderNotWritable(EmbeddedError):
    """The data folder cannot be made or written by this user."""

    code = "data_folder_not_writable"


class DiskFull(EmbeddedError):
    """There is no room for the data folder."""

    code = "disk_full"


class ServerFailed(EmbeddedError):
    """A server ended, or did not answer in time."""

    code = "server_failed"


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Where everything of one instance lies under its data folder."""

    root: Path

    @property
    def cluster(self) -> Path:
        return self.root / "postgres"

    @property
    def valkey(self) -> Path:
        return self.root / "valkey"

    @property
    def static(self) -> Path:
        return self.root / "static"

    @property
    def secret_key(self) -> Path:
        return self.root / "secret-key"

    @property
    def sockets(self) -> Path:
        """The folder of the servers' sockets: in the data folder, or, where its path is too long
        for a socket's name, in the system's temporary folder under a name made from the path."""
        inside = self.root / "run"
        if len(os.fsencode(inside / ".s.PGSQL.5432.lock")) <= _SOCKET_PATH_LIMIT:
            return inside
        name = hashlib.sha256(os.fsencode(self.root)).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"{ROLE}-{name}"

    @property
    def database_url(self) -> str:
        return f"postgres://{ROLE}@/{DATABASE}?host={quote(str(self.sockets))}"

    @property
    def redis_url(self) -> str:
        return f"unix://{quote(str(self.sockets / 'valkey.sock'))}?db=0"


def layout_of(data_dir: str | Path) -> Layout:
    """The layout under `data_dir`, made absolute."""
    return Layout(root=Path(data_dir).expanduser().resolve())


@contextlib.contextmanager
def claim(layout: Layout) -> Iterator[None]:
    """Make the data folder and hold it for this process alone; the hold ends with the process.

    Errors: DataFolderNotWritable, DiskFull, DataFolderOfAnotherVersion, DataFolderInUse.
    """
    with explained(layout.root):
        layout.root.mkdir(mode=0o711, parents=True, exist_ok=True)
        if shutil.disk_usage(layout.root).free < ROOM_NEEDED and not layout.cluster.exists():
            raise DiskFull(
                f"The disk of the data folder {layout.root} is full: "
                f"{ROOM_NEEDED // 1024 // 1024} MB are needed."
            )
        lock = (layout.root / "lock").open("a")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise DataFolderInUse(
                f"The data folder {layout.root} is in use by another running instance: "
                "stop that one, or choose another DATA_DIR."
            ) from None
        with explained(layout.root):
            _check_layout(layout)
        yield


def _check_layout(layout: Layout) -> None:
    mark = layout.root / "layout"
    found = mark.read_text().strip() if mark.exists() else LAYOUT
    if found != LAYOUT:
        raise DataFolderOfAnotherVersion(
            f"The data folder {layout.root} has layout {found[:20]!r}, this version needs "
            f"{LAYOUT!r}: run the version that made it, or choose another DATA_DIR."
        )
    version = layout.cluster / "PG_VERSION"
    major = version.read_text().strip() if version.exists() else POSTGRES_MAJOR
    if major != POSTGRES_MAJOR:
        raise DataFolderOfAnotherVersion(
            f"The data folder {layout.root} was made by PostgreSQL {major[:20]}, this version "
            f"needs {POSTGRES_MAJOR}: dump it with the old one and load it, or choose another "
            "DATA_DIR."
        )
    mark.write_text(LAYOUT + "\n")


@contextlib.contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Turn the system's refusals about the data folder into one sentence."""
    try:
        yield
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise DiskFull(f"The disk of the data folder {folder} is full.") from error
        raise DataFolderNotWritable(
            f"The data folder {folder} cannot be used: {error.strerror or error}."
        ) from error
