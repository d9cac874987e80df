"""Rated matches and boards for tests: players, and ranked matches of them that end."""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID, uuid4

from django.db import transaction

from accounts.models import Player
from ratings import elo, services
from ratings.models import BoardChange, Rating, RatingHead
from ratings.services import Entrant, RatedResult

NOW = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)


def players(count: int) -> list[UUID]:
    """So many new players."""
    made = Player.objects.bulk_create(
        Player(
            display_name=f"Player{number}",
            name_key=f"player{number}",
            tag=uuid4().hex[:8],
            created_at=NOW,
        )
        for number in range(count)
    )
    return [player.pk for player in made]


def finish(
    who: Sequence[UUID],
    places: Sequence[int],
    *,
    parties: Sequence[UUID | None] | None = None,
    decided: Sequence[bool] | None = None,
    at: datetime = NOW,
    match_id: UUID | None = None,
) -> RatedResult:
    """A ranked match of these players, in order of seats, ends."""
    entrants = [
        Entrant(
            player_id=player,
            seat=number + 1,
            place=place,
            party_id=parties[number] if parties else None,
            decided=decided[number] if decided else True,
        )
        for number, (player, place) in enumerate(zip(who, places, strict=True))
    ]
    with transaction.atomic():
        return services.rate_match(
            match_id=match_id or uuid4(), finished_at=at, entrants=entrants, now=at
        )


def listed(
    points: Sequence[float], *, on_board: bool = True, roll_up: bool = True, at: datetime = NOW
) -> list[UUID]:
    """Players with these ratings, on the board of the running season without any match."""
    season = services.running_season(now=at)
    generation = RatingHead.objects.get_or_create(id=1)[0].generation
    who = players(len(points))
    rows = [
        Rating(
            generation=generation,
            season_id=season.number,
            player_id=player,
            rating=round(1000 * rating),
            matches=20,
            peak=round(1000 * rating),
            last_at=at,
            shown=elo.shown(round(1000 * rating)),
            on_board=on_board,
            barred=False,
        )
        for player, rating in zip(who, points, strict=True)
    ]
    Rating.objects.bulk_create(rows)
    BoardChange.objects.bulk_create(
        BoardChange(generation=generation, season_id=season.number, shown=row.shown, change=1)
        for row in rows
        if on_board
    )
    if roll_up:
        services.roll_up_boards()
    return who
