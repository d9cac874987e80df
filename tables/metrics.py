"""What `/metrics` tells of play: live matches, clocks, batches, the queue (Prometheus)."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from django.db import DatabaseError, connection
from prometheus_client import REGISTRY, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

logger = logging.getLogger(__name__)

BATCH_ITEMS = Histogram(
    "taku_batch_items",
    "Items that one transaction wrote.",
    buckets=(1, 2, 5, 10, 20, 50, 100, 200),
)
BATCH_SECONDS = Histogram(
    "taku_batch_seconds",
    "How long such a transaction took.",
    buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5),
)
LATENESS = Histogram(
    "taku_clock_lateness_seconds",
    "How long after its time something due at a match was looked at.",
    buckets=(0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60),
)
BUSY = Counter("taku_batch_busy_items", "Items put back since another process had their match.")

_FIGURES = """
SELECT (SELECT count(*) FROM tables_match WHERE status = 'playing'), count(*),
    coalesce(extract(epoch FROM clock_timestamp() - min(wake_at)), 0)::float8
FROM tables_match WHERE wake_at <= clock_timestamp()
"""

_QUEUE = """
SELECT (SELECT count(*) FROM tables_ticketmember), waiting, matched, missed,
    coalesce(mean_wait, 0), coalesce(mean_spread, 0), seconds, waves, matched_total, failed_builds
FROM tables_queuestate
"""
_QUEUE_GAUGES = (
    ("taku_queue_players", "Players who search for a ranked match or are asked."),
    ("taku_wave_waiting", "Tickets that waited at the last wave."),
    ("taku_wave_matched", "Tickets that it put into groups."),
    ("taku_wave_missed", "Tickets that it left waiting."),
    ("taku_wave_mean_wait_seconds", "Mean wait of those that were put into groups last."),
    ("taku_wave_mean_spread_points", "Mean spread of the groups that were made last."),
    ("taku_wave_seconds", "How long the last wave took."),
    ("taku_queue_waves", "Waves since the queue was first used."),
    ("taku_queue_matched", "Tickets put into groups since then."),
    ("taku_queue_failed_builds", "Ranked matches since then that could not be made."),
)


class StoredFigures(Collector):
    """Figures of the whole service, read from the database when they are asked for."""

    def describe(self) -> list[GaugeMetricFamily]:
        """Nothing: a process that registers this need not have a database yet."""
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Two small queries; none of the gauges while they cannot be made."""
        try:
            with connection.cursor() as cursor:
                cursor.execute(_FIGURES)
                live, due, latest = cursor.fetchone()
                cursor.execute(_QUEUE)
                queue = cursor.fetchone() or (0,) * len(_QUEUE_GAUGES)
        except DatabaseError as error:
            logger.warning("figures could not be read: %s", type(error).__name__)
            return
        yield GaugeMetricFamily("taku_live_matches", "Matches being played.", value=live)
        yield GaugeMetricFamily("taku_due_matches", "Matches at which something is due.", value=due)
        yield GaugeMetricFamily(
            "taku_due_seconds", "For how long the longest due has been waiting.", value=latest
        )
        for (name, help_text), value in zip(_QUEUE_GAUGES, queue, strict=True):
            yield GaugeMetricFamily(name, help_text, value=value)


def register() -> None:
    """Have `/metrics` tell the stored figures; once in a process."""
    REGISTRY.register(StoredFigures())
