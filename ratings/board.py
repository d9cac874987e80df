"""Who stands on a leaderboard (ratings.md RT4.2)."""

from datetime import datetime, timedelta
from typing import Final

ACTIVE_FOR: Final = timedelta(days=30)
"""So long after a rated match its players stay on the board."""


def stands_on_board(
    *, matches: int, needed: int, last_at: datetime, barred: bool, now: datetime
) -> bool:
    """Whether a player with so many rated matches this season, the last one then, is listed."""
    return matches >= needed and last_at > now - ACTIVE_FOR and not barred
