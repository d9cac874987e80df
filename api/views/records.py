"""The pages about what was played: they say what the API says, and need no script for it."""

import contextlib
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from rest_framework.exceptions import NotAuthenticated, ValidationError
from rest_framework.request import Request

from accounts.selectors import PlayerNotFound, is_blocked
from api.page_answers import not_found_page, page, render_page
from api.pagination import BadCursor
from api.rating_chart import RatingChart, RatingPoint, rating_chart
from api.rating_serializers import SeasonSerializer, point_as_mapping
from api.views.history import matches_shown
from api.views.leaderboard import board_shown, season_of, standing_shown
from api.views.players import profile_shown
from api.views.statistics import statistics_shown
from api.visitors import Visitor
from ratings import selectors as ratings
from ratings.models import SeasonStatus
from tables.models import MatchKind, MatchStatus, Outcome
from tables.selectors.matches import MatchNotFound, shoes_of, sight_of

BOARD_LINES: Final = 50
SEASONS_SHOWN: Final = 12
CHARTED: Final = 1000
"""So many rated matches, the latest, are looked at for a profile's graph."""
LISTED: Final = 20
"""So many of them stand in the table beside the graph."""


@page
def profile(request: HttpRequest, visitor: Visitor, player_id: UUID) -> HttpResponse:
    """`/players/ID/`: rating, results and figures of a player."""
    try:
        player = profile_shown(player_id)
        matches = matches_shown(Request(request), player_id=player_id, viewer_id=None)
    except PlayerNotFound:
        return not_found_page(request, visitor)
    except (BadCursor, ValidationError):
        return redirect("player", player_id=player_id)
    rated = [
        point_as_mapping(player_id, match) for match in ratings.matches_of(player_id, most=CHARTED)
    ]
    chart = rating_chart(_points(rated)) if rated else None
    statistics = statistics_shown(player_id)
    viewer_id = None if visitor.player is None else visitor.player.pk
    return render_page(
        request,
        visitor,
        "profile",
        shown=player,
        own=viewer_id == player_id,
        data={"about": _about(visitor, player, request.GET.get("match"))},
        chart=chart,
        readings=[] if chart is None else _readings(chart, rated[::-1]),
        charted=len(rated),
        rated=rated[:LISTED],
        statistics=statistics,
        hands=_hands(statistics["hands"]),
        matches=matches,
        hide_ratings=visitor.preferences.hide_ratings,
    )


def _about(visitor: Visitor, shown: dict[str, Any], match: str | None) -> dict[str, Any] | None:
    """What blocking and reporting need to know: whom, and in which match the reader met them, if
    the address says one. None where there is nothing to block: nobody reads, or it is oneself."""
    viewer, player_id = visitor.player, UUID(shown["id"])
    if viewer is None or viewer.pk == player_id or shown["deleted"]:
        return None
    with contextlib.suppress(TypeError, ValueError, AttributeError):
        match = str(UUID(match))
    return {
        "player": str(player_id),
        "name": shown["display_name"],
        "blocked": is_blocked(blocker_id=viewer.pk, player_id=player_id),
        "match": match,
    }


def _hands(by_outcome: dict[str, int]) -> dict[str, int]:
    """Every hand is one of these three to a reader, whatever made it so."""
    return {
        "won": by_outcome["win"] + by_outcome["blackjack"],
        "drawn": by_outcome["push"],
        "lost": by_outcome["lose"] + by_outcome["bust"] + by_outcome["surrender"],
    }


def _points(newest_first: list[dict[str, Any]]) -> list[RatingPoint]:
    return [
        RatingPoint(
            season=point["season"],
            before=float(point["rating_before"]),
            after=float(point["rating_after"]),
        )
        for point in reversed(newest_first)
    ]


def _readings(chart: RatingChart, earliest_first: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What each stop of the graph says to who moves along it."""
    return [
        {
            "x": x,
            "at": earliest_first[number]["at"],
            "rating": float(earliest_first[number]["rating_after"]),
            "change": float(earliest_first[number]["change"]),
        }
        for number, x in chart.stops
    ]


@page
def ranking(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """`/ranking/`: the leaderboard of a season, and where one stands on it."""
    asked, now = Request(request), timezone.now()
    viewer_id = None if visitor.player is None else visitor.player.pk
    try:
        season = season_of(asked)
        board = board_shown(asked, viewer_id=viewer_id, usual=BOARD_LINES)
    except BadCursor:
        return redirect("ranking")
    except (NotAuthenticated, ValidationError, ratings.SeasonNotFound):
        return not_found_page(request, visitor)
    return render_page(
        request,
        visitor,
        "ranking",
        board=board,
        season=season,
        seasons=_seasons(),
        around="around" in request.GET,
        own=viewer_id and _standing(viewer_id, now, season),
        now=now,
        viewer_id=str(viewer_id),
        hide_ratings=visitor.preferences.hide_ratings,
    )


def _standing(player_id: UUID, now: datetime, season: int | None) -> dict[str, Any]:
    standing = standing_shown(player_id, now=now, season=season)
    missing = [one | {"left": one["need"] - one["have"]} for one in standing["missing"]]
    return standing | {"missing": missing}


def _seasons() -> list[Any]:
    begun = ratings.seasons().exclude(status=SeasonStatus.PLANNED)[:SEASONS_SHOWN]
    return [SeasonSerializer(season).data for season in begun]


@page
def history(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """`/history/`: one's own matches, the latest first, with filters."""
    player = visitor.player
    matches, refused = None, False
    if player is not None:
        try:
            matches = matches_shown(Request(request), player_id=player.pk, viewer_id=player.pk)
        except BadCursor:
            return redirect("history")
        except ValidationError:
            refused = True
    return render_page(
        request,
        visitor,
        "history",
        status=400 if refused else 200,
        matches=matches,
        refused=refused,
        filtered=any(request.GET.get(name) for name in ("kind", "result", "from", "to")),
        kinds=MatchKind.values,
        outcomes=Outcome.values,
        asked=request.GET,
        earliest=request.GET.get("from", ""),
        player=player and str(player.pk),
        hide_ratings=visitor.preferences.hide_ratings,
    )


@page
def verify(request: HttpRequest, visitor: Visitor, match_id: UUID) -> HttpResponse:
    """`/m/ID/verify/`: whether the cards were dealt as promised (docs/fairness.md)."""
    viewer_id = None if visitor.player is None else visitor.player.pk
    try:
        sight = sight_of(match_id=match_id, viewer_id=viewer_id)
    except MatchNotFound:
        return not_found_page(request, visitor)
    status = sight.match.status
    return render_page(
        request,
        visitor,
        "verify",
        data={"match": {"id": str(sight.shown_id), "status": status}},
        match_id=sight.shown_id,
        over=status != MatchStatus.PLAYING,
        shoes=shoes_of(sight.match),
    )
