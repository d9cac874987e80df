"""What staff do to ratings and seasons: runs that are watched, and the change of season."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from ratings import elo
from ratings import services as ratings
from ratings.locks import own_ratings
from ratings.services.checks import check
from ratings.services.generations import recompute
from staff.models import Kind, RatingRun, RunKind, RunState, StaffAction
from staff.services.orders import Change, NothingToDo, Order, carry_out

logger = logging.getLogger(__name__)

RUN_TASK: Final = "staff.run_ratings"
_RUNNER_LOCK: Final = 7_268_001


def start_run(order: Order, *, kind: RunKind, send: Callable[[], object]) -> StaffAction:
    """Have ratings checked or recomputed by a worker; `send` hurries it.

    Raises `NothingToDo` while one of this kind waits or runs.
    """
    recorded = Kind.CHECK_RATINGS if kind is RunKind.CHECK else Kind.RECOMPUTE_RATINGS

    def change(_: str) -> Change:
        try:
            with transaction.atomic():
                run = RatingRun.objects.create(kind=kind, asked_at=order.now)
        except IntegrityError as unfinished:
            raise NothingToDo from unfinished
        transaction.on_commit(send)
        return Change(target=str(run.pk), after={"run": str(run.pk)})

    return carry_out(order, recorded, change)


def run_waiting() -> int:
    """Do every run that waits, one after the other, and those that a killed worker left; gives how
    many. Does nothing while another worker is at it."""
    with _alone() as alone:
        if not alone:
            return 0
        done = 0
        unfinished = RatingRun.objects.filter(state__in=(RunState.WAITING, RunState.RUNNING))
        while (run := unfinished.order_by("id").first()) is not None:
            _run(run)
            done += 1
        return done


def plan_season(
    order: Order, *, starts_at: datetime, ends_at: datetime | None, pace: elo.Pace
) -> StaffAction:
    """Plan the next season with its numbers, or plan it anew. Raises `SeasonHasBegun`."""

    def change(_: str) -> Change:
        season = ratings.plan_season(starts_at=starts_at, ends_at=ends_at, pace=pace, now=order.now)
        return Change(
            target=f"season {season.number}",
            after={
                "starts_at": starts_at.isoformat(),
                "ends_at": None if ends_at is None else ends_at.isoformat(),
                **asdict(pace),
            },
        )

    return carry_out(order, Kind.PLAN_SEASON, change)


def change_season(order: Order, *, closing: int) -> StaffAction:
    """End the season with this number, if it runs, and begin the next. Raises `NothingToDo`."""

    def change(_: str) -> Change:
        own_ratings()
        if ratings.running_season(now=order.now).number != closing:
            raise NothingToDo
        season = ratings.change_season(now=order.now, closing=closing)
        return Change(
            target=f"season {season.number}",
            before={"season": closing},
            after={"season": season.number},
        )

    return carry_out(order, Kind.CHANGE_SEASON, change)


@contextmanager
def _alone() -> Iterator[bool]:
    """Hold the one lock of whoever does runs, as long as this session lives."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [_RUNNER_LOCK])
        alone = bool(cursor.fetchone()[0])
    try:
        yield alone
    finally:
        if alone:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [_RUNNER_LOCK])


def _run(run: RatingRun) -> None:
    RatingRun.objects.filter(pk=run.pk).update(
        state=RunState.RUNNING, began_at=timezone.now(), progress=""
    )
    # What a run tells is stored by another session: its own transaction shows nothing till the end.
    with ThreadPoolExecutor(max_workers=1) as writer:

        def tell(text: str) -> None:
            writer.submit(_note_progress, run.pk, text).result()

        try:
            result = _result_of(RunKind(run.kind), tell)
            state = RunState.DONE
        except Exception as error:
            logger.exception("a rating run failed")
            result, state = {"error": type(error).__name__}, RunState.FAILED
    RatingRun.objects.filter(pk=run.pk).update(state=state, result=result, ended_at=timezone.now())


def _result_of(kind: RunKind, tell: Callable[[str], None]) -> dict[str, Any]:
    match kind:
        case RunKind.CHECK:
            report = check(now=timezone.now(), tell=tell)
            return {
                "matches": report.matches,
                "players": report.players,
                "differing": report.differing,
                "differing_counts": report.differing_counts,
                "differing_transfers": report.differing_transfers,
            }
        case RunKind.RECOMPUTE:
            made = recompute(now=timezone.now(), tell=tell)
            return {
                "matches": made.matches,
                "players": made.players,
                "generation": made.generation,
            }


def _note_progress(run_id: UUID, text: str) -> None:
    try:
        RatingRun.objects.filter(pk=run_id).update(progress=text[:200])
    finally:
        connection.close()
