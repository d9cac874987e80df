"""While no web process lives nobody could be connected, and nobody loses anything by it."""

from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Player
from tables.models import Party
from tables.services import party_upkeep


@pytest.mark.django_db
def test_nothing_is_done_in_an_outage(
    no_web_process: None, players: list[Player], gather: Any, away: Any
) -> None:
    gather(*players[:2])
    away(players[0], 3600)
    party_upkeep.keep_parties(now=timezone.now())
    party = Party.objects.get()
    assert party.host_id == players[0].pk
    assert party.members.count() == 2
