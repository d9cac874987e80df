"""The Celery application: queues, and what runs by the clock."""

import os
from typing import Any

from celery import Celery
from celery.schedules import crontab
from celery.signals import setup_logging, task_failure, task_postrun, task_prerun, worker_ready
from django.conf import settings
from django_structlog.celery.steps import DjangoStructLogInitStep

from staff import task_log

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("taku")
app.set_default()  # for every thread of every process
app.config_from_object("django.conf:settings", namespace="CELERY")
app.steps["worker"].add(DjangoStructLogInitStep)
app.autodiscover_tasks()

QUEUES = ("sweep", "default", "strategy")
"""`sweep`: clocks, a worker of its own with pool size 1; `strategy`: long computations at low
priority, likewise; `default`: everything else."""


@setup_logging.connect
def _keep_django_logging(**_: Any) -> None:
    """Celery leaves logging as Django configured it."""


@worker_ready.connect
def _compute_what_is_missing(sender: Any, **_: Any) -> None:
    """The strategies' worker begins with what is to be ready before anybody asks."""
    if "strategy" in sender.app.amqp.queues.consume_from:
        app.send_task(COMPUTE_WANTED, queue="strategy", retry=False)


@task_prerun.connect
def _begin(task: Any, **_: Any) -> None:
    task_log.begin(task.name)


@task_postrun.connect
def _end(task: Any, **_: Any) -> None:
    task_log.end(task.name)


@task_failure.connect
def _fail(sender: Any, exception: BaseException, **_: Any) -> None:
    task_log.fail(sender.name, exception)


COMPUTE_WANTED = "tables.compute_wanted_strategies"


def every(
    task: str, seconds: float, queue: str = "default", *args: str, priority: int = 0
) -> dict[str, Any]:
    """A schedule entry. Runs that nobody took in time are dropped: the next one does the work."""
    return {
        "task": task,
        "args": args,
        "schedule": seconds,
        "options": {"queue": queue, "expires": max(5.0, seconds), "priority": priority},
    }


def nightly(task: str, hour: int, queue: str = "default", *args: str) -> dict[str, Any]:
    """A schedule entry for once a day, at that hour in UTC."""
    return {
        "task": task,
        "args": args,
        "schedule": crontab(minute=30, hour=hour),
        "options": {"queue": queue, "expires": 3600.0},
    }


app.conf.beat_schedule = {
    "default-heartbeat": every("config.heartbeat", 5.0, "default", "default"),
    "sweep-heartbeat": every("config.heartbeat", 5.0, "sweep", "sweep"),
    "sweep": every("tables.sweep", settings.SWEEP_EVERY, "sweep"),
    "waves": every("tables.run_wave", settings.WAVE_EVERY, "sweep"),
    "parties": every("tables.keep_parties", settings.PARTIES_EVERY),
    "accounts": every("accounts.forget_expired", 3600.0),
    "corrections": every("ratings.apply_corrections", settings.CORRECTIONS_EVERY),
    "boards": every("ratings.roll_up_boards", settings.BOARDS_EVERY),
    "board_flags": every("ratings.refresh_board", 300.0),
    "seasons": every("ratings.turn_season", 30.0),
    "fair_play": every("ratings.look_at_matches", 60.0, "default", "0.1"),
    "fair_play_missed": nightly("ratings.look_at_matches", 17, "default", "30"),
    "old_ratings": every("ratings.prune", 600.0),
    "rating_runs": every("staff.run_ratings", 10.0),
    "ratings_check": nightly("ratings.nightly_check", hour=18),  # 3 at night in Japan
    # After every message that somebody waits for (0 is the most urgent).
    "strategies": every(COMPUTE_WANTED, 10.0, "strategy", priority=9),
}
