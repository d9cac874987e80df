"""The advisory locks of ratings (ratings.md RT2.6, RT3.2), held until the transaction ends."""

from enum import IntEnum
from typing import Final

from django.db import OperationalError, connection
from psycopg.errors import LockNotAvailable

PATIENCE_MS: Final = 500
"""How long a finishing match waits for any lock of ratings."""


class Lock(IntEnum):
    """The keys of PostgreSQL's advisory locks that ratings use."""

    RATINGS = 7_267_001
    RECOMPUTE = 7_267_002
    ROLL_UP = 7_267_003


class RatingsBusy(Exception):
    """The locks under which a match is rated were not to be had in time; try again."""

    code = "ratings_busy"


def share_ratings() -> None:
    """Hold off a switch of generation or season until the transaction ends. From here on it waits
    for no lock longer than `PATIENCE_MS`. Raises `RatingsBusy`: the transaction is void then."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{PATIENCE_MS}ms"])
        try:
            cursor.execute("SELECT pg_advisory_xact_lock_shared(%s)", [Lock.RATINGS])
        except OperationalError as error:
            raise busy(error) from error


def own_ratings() -> None:
    """Wait until no match is being rated, and hold off the next until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [Lock.RATINGS])


def try_lock(lock: Lock) -> bool:
    """Take a lock until the transaction ends, unless somebody else holds it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [lock])
        return bool(cursor.fetchone()[0])


def busy(error: OperationalError) -> Exception:
    """`RatingsBusy` where a lock's wait ran out, else the error itself."""
    return RatingsBusy() if isinstance(error.__cause__, LockNotAvailable) else error
