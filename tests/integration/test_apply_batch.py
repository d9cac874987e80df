"""Matches moved on by the one writer, against the real database."""

import random
from uuid import UUID

import msgspec
import pytest
from django.utils import timezone

from accounts.languages import Language
from accounts.services.players import make_player
from ratings.selectors.ratings import ratings_of
from tables.blackjack.actions import ActionName
from tables.blackjack.events import MatchKind
from tables.blackjack.ruleset import Ruleset
from tables.match_view import MatchView
from tables.models import Match, MatchStatus, MatchStep, Seat
from tables.selectors.matches import Sight, view_of
from tables.services.batch import Decide, Done, apply_one
from tables.services.matches import start_match

pytestmark = pytest.mark.django_db


def guests(count: int) -> list[UUID]:
    return [
        make_player(display_name=None, language=Language.JAPANESE, now=timezone.now()).pk
        for _ in range(count)
    ]


def a_match(count: int = 2, ruleset: Ruleset | None = None) -> tuple[Match, list[UUID]]:
    players = guests(count)
    kind = MatchKind.SOLO if count == 1 else MatchKind.PARTY
    return start_match(kind=kind, ruleset=ruleset or Ruleset(), player_ids=players), players


def play_on(match: Match, players: list[UUID], view: MatchView, dice: random.Random) -> Done:
    """Take a random legal decision for whoever is on turn."""
    turn = view.to_act
    assert turn is not None
    offer = dice.choice(turn.legal)
    amount = dice.randrange(offer.min, offer.max + 1, offer.step) if offer.min else None
    return apply_one(Decide(match.pk, players[turn.seat - 1], offer.action, view.version, amount))


def first_view(match: Match, players: list[UUID]) -> MatchView:
    return apply_one(Decide(match.pk, players[0], ActionName.BET, 0, 10)).view


def test_a_ranked_match_is_rated_as_it_ends() -> None:
    players = guests(2)
    match = start_match(
        kind=MatchKind.RANKED, ruleset=Ruleset(rounds=2, turn_seconds=30), player_ids=players
    )
    dice = random.Random(7)
    view = first_view(match, players)
    while view.to_act is not None:
        view = play_on(match, players, view, dice).view
    ratings = ratings_of(players)
    match.refresh_from_db()
    shown = view_of(Sight(match, match.pk, None, False))
    for result, player in zip(shown.result, players, strict=True):
        assert result.rating_before == "1500.000"
        assert result.rating_after == ratings[player].exact
    assert sum(ratings[player].rating for player in players) == 3_000_000
    finished = msgspec.json.decode(MatchStep.objects.filter(match=match).latest("pk").events)[-1]
    assert finished["result"][0]["rating_after"] == ratings[players[0]].exact


@pytest.mark.parametrize("count", [1, 3])
def test_a_match_is_played_to_its_end(count: int) -> None:
    dice = random.Random(count)
    match, players = a_match(count, Ruleset(rounds=3))
    view = first_view(match, players)
    while view.to_act is not None:
        view = play_on(match, players, view, dice).view
    match.refresh_from_db()
    assert match.status == MatchStatus.FINISHED
    assert match.wake_at is None
    seats = list(Seat.objects.filter(match=match).order_by("number"))
    assert [seat.live for seat in seats] == [False] * count
    assert [seat.chips for seat in seats] == [result.chips for result in view.result]
    events = [
        event
        for step in MatchStep.objects.filter(match=match).order_by("first_seq")
        for event in msgspec.json.decode(step.events)
    ]
    assert [event["seq"] for event in events] == list(range(1, match.seq + 1))
    assert events[-1]["type"] == "match_finished"
    assert match.rounds.count() == 3
