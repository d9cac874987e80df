"""Deletes rows of generations that are no longer in force."""

from typing import Final

from django.db import connection, transaction

from ratings.locks import Lock, try_lock

_AT_ONCE: Final = 20_000
_OLD_ROWS: Final = """
    DELETE FROM {table} WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM {table}
        WHERE generation < (SELECT generation FROM ratings_ratinghead) LIMIT %s
    ))
"""
# A match's transfers hold until a later generation has some.
_OLD_TRANSFERS: Final = """
    DELETE FROM ratings_matchtransfers WHERE ctid = ANY(ARRAY(
        SELECT old.ctid FROM ratings_matchtransfers AS old
        WHERE EXISTS (
            SELECT 1 FROM ratings_matchtransfers AS later
            WHERE later.seq = old.seq AND later.generation > old.generation
                AND later.generation <= (SELECT generation FROM ratings_ratinghead)
        ) LIMIT %s
    ))
"""
_STATEMENTS: Final = (
    *(
        _OLD_ROWS.format(table=table)
        for table in ("ratings_rating", "ratings_boardcount", "ratings_boardchange")
    ),
    _OLD_TRANSFERS,
)


def prune() -> int:
    """Delete in small steps; how many rows. Nothing while a recomputation runs."""
    total = 0
    for statement in _STATEMENTS:
        deleted = _AT_ONCE
        while deleted == _AT_ONCE:
            with transaction.atomic(), connection.cursor() as cursor:
                if not try_lock(Lock.RECOMPUTE):
                    return total
                cursor.execute(statement, [_AT_ONCE])
                deleted = cursor.rowcount
            total += deleted
    return total
