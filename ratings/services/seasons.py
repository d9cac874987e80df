"""The running season, and the change to the next one (ratings.md RT3.4)."""

from datetime import datetime, timedelta
from functools import partial
from typing import Final

from django.db import IntegrityError, connection, transaction

from accounts.models import NoticeKind
from accounts.services.notices import tell_many
from ratings import elo
from ratings.board import ACTIVE_FOR
from ratings.locks import own_ratings
from ratings.models import Rating, RatingHead, Season, SeasonStatus

REPEATED_WITHIN: Final = timedelta(days=1)
"""Whoever asks again so soon after a change of season asks for that same change."""


class SeasonHasBegun(Exception):
    """A season's numbers may be changed only before it begins."""

    code = "season_has_begun"


def next_seq() -> int:
    """The next number of the rating sequence. Call it under the RATINGS lock, with the rating
    rows that the entry concerns locked, so that numbers follow the order of commits."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval('rating_sequence')")
        return int(cursor.fetchone()[0])


def running_season(*, now: datetime) -> Season:
    """The season that runs; the first one begins when it is first asked for."""
    season = Season.objects.filter(status=SeasonStatus.RUNNING).first()
    if season is not None:
        return season
    try:
        with transaction.atomic():
            RatingHead.objects.get_or_create(id=1)
            return Season.objects.create(
                number=1, status=SeasonStatus.RUNNING, starts_at=now, opened_seq=next_seq()
            )
    except IntegrityError:
        return Season.objects.get(status=SeasonStatus.RUNNING)


def plan_season(
    *,
    starts_at: datetime,
    ends_at: datetime | None,
    pace: elo.Pace,
    now: datetime,
) -> Season:
    """Plan the season after the last one, or plan it anew. Raises `SeasonHasBegun` for a start in
    the past."""
    if starts_at <= now:
        raise SeasonHasBegun
    with transaction.atomic():
        running = running_season(now=now)
        season, _ = Season.objects.update_or_create(
            number=running.number + 1,
            status=SeasonStatus.PLANNED,
            defaults={
                "starts_at": starts_at,
                "ends_at": ends_at,
                "k": pace.k,
                "provisional_k": pace.provisional_k,
                "provisional_matches": pace.provisional_matches,
            },
        )
        Season.objects.filter(pk=running.pk).update(ends_at=starts_at)
        return season


def change_season(*, now: datetime, closing: int | None = None) -> Season:
    """End the running season and begin the next, with the numbers planned for it or those of the
    last. With `closing`, only if that season runs: asked twice, it changes once. Safe while
    matches finish: each belongs to the season in which it is rated."""
    with transaction.atomic():
        own_ratings()
        running = running_season(now=now)
        if closing is not None and running.number != closing:
            return running
        running.status = SeasonStatus.FINISHED
        running.ends_at = max(now, running.starts_at)
        running.save(update_fields=["status", "ends_at"])
        upcoming = Season.objects.filter(number=running.number + 1).first() or Season(
            number=running.number + 1,
            k=running.k,
            provisional_k=running.provisional_k,
            provisional_matches=running.provisional_matches,
        )
        upcoming.status = SeasonStatus.RUNNING
        upcoming.starts_at = now
        upcoming.opened_seq = next_seq()
        upcoming.save()
        told = partial(_tell_of_new_season, ended=running.number, now=now)
        transaction.on_commit(told, robust=True)
    upcoming.surplus = record_surplus(number=upcoming.number)
    return upcoming


def end_season(*, now: datetime) -> Season:
    """End the running season, whichever it is, and give the one that runs then. Asked again, even
    at the same moment, it changes nothing: a season that began by a change less than
    `REPEATED_WITHIN` ago is ended by its number alone (`change_season`)."""
    running = running_season(now=now)
    if running.number > 1 and now - running.starts_at < REPEATED_WITHIN:
        return running
    return change_season(now=now, closing=running.number)


def _tell_of_new_season(*, ended: int, now: datetime) -> None:
    """Leave a notice for whoever was active at the end of the season before."""
    active = Rating.objects.filter(
        generation=RatingHead.objects.get().generation,
        season__number=ended,
        last_at__gt=now - ACTIVE_FOR,
        player__deleted_at__isnull=True,
    )
    tell_many(
        player_ids=active.values_list("player_id", flat=True).iterator(),
        kind=NoticeKind.SEASON,
        now=now,
    )


def turn_season(*, now: datetime) -> Season | None:
    """Change the season if the running one's end has come; the new one, or None."""
    running = running_season(now=now)
    if running.ends_at is None or running.ends_at > now:
        return None
    season = change_season(now=now, closing=running.number)
    return season if season.number != running.number else None


_CARRIED = """
    SELECT DISTINCT ON (player_id) season_id, rating FROM ratings_rating
    WHERE generation = (SELECT generation FROM ratings_ratinghead) AND season_id < %s
    ORDER BY player_id, season_id DESC
"""


def record_surplus(*, number: int) -> int:
    """Store how far the move into a season took the sum of all ratings from 1500 each, in
    thousandths. What it reads no longer changes, so this may come after the change."""
    surplus = 0
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_CARRIED, [number])
        for season, rating in cursor:
            surplus += elo.carried(rating, number - season) - elo.START
    Season.objects.filter(number=number).update(surplus=surplus)
    return surplus
