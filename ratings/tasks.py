"""What happens to ratings by the clock; every task is harmless when it is doubled or missed."""

import logging
from datetime import timedelta

from celery import shared_task
from django.conf import settings
from django.utils import timezone
from prometheus_client import Counter, Gauge

from ratings.services import look_at_matches, refresh_board, roll_up_boards, turn_season
from ratings.services.checks import check
from ratings.services.generations import RecomputeRunning, apply_corrections, recompute
from ratings.services.pruning import prune

logger = logging.getLogger(__name__)

DIFFERING = Gauge(
    "ratings_differing_players", "Players whose live rating differed from the nightly replay."
)
GENERATIONS = Counter("ratings_generations", "Generations of ratings that came into force.")


@shared_task(name="ratings.apply_corrections")
def apply_corrections_task() -> None:
    """Let voided and restored matches show (RT3.1)."""
    if apply_corrections(now=timezone.now()) is not None:
        GENERATIONS.inc()


@shared_task(name="ratings.roll_up_boards")
def roll_up_boards_task() -> None:
    """Add appended changes to the boards' counts."""
    roll_up_boards()


@shared_task(name="ratings.refresh_board")
def refresh_board_task() -> None:
    """Put who is on the board (RT4.2)."""
    refresh_board(now=timezone.now())


@shared_task(name="ratings.turn_season")
def turn_season_task() -> None:
    """Change the season when its end has come (RT3.4)."""
    turn_season(now=timezone.now())


@shared_task(name="ratings.look_at_matches")
def look_at_matches_task(hours: str) -> None:
    """Flag for staff who seems to play their own accounts against each other."""
    now = timezone.now()
    look_at_matches(finished_after=now - timedelta(hours=float(hours)), now=now)


@shared_task(name="ratings.prune")
def prune_task() -> None:
    """Delete what no reader can see any more."""
    prune()


@shared_task(name="ratings.nightly_check")
def nightly_check_task() -> None:
    """Compare the live ratings with a replay, and repair them where that is wanted (RT3.2)."""
    report = check(now=timezone.now())
    DIFFERING.set(report.differing)
    if not report.differs:
        return
    logger.error(
        "ratings differ from their replay: %s players, by at most %s thousandths; %s counts; "
        "transfers of %s matches",
        report.differing,
        report.largest_difference,
        report.differing_counts,
        report.differing_transfers,
    )
    if settings.RATINGS_REPAIR:
        try:
            recompute(now=timezone.now())
            GENERATIONS.inc()
        except RecomputeRunning:
            logger.warning("ratings are being recomputed already")
