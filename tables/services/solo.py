"""Starting alone against the dealer."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from django.db import transaction

from tables.blackjack.events import MatchKind
from tables.blackjack.ruleset import Ruleset, ruleset_of
from tables.selectors.matches import Sight
from tables.services.matches import start_match
from tables.services.visits import visit


def start_alone(*, player_id: UUID, rules: Mapping[str, object]) -> Sight:
    """Begin a match alone under the defaults with some rules changed, and sit down at it.

    Raises RulesetError, or InMatch where the player has another live match.
    """
    return sit_down_alone(player_id=player_id, ruleset=ruleset_of(rules))


@transaction.atomic
def sit_down_alone(*, player_id: UUID, ruleset: Ruleset) -> Sight:
    """Begin a match alone, with its player connected to it. Raises InMatch."""
    match = start_match(kind=MatchKind.SOLO, ruleset=ruleset, player_ids=[player_id])
    return visit(match_id=match.pk, viewer_id=player_id)
