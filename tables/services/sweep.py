"""The sweep: does what is due at every match, and what is left over from dead processes."""

from __future__ import annotations

import logging
import time
from uuid import UUID

from django.db import connection

from tables.selectors.clock import database_now
from tables.services.batch import MatchBusy, Wake, apply_batch
from tables.services.presence import forget_dead_processes, is_attended

logger = logging.getLogger(__name__)

AT_ONCE = 100
LONGEST_SECONDS = 5.0
"""A sweep ends by itself after so long; the next one goes on."""

_DUE = """
SELECT id FROM tables_match
WHERE wake_at <= clock_timestamp() AND NOT id = ANY(%s) ORDER BY wake_at LIMIT %s
"""


def sweep() -> int:
    """Do what is due; gives how many matches were looked at.

    Harmless however many run at once: rows that somebody else holds are left to them, and what
    is done already is not due any more. While no web process is alive nobody could act, so no
    clock is acted on: the outage moves all of them.
    """
    if not is_attended():
        return 0
    woken = 0
    concerned = forget_dead_processes(now=database_now())
    if concerned:
        apply_batch([Wake(match_id) for match_id in concerned])
    until = time.monotonic() + LONGEST_SECONDS
    left_alone: set[UUID] = set()
    while time.monotonic() < until:
        with connection.cursor() as cursor:
            cursor.execute(_DUE, [list(left_alone), AT_ONCE])
            due = [row[0] for row in cursor.fetchall()]
        if not due:
            break
        for match_id, result in zip(due, apply_batch([Wake(m) for m in due]), strict=True):
            if isinstance(result, Exception):
                left_alone.add(match_id)
                if not isinstance(result, MatchBusy):
                    logger.error("match %s could not be woken", match_id, exc_info=result)
        woken += len(due)
    return woken
