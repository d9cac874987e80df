"""The shoes of a stored match, as everybody may check them (docs/fairness.md)."""

import random

import pytest
from django.utils import timezone

from accounts.languages import Language
from accounts.services.players import make_player
from tables.blackjack.actions import ActionName
from tables.blackjack.cards import packs
from tables.blackjack.events import MatchKind
from tables.blackjack.ruleset import Ruleset
from tables.blackjack.shuffle import commitment, shuffled
from tables.selectors.matches import shoes_of
from tables.services.batch import Decide, apply_one
from tables.services.matches import start_match

pytestmark = pytest.mark.django_db


def test_a_stored_match_deals_what_its_commitments_promised() -> None:
    dice = random.Random(6)
    player = make_player(display_name=None, language=Language.JAPANESE, now=timezone.now()).pk
    ruleset = Ruleset(decks=1, rounds=12)
    match = start_match(kind=MatchKind.SOLO, ruleset=ruleset, player_ids=[player])
    view = apply_one(Decide(match.pk, player, ActionName.BET, 0, 10)).view
    (promised,) = shoes_of(match)
    assert (promised.seed, promised.cards) == (None, None)
    while view.to_act is not None:
        offer = dice.choice(view.to_act.legal)
        view = apply_one(
            Decide(match.pk, player, offer.action, view.version, 10 if offer.min else None)
        ).view
    match.refresh_from_db()
    records = shoes_of(match)
    assert len(records) > 1
    assert records[0].commitment == promised.commitment
    for record in records:
        seed = bytes.fromhex(record.seed)
        assert commitment(seed) == record.commitment
        order = shuffled(seed, record.refill or packs(1))
        assert tuple(order[: len(record.cards)]) == record.cards
