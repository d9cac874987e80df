"""What changes ratings; the apps above call these names."""

from ratings.locks import RatingsBusy, share_ratings
from ratings.services.boards import refresh_board, roll_up_boards
from ratings.services.corrections import restore_match, void_match
from ratings.services.fair_play import flag_networks, look_at_matches
from ratings.services.rating import Entrant, NotRateable, RatedResult, rate_match
from ratings.services.seasons import (
    change_season,
    end_season,
    plan_season,
    running_season,
    turn_season,
)

__all__ = [
    "Entrant",
    "NotRateable",
    "RatedResult",
    "RatingsBusy",
    "change_season",
    "end_season",
    "flag_networks",
    "look_at_matches",
    "plan_season",
    "rate_match",
    "refresh_board",
    "restore_match",
    "roll_up_boards",
    "running_season",
    "share_ratings",
    "turn_season",
    "void_match",
]
