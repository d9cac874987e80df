"""What the one-command start makes from the sources: compiled texts and collected static files."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from django.contrib.staticfiles.finders import get_finders

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
        self._digest = _digest()

    def start(self) -> None:
        """Begin to collect, in a process beside this one, if anything changed."""
        if self._mark.exists() and self._mark.read_text() == self._digest:
            return
        self._process = subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), "collectstatic", "--no-input", "--clear"],
            cwd=ROOT,
            env={**os.environ, "STATIC_MANIFEST": "true"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def finish(self) -> None:
        """Wait for the end of it. Errors: StaticFilesFailed."""
        if self._process is None:
            return
        _, errors = self._process.communicate()
        if self._process.returncode != 0:
            last = errors.decode(errors="replace").strip().splitlines()[-1:] or ["no reason given"]
            raise StaticFilesFailed(f"The static files could not be collected: {last[0]}")
        self._mark.write_text(self._digest)


def _digest() -> str:
    """A digest of the names, sizes and times of all sources."""
    digest = hashlib.sha256(str(ROOT).encode())
    for finder in get_finders():
        for name, storage in finder.list([]):
            file = Path(storage.path(name)).stat()
            digest.update(f"{name}\0{file.st_size}\0{file.st_mtime_ns}\n".encode())
    return digest.hexdigest()
