"""What `/metrics` tells of play: live matches, how late clocks are, batches (Prometheus)."""

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


class StoredFigures(Collector):
    """Figures of the whole service, read from the database when they are asked for."""

    def describe(self) -> list[GaugeMetricFamily]:
        """Nothing: a process that registers this need not have a database yet."""
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """One query over two partial indexes; none of the gauges while it cannot be made."""
        try:
            with connection.cursor() as cursor:
                cursor.execute(_FIGURES)
                live, due, latest = cursor.fetchone()
        except DatabaseError as error:
            logger.warning("figures could not be read: %s", type(error).__name__)
            return
        yield GaugeMetricFamily("taku_live_matches", "Matches being played.", value=live)
        yield GaugeMetricFamily("taku_due_matches", "Matches at which something is due.", value=due)
        yield GaugeMetricFamily(
            "taku_due_seconds", "For how long the longest due has been waiting.", value=latest
        )


def register() -> None:
    """Have `/metrics` tell the stored figures; once in a process."""
    REGISTRY.register(StoredFigures())
