"""Playing matches in tests, straight through the one writer."""

import random
from collections.abc import Iterator
from uuid import UUID

from django.utils import timezone

from accounts.languages import Language
from accounts.services.players import make_player
from tables.blackjack.events import MatchKind
from tables.blackjack.ruleset import Ruleset
from tables.match_view import MatchView
from tables.models import Match
from tables.selectors.matches import sight_of, view_of
from tables.services.batch import Decide, apply_one
from tables.services.matches import start_match


def guests(count: int) -> list[UUID]:
    """New players."""
    return [
        make_player(display_name=None, language=Language.JAPANESE, now=timezone.now()).pk
        for _ in range(count)
    ]


def a_match(players: list[UUID], *, kind: MatchKind | None = None, **rules: object) -> Match:
    """A match that has just begun."""
    default = MatchKind.SOLO if len(players) == 1 else MatchKind.PARTY
    return start_match(kind=kind or default, ruleset=Ruleset(**rules), player_ids=players)


def view_now(match: Match, player: UUID | None = None) -> MatchView:
    """The match as one of its players sees it."""
    viewer = player or match.seats.order_by("number").first().player_id
    return view_of(sight_of(match_id=match.pk, viewer_id=viewer))


def decide(match: Match, view: MatchView, dice: random.Random) -> MatchView:
    """Take a random legal decision for whoever is on turn; gives the view after it."""
    turn = view.to_act
    offer = dice.choice(turn.legal)
    amount = dice.randrange(offer.min, offer.max + 1, offer.step) if offer.min else None
    player = UUID(view.seats[turn.seat - 1].player.id)
    return apply_one(Decide(match.pk, player, offer.action, view.version, amount)).view


def played(match: Match, dice: random.Random) -> Iterator[MatchView]:
    """Play a match to its end; gives every view on the way."""
    view = view_now(match)
    while view.to_act is not None:
        view = decide(match, view, dice)
        yield view


def play_to_the_end(match: Match, seed: int = 0) -> Match:
    """Play a match with random decisions; gives it as it is stored."""
    for _ in played(match, random.Random(seed)):
        pass
    match.refresh_from_db()
    return match
