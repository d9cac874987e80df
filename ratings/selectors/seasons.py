"""What there is to read about seasons."""

from django.db.models import QuerySet

from ratings.models import Season, SeasonStatus


class SeasonNotFound(LookupError):
    """There is no such season, or it has not begun."""

    code = "season_not_found"


def seasons() -> QuerySet[Season]:
    """All seasons, the newest first."""
    return Season.objects.order_by("-number")


def season_that_began(*, number: int) -> Season:
    """A running or finished season. Raises `SeasonNotFound`."""
    season = Season.objects.filter(number=number).exclude(status=SeasonStatus.PLANNED).first()
    if season is None:
        raise SeasonNotFound
    return season
