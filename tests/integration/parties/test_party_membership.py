"""Meeting in a party: making, joining, leaving, removing, and whose the host's role is."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from accounts.models import Player
from accounts.services import players as accounts
from accounts.services.blocks import block
from tables.models import Match, Party, PartyMember
from tables.party_refusals import (
    AlreadyInParty,
    BlockedByHost,
    CannotKickYourself,
    InMatch,
    Kicked,
    NoFreeCode,
    NotAMember,
    NotHost,
    NotInParty,
    PartyFull,
    PartyNotFound,
    PartyRefusal,
    PartyStarted,
    PlayerBanned,
)
from tables.selectors.parties import party_by_code, party_of, party_preview, party_view
from tables.services import parties

pytestmark = pytest.mark.django_db


def names(party: Party) -> list[str]:
    return [member.player.display_name for member in party_view(party).members]


def host(party: Party) -> str:
    return party_view(Party.objects.get(pk=party.pk)).host.display_name


def refused(party: Party, player: Player, now: datetime) -> str:
    """The code with which joining is refused; it is what the preview has said."""
    said = party_preview(party, viewer_id=player.pk).can_join
    with pytest.raises(PartyRefusal) as refusal:
        parties.join_party(code=party.code, player_id=player.pk, now=now)
    assert (said.ok, said.code) == (False, refusal.value.code)
    return str(said.code)


def test_whoever_makes_a_party_is_its_host(players: list[Player], gather: Any) -> None:
    party = gather(players[0])
    view = party_view(party, origin="https://example.org")
    assert view.host.display_name == "Aki"
    assert names(party) == ["Aki"]
    assert view.join_url == f"https://example.org/p/{party.code}/"
    assert (view.status, view.match, view.version, view.watchable) == ("open", None, 1, False)
    assert (view.edge, view.changed, view.max_members) == (None, [], 6)
    assert view.rules["decks"] == 6
    assert len(view.rules) == 15
    assert view.members[0].connected
    assert not view.members[0].ready


def test_join_by_code_in_any_case_and_width(
    players: list[Player], gather: Any, now: datetime
) -> None:
    party = gather(players[0])
    wide = "".join(chr(ord(sign) + 0xFEE0) for sign in party.code.lower())
    parties.join_party(code=f" {wide[:3]} {wide[3:]} ", player_id=players[1].pk, now=now)
    assert names(party) == ["Aki", "Ben"]


def test_joining_the_same_party_again_changes_nothing(
    players: list[Player], gather: Any, now: datetime
) -> None:
    party = gather(*players[:2])
    again = parties.join_party(code=party.code, player_id=players[1].pk, now=now)
    assert again.version == party.version == 2
    assert names(party) == ["Aki", "Ben"]


def test_nobody_is_in_two_parties(players: list[Player], gather: Any, now: datetime) -> None:
    first, second = gather(*players[:2]), gather(players[2])
    assert refused(second, players[1], now) == AlreadyInParty.code
    with pytest.raises(AlreadyInParty):
        parties.create_party(player_id=players[1].pk, now=now)
    assert party_of(players[1].pk) == first


def test_the_seventh_finds_the_party_full(
    players: list[Player], gather: Any, now: datetime
) -> None:
    party = gather(*players[:6])
    assert refused(party, players[6], now) == PartyFull.code
    assert party_preview(party, viewer_id=None).can_join.code == PartyFull.code
    parties.leave_party(code=party.code, player_id=players[3].pk)
    parties.join_party(code=party.code, player_id=players[6].pk, now=now)
    assert names(party)[-1] == "Gen"


def test_nobody_joins_a_party_that_plays(
    players: list[Player], gather: Any, play: Any, end: Any, now: datetime
) -> None:
    party = gather(*players[:2])
    match = play(*players[:2], party=party)
    assert refused(party, players[2], now) == PartyStarted.code
    assert party_preview(party, viewer_id=None).status == "playing"
    end(match, now)
    parties.join_party(code=party.code, player_id=players[2].pk, now=now)


def test_who_has_left_for_good_may_not_come_back_while_it_is_played(
    players: list[Player], gather: Any, play: Any, now: datetime
) -> None:
    """The seat at the match stays theirs; the place in the party is given up."""
    party = gather(*players[:2])
    match = play(*players[:2], party=party)
    parties.leave_party(code=party.code, player_id=players[1].pk)
    assert match.seats.get(player=players[1]).live
    assert refused(party, players[1], now) == PartyStarted.code


def test_who_plays_elsewhere_neither_joins_nor_makes_a_party(
    players: list[Player], gather: Any, play: Callable[..., Match], now: datetime
) -> None:
    party, match = gather(players[0]), play(players[1])
    assert refused(party, players[1], now) == InMatch.code
    with pytest.raises(InMatch) as error:
        parties.create_party(player_id=players[1].pk, now=now)
    assert error.value.members == {"match": str(match.pk)}


def test_an_unknown_code_is_no_party(players: list[Player], now: datetime) -> None:
    for code in ("ACDEFH", "", "x" * 300, "<b>"):
        with pytest.raises(PartyNotFound):
            parties.join_party(code=code, player_id=players[0].pk, now=now)


def test_two_live_parties_never_share_a_code(
    players: list[Player], monkeypatch: pytest.MonkeyPatch, now: datetime
) -> None:
    drawn = iter(["ACDEFH", "ACDEFH", "ACDEFH", "377777"])
    monkeypatch.setattr(parties, "new_code", lambda: next(drawn))
    first = parties.create_party(player_id=players[0].pk, now=now)
    second = parties.create_party(player_id=players[1].pk, now=now)
    assert (first.code, second.code) == ("ACDEFH", "377777")
    monkeypatch.setattr(parties, "new_code", lambda: "ACDEFH")
    with pytest.raises(NoFreeCode):
        parties.create_party(player_id=players[2].pk, now=now)
    assert party_of(players[2].pk) is None


def test_the_database_decides_about_a_code_that_was_free_a_moment_ago(
    players: list[Player], monkeypatch: pytest.MonkeyPatch, now: datetime
) -> None:
    parties.create_party(player_id=players[0].pk, now=now)
    taken = Party.objects.get().code
    drawn = iter([taken, "377777"])
    monkeypatch.setattr(parties, "new_code", lambda: next(drawn))
    nobody = Party.objects.none()
    looked = iter([nobody])
    real = Party.objects.filter
    monkeypatch.setattr(Party.objects, "filter", lambda **kw: next(looked, None) or real(**kw))
    party = parties.create_party(player_id=players[1].pk, now=now)
    assert party.code == "377777"


def test_the_host_stays_host_when_somebody_else_leaves(players: list[Player], gather: Any) -> None:
    party = gather(*players[:3])
    parties.leave_party(code=party.code, player_id=players[1].pk)
    assert host(party) == "Aki"
    parties.leave_party(code=party.code, player_id=players[0].pk)
    assert host(party) == "Chika"


def test_the_hosts_leaving_passes_the_role_to_the_longest_present_who_is_connected(
    players: list[Player], gather: Any, away: Any
) -> None:
    party = gather(*players[:4])
    away(players[1], 5)
    parties.leave_party(code=party.code, player_id=players[0].pk)
    assert host(party) == "Chika"


def test_with_nobody_connected_the_role_goes_to_the_longest_present(
    players: list[Player], gather: Any, away: Any
) -> None:
    party = gather(*players[:3])
    away(players[1], 5)
    away(players[2], 5)
    parties.leave_party(code=party.code, player_id=players[0].pk)
    assert host(party) == "Ben"


def test_rights_follow_the_role_at_once(players: list[Player], gather: Any, now: datetime) -> None:
    party = gather(*players[:3])
    parties.leave_party(code=party.code, player_id=players[0].pk)
    changed = parties.change_party(code=party.code, player_id=players[1].pk, rules={"decks": 2})
    assert changed.changed == ["decks"]
    parties.kick_member(code=party.code, player_id=players[1].pk, kicked_id=players[2].pk, now=now)
    with pytest.raises(NotHost):
        parties.change_party(code=party.code, player_id=players[0].pk, rules={"decks": 1})


def test_the_host_hands_the_role_over(players: list[Player], gather: Any) -> None:
    party = gather(*players[:3])
    aki, ben, chika, dan = players[:4]
    with pytest.raises(NotHost):
        parties.hand_over(code=party.code, player_id=ben.pk, new_host_id=ben.pk)
    with pytest.raises(NotAMember):
        parties.hand_over(code=party.code, player_id=aki.pk, new_host_id=dan.pk)
    parties.hand_over(code=party.code, player_id=aki.pk, new_host_id=chika.pk)
    assert host(party) == "Chika"
    assert names(party) == ["Aki", "Ben", "Chika"]
    with pytest.raises(NotHost):
        parties.hand_over(code=party.code, player_id=aki.pk, new_host_id=aki.pk)


def test_an_empty_party_disappears_and_its_match_stays(
    players: list[Player], gather: Any, play: Any, now: datetime
) -> None:
    party = gather(players[0])
    match = play(players[0], party=party)
    parties.leave_party(code=party.code, player_id=players[0].pk)
    match.refresh_from_db()
    assert match.party is None
    assert match.status == "playing"
    assert not Party.objects.exists()
    with pytest.raises(PartyNotFound):
        party_by_code(party.code)


def test_only_members_leave(players: list[Player], gather: Any) -> None:
    party = gather(players[0])
    with pytest.raises(NotInParty):
        parties.leave_party(code=party.code, player_id=players[1].pk)


def test_a_removed_player_comes_back_by_no_way(
    players: list[Player], gather: Any, now: datetime
) -> None:
    party = gather(*players[:3])
    aki, ben = players[:2]
    kick = {"code": party.code, "player_id": aki.pk, "kicked_id": ben.pk, "now": now}
    kicked = parties.kick_member(**kick)
    assert names(kicked) == ["Aki", "Chika"]
    assert refused(party, ben, now) == Kicked.code
    assert parties.kick_member(**kick).version == kicked.version
    parties.hand_over(code=party.code, player_id=aki.pk, new_host_id=players[2].pk)
    assert refused(party, ben, now) == Kicked.code
    other = gather(ben)
    parties.join_party(code=other.code, player_id=players[3].pk, now=now)


def test_being_removed_during_a_match_gives_up_the_party_only(
    players: list[Player], gather: Any, play: Any, now: datetime
) -> None:
    party = gather(*players[:2])
    match = play(*players[:2], party=party)
    parties.kick_member(code=party.code, player_id=players[0].pk, kicked_id=players[1].pk, now=now)
    assert match.seats.get(player=players[1]).live


def test_only_the_host_removes_and_only_others(
    players: list[Player], gather: Any, now: datetime
) -> None:
    party = gather(*players[:2])
    aki, ben, chika = players[:3]
    for actor, target, error in (
        (ben, aki, NotHost),
        (chika, aki, NotHost),
        (aki, aki, CannotKickYourself),
        (aki, chika, NotAMember),
    ):
        with pytest.raises(error):
            parties.kick_member(code=party.code, player_id=actor.pk, kicked_id=target.pk, now=now)
    assert names(party) == ["Aki", "Ben"]


def test_whom_the_host_blocks_cannot_join(
    players: list[Player], gather: Any, now: datetime
) -> None:
    party = gather(*players[:2])
    block(player=players[0], blocked_id=players[2].pk, now=now)
    assert refused(party, players[2], now) == BlockedByHost.code
    parties.leave_party(code=party.code, player_id=players[0].pk)
    parties.join_party(code=party.code, player_id=players[2].pk, now=now)


def test_a_ban_that_has_just_been_made_keeps_out(
    players: list[Player], gather: Any, now: datetime
) -> None:
    party = gather(*players[:2])
    accounts.ban_player(player_id=players[1].pk, until=None, reason="stalling", now=now)
    parties.leave_any_party(player_id=players[1].pk)
    assert names(party) == ["Aki"]
    with pytest.raises(PlayerBanned):
        parties.join_party(code=party.code, player_id=players[1].pk, now=now)
    parties.leave_any_party(player_id=players[1].pk)


def test_staff_close_a_party(players: list[Player], gather: Any, listen: Any) -> None:
    party = gather(*players[:2])
    with listen() as inbox:
        parties.close_party(party_id=party.pk)
        parties.close_party(party_id=party.pk)
    gone = [{"type": "party", "party": None, "reason": "closed"}]
    assert inbox == {players[0].pk: gone, players[1].pk: gone}
    assert not PartyMember.objects.exists()


def test_an_invitation_does_not_exist(players: list[Player], gather: Any, now: datetime) -> None:
    """Two who meet at once do so by code: one joins, and neither ends without a party."""
    first, second = gather(players[0]), gather(players[1])
    assert refused(second, players[0], now) == AlreadyInParty.code
    assert refused(first, players[1], now) == AlreadyInParty.code
    parties.leave_party(code=second.code, player_id=players[1].pk)
    parties.join_party(code=first.code, player_id=players[1].pk, now=now + timedelta(seconds=1))
    assert names(first) == ["Aki", "Ben"]
