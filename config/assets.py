"""What the one-command start makes from the sources: compiled texts and collected static files."""

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from django.contrib.staticfiles.finders import get_finders

from config.embedded import tether
from config.layout import Layout
from config.processes import ROOT


def compile_messages(locale: Path) -> int:
    """Compile every .po under `locale` that is newer than its .mo. Returns how many."""
    compiled = 0
    for source in sorted(locale.glob("*/LC_MESSAGES/*.po")):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        with source.open("rb") as file:
            catalog = read_po(file)
        fresh = target.with_suffix(f".mo.{os.getpid()}")
        with fresh.open("wb") as file:
            write_mo(file, catalog)
        fresh.replace(target)  # two instances may do this at once
        compiled += 1
    return compiled


class StaticFilesFailed(RuntimeError):
    """`collectstatic` failed; the message is its last line."""

    code = "static_files_failed"


class StaticFiles:
    """The collected static files of one data folder, made again only when a source changed."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._mark = layout.root / "static-digest"
        self._process: subprocess.Popen[bytes] | None = None
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by close)
        self._digest = _digest()

    def start(self) -> None:
        """Begin to collect, in a process beside this one, if anything changed."""
        if self._mark.exists() and self._mark.read_text() == self._digest:
            return
        self._mark.unlink(missing_ok=True)
        self._process = subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), "collectstatic", "--no-input", "--clear"],
            cwd=ROOT,
            env={**os.environ, "STATIC_MANIFEST": "true"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            start_new_session=True,
            preexec_fn=tether(signal.SIGKILL),
        )

    def are_ready(self) -> bool:
        """Whether nothing is left to collect. Errors: StaticFilesFailed."""
        if self._process is None:
            return True
        if self._process.poll() is None:
            return False
        if self._process.returncode != 0:
            self._errors.seek(0)
            lines = self._errors.read().decode(errors="replace").strip().splitlines()
            reason = lines[-1] if lines else f"exit code {self._process.returncode}"
            raise StaticFilesFailed(f"The static files could not be collected: {reason}")
        self._mark.write_text(self._digest)
        self.close()
        return True

    def close(self) -> None:
        """End it, finished or not."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
        self._errors.close()


def _digest() -> str:
    """A digest of the names, sizes and times of all sources."""
    digest = hashlib.sha256(str(ROOT).encode())
    digest.update((ROOT / "config" / "static.py").read_bytes())  # says how they are collected
    for finder in get_finders():
        for name, storage in finder.list([]):
            file = Path(storage.path(name)).stat()
            digest.update(f"{name}\0{file.st_size}\0{file.st_mtime_ns}\n".encode())
    return digest.hexdigest()
