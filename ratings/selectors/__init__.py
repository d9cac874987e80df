"""What there is to read about ratings; the apps above call these names."""

from ratings.selectors.boards import around, distribution, page, ranks_of, standing_of, standings
from ratings.selectors.ratings import (
    match_ratings,
    matches_of,
    matches_since,
    peak_of,
    rating_of,
    ratings_of,
)
from ratings.selectors.seasons import SeasonNotFound, season_that_began, seasons

__all__ = [
    "SeasonNotFound",
    "around",
    "distribution",
    "match_ratings",
    "matches_of",
    "matches_since",
    "page",
    "peak_of",
    "ranks_of",
    "rating_of",
    "ratings_of",
    "season_that_began",
    "seasons",
    "standing_of",
    "standings",
]
