"""The database's clock, the only one that counts."""

from __future__ import annotations

from datetime import datetime

from django.db import connection


def database_now() -> datetime:
    """The time now, not that of the transaction's start."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
        return now
