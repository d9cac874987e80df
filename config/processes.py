"""The commands of the long-running processes, for the supervisor, tests and containers."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import assert_never

from config.layout import Layout

ROOT = Path(__file__).resolve().parent.parent


class Process(StrEnum):
    """A kind of process; any number of each may run, but one `beat`."""

    WEB = "web"
    SWEEP = "sweep"
    WORKER = "worker"
    STRATEGY = "strategy"
    BEAT = "beat"


def command_of(process: Process, layout: Layout) -> list[str]:
    """The command of a process, to be run in `ROOT`. `web` listens where HOST and PORT say."""
    match process:
        case Process.WEB:
            return [sys.executable, str(ROOT / "manage.py"), "web"]
        case Process.SWEEP:
            return _worker("sweep", "--pool=solo")
        case Process.WORKER:
            return _worker("default", "--pool=solo")
        case Process.STRATEGY:
            return _worker("strategy", "--pool=solo")
        case Process.BEAT:
            return [
                *_celery("beat"),
                f"--schedule={layout.root / 'beat-schedule'}",
                "--pidfile=",
            ]
    assert_never(process)


def environment_of(process: Process) -> dict[str, str]:
    """What the process's environment needs on top of the settings of `.env.example`."""
    match process:
        case Process.WEB:
            return {"PROCESS": "web"}
        case Process.SWEEP | Process.WORKER | Process.STRATEGY:
            return {"PROCESS": "worker", "PYTHONWARNINGS": "ignore:You're running the worker"}
        case Process.BEAT:
            return {"PROCESS": "beat"}
    assert_never(process)


def _celery(command: str) -> list[str]:
    return [sys.executable, "-m", "celery", "--app=config.celery", "--quiet", command]


def _worker(queue: str, *options: str) -> list[str]:
    return [
        *_celery("worker"),
        f"--queues={queue}",
        f"--hostname={queue}@%h",
        "--without-gossip",
        "--without-mingle",
        "--without-heartbeat",
        *options,
    ]
