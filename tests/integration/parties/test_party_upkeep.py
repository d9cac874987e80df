"""Members who go away: what the others see, whose the host's role is then, and who is removed."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Player
from tables.models import Party
from tables.selectors.parties import party_view
from tables.services import parties, party_upkeep

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("a_web_process")]


def keep(after: float = 0) -> None:
    party_upkeep.keep_parties(now=timezone.now() + timedelta(seconds=after))


def people(party: Party) -> tuple[str, dict[str, bool]]:
    """The host, and the members with whether they are connected."""
    view = party_view(Party.objects.get(pk=party.pk))
    return view.host.display_name, {
        member.player.display_name: member.connected for member in view.members
    }


def test_a_host_away_for_thirty_seconds_is_host_no_longer(
    players: list[Player], gather: Any, away: Any
) -> None:
    party = gather(*players[:3])
    away(players[0], 28)
    keep()
    assert people(party)[0] == "Aki"
    away(players[0], 30)
    away(players[1], 1)
    keep()
    assert people(party) == ("Chika", {"Aki": False, "Ben": False, "Chika": True})
    assert Party.objects.get().version == 4
    keep()
    assert Party.objects.get().version == 4


def test_a_host_with_nobody_connected_beside_keeps_the_role_until_somebody_is(
    players: list[Player], gather: Any, away: Any, here: Any
) -> None:
    party = gather(*players[:2])
    away(players[0], 90)
    away(players[1], 90)
    keep()
    assert people(party)[0] == "Aki"
    here(players[1])
    keep()
    assert people(party)[0] == "Ben"


def test_a_host_who_asks_by_rest_stays_host(players: list[Player], gather: Any, away: Any) -> None:
    party = gather(*players[:2])
    away(players[0], 90)
    party_upkeep.see_member(party=party, player_id=players[0].pk)
    keep()
    assert people(party) == ("Aki", {"Aki": True, "Ben": True})


def test_a_member_away_for_ten_minutes_is_removed(
    players: list[Player], gather: Any, away: Any, listen: Any
) -> None:
    party = gather(*players[:3])
    away(players[2], 590)
    keep()
    assert "Chika" in people(party)[1]
    away(players[2], 600)
    with listen() as inbox:
        keep()
    assert people(party)[1] == {"Aki": True, "Ben": True}
    assert inbox[players[2].pk] == [{"type": "party", "party": None, "reason": "left"}]
    assert len(inbox[players[0].pk]) == 1


def test_a_member_who_was_removed_for_absence_may_come_back(
    players: list[Player], gather: Any, away: Any, now: datetime
) -> None:
    party = gather(*players[:2])
    away(players[1], 700)
    keep()
    parties.join_party(code=party.code, player_id=players[1].pk, now=now)
    keep()
    assert people(party)[1] == {"Aki": True, "Ben": True}


def test_nobody_is_removed_during_a_match_and_its_time_does_not_count(
    players: list[Player], gather: Any, away: Any, play: Any, end: Any
) -> None:
    party = gather(*players[:2])
    match = play(*players[:2], party=party)
    away(players[1], 700)
    keep()
    assert "Ben" in people(party)[1]
    end(match, timezone.now() - timedelta(seconds=60))
    keep()
    assert "Ben" in people(party)[1]
    end(match, timezone.now() - timedelta(seconds=601))
    keep()
    assert "Ben" not in people(party)[1]


def test_who_plays_elsewhere_is_not_removed(
    players: list[Player], gather: Any, away: Any, play: Any
) -> None:
    party = gather(*players[:2])
    play(players[1])
    away(players[1], 700)
    keep()
    assert "Ben" in people(party)[1]


def test_a_party_that_everybody_has_abandoned_disappears(
    players: list[Player], gather: Any, away: Any
) -> None:
    gather(*players[:3])
    for player in players[:3]:
        away(player, 601)
    keep()
    assert not Party.objects.exists()
    keep()


def test_an_absent_host_is_removed_after_the_role_has_passed_on(
    players: list[Player], gather: Any, away: Any
) -> None:
    party = gather(*players[:3])
    away(players[0], 1200)
    keep()
    assert people(party) == ("Ben", {"Ben": True, "Chika": True})


def test_coming_and_going_is_told_once(
    players: list[Player], gather: Any, away: Any, listen: Any
) -> None:
    party = gather(*players[:2])
    away(players[1], 5)
    with listen() as inbox:
        keep()
        keep()
    [message] = inbox[players[0].pk]
    assert [member["connected"] for member in message["party"]["members"]] == [True, False]
    assert message["party"]["version"] == party.version
    with listen() as inbox:
        party_upkeep.see_member(party=party, player_id=players[1].pk)
        keep()
    [message] = inbox[players[0].pk]
    assert [member["connected"] for member in message["party"]["members"]] == [True, True]


def test_a_socket_that_closes_is_told_at_once(
    players: list[Player], gather: Any, away: Any, listen: Any
) -> None:
    gather(*players[:2])
    away(players[1], 0)
    with listen() as inbox:
        party_upkeep.tell_presence(player_id=players[1].pk)
        party_upkeep.tell_presence(player_id=players[1].pk)
        party_upkeep.tell_presence(player_id=players[5].pk)
    assert len(inbox[players[0].pk]) == 1


def test_a_timer_of_one_party_touches_no_other(
    players: list[Player], gather: Any, away: Any, now: datetime
) -> None:
    first, second = gather(*players[:2]), gather(*players[2:4])
    away(players[0], 40)
    keep()
    assert people(first)[0] == "Ben"
    assert people(second)[0] == "Chika"
    assert Party.objects.get(pk=second.pk).version == second.version
