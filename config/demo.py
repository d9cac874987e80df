"""Demo content for an empty board alone: players, matches, a party and a report."""

import random
from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID, uuid4

from django.utils import timezone

from accounts.languages import Language
from accounts.models import Player
from accounts.services.devices import add_device
from accounts.services.players import make_player
from tables.blackjack.events import MatchKind
from tables.blackjack.ruleset import Ruleset
from tables.models import Match, ReportReason
from tables.selectors.matches import sight_of, view_of
from tables.services.batch import Decide, apply_one
from tables.services.matches import start_match
from tables.services.parties import create_party
from tables.services.reports import report

NAMES: Final = (
    *("さくら", "Taro", "みなと", "Hana", "ゆき", "Ken", "あおい", "Mika"),
    *("そら", "Jun", "ひなた", "Emi"),
)
RANKED_MATCHES: Final = 60
"""So many that most of the players have played the 20 that a board asks for."""
ROUNDS: Final = 2


class NotEmpty(Exception):
    """There are players already: a real board never gets demo content."""


def fill(*, seed: int = 1) -> None:
    """Make players and have them play, all through the services. Raises `NotEmpty`."""
    if Player.objects.exists():
        raise NotEmpty
    dice = random.Random(seed)  # noqa: S311  (no secret)
    now = timezone.now()
    players = []
    for name in NAMES:
        player = make_player(display_name=name, language=Language.JAPANESE, now=now)
        since = now - timedelta(days=dice.randrange(4, 60))
        add_device(player=player, browser=uuid4(), label="Firefox, Linux", now=since)
        players.append(player.pk)
    for number in range(RANKED_MATCHES):
        table = [
            players[(number * 5 + seat * (1 + number % 3)) % len(players)] for seat in range(4)
        ]
        _play(list(dict.fromkeys(table)), MatchKind.RANKED, dice)
    last = _play(players[:3], MatchKind.PARTY, dice)
    _play(players[:1], MatchKind.SOLO, dice)
    create_party(player_id=players[4], now=now)
    report(
        reporter_id=players[1],
        player_id=players[2],
        match_id=last,
        reason=ReportReason.STALLING,
        text="毎回待たされました。",
        now=now,
    )


def _play(players: Sequence[UUID], kind: MatchKind, dice: random.Random) -> UUID:
    """Play a match to its end with decisions by chance."""
    rules = Ruleset(rounds=ROUNDS, turn_seconds=30)
    match: Match = start_match(player_ids=list(players), kind=kind, ruleset=rules)
    view = view_of(sight_of(match_id=match.pk, viewer_id=players[0]))
    while view.to_act is not None:
        turn = view.to_act
        offer = dice.choice(turn.legal)
        amount = None
        if offer.min is not None and offer.max is not None:
            amount = dice.randrange(offer.min, min(offer.max, 200) + 1, offer.step or 1)
        seated = view.seats[turn.seat - 1].player
        decision = Decide(match.pk, UUID(seated.id), offer.action, view.version, amount)
        after = apply_one(decision).view
        if after is None:
            break
        view = after
    return match.pk
