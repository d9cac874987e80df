"""House rules, ready marks, versions, and what the members are told."""

from datetime import datetime
from typing import Any

import pytest

from accounts.models import Player
from tables.blackjack.ruleset import RulesetError
from tables.models import Match
from tables.party_refusals import (
    NotHost,
    NotInParty,
    PartyChanged,
    PartyStarted,
)
from tables.selectors.parties import party_view, rules_of
from tables.services import parties, party_news

pytestmark = pytest.mark.django_db


def ready_marks(party: Any) -> list[bool]:
    return [member.ready for member in party_view(party).members]


def test_other_rules_make_everybody_not_ready_and_say_what_changed(
    players: list[Player], gather: Any
) -> None:
    party = gather(*players[:3])
    for player in players[:2]:
        parties.set_ready(code=party.code, player_id=player.pk, ready=True)
    changed = parties.change_party(
        code=party.code,
        player_id=players[0].pk,
        rules={"rebuys": 1, "decks": 1, "soft17": "stand"},
    )
    assert changed.changed == ["decks", "rebuys"]
    assert ready_marks(changed) == [False, False, False]
    again = parties.change_party(code=party.code, player_id=players[0].pk, rules={"rounds": 5})
    assert again.changed == ["rounds"]
    assert (rules_of(again).decks, rules_of(again).rounds, rules_of(again).rebuys) == (1, 5, 1)


def test_a_change_that_changes_nothing_clears_no_mark(players: list[Player], gather: Any) -> None:
    party = gather(*players[:2], rules={"decks": 2})
    before = parties.set_ready(code=party.code, player_id=players[1].pk, ready=True)
    same = parties.change_party(
        code=party.code, player_id=players[0].pk, rules={"decks": 2, "rounds": 10}
    )
    assert same.version == before.version
    assert ready_marks(same) == [False, True]


def test_who_may_watch_clears_no_mark_and_counts_for_the_match_played(
    players: list[Player], gather: Any, play: Any
) -> None:
    party = gather(*players[:2])
    parties.set_ready(code=party.code, player_id=players[1].pk, ready=True)
    shown = parties.change_party(code=party.code, player_id=players[0].pk, watchable=True)
    assert (shown.watchable, shown.changed, ready_marks(shown)) == (True, [], [False, True])
    match = play(*players[:2], party=party)
    parties.change_party(code=party.code, player_id=players[0].pk, watchable=False)
    parties.change_party(code=party.code, player_id=players[0].pk, watchable=True)
    assert Match.objects.get(pk=match.pk).watchable


@pytest.mark.parametrize(
    ("rules", "fields"),
    [
        ({"deck": 1}, ["deck"]),
        ({"decks": 9}, ["decks"]),
        ({"decks": True}, ["decks"]),
        ({"surrender": "late", "hole_card": "european"}, ["surrender"]),
        ({"initial_chips": 100}, ["max_bet"]),
        ({"decks": 0, "rounds": 0}, ["decks", "rounds"]),
    ],
)
def test_rules_nobody_can_play_by_are_refused_by_name(
    players: list[Player], gather: Any, rules: dict[str, Any], fields: list[str], now: datetime
) -> None:
    party = gather(players[0])
    with pytest.raises(RulesetError) as refused:
        parties.change_party(code=party.code, player_id=players[0].pk, rules=rules, watchable=True)
    assert [fault.key for fault in refused.value.errors] == fields
    party.refresh_from_db()
    assert (party.version, party.watchable) == (1, False)
    with pytest.raises(RulesetError):
        parties.create_party(player_id=players[1].pk, rules=rules, now=now)


def test_a_conflict_with_the_rules_in_force_is_refused(players: list[Player], gather: Any) -> None:
    party = gather(players[0], rules={"hole_card": "european"})
    change = {"code": party.code, "player_id": players[0].pk}
    with pytest.raises(RulesetError) as refused:
        parties.change_party(**change, rules={"surrender": "late"})
    assert [fault.key for fault in refused.value.errors] == ["surrender"]
    parties.change_party(**change, rules={"surrender": "late", "hole_card": "american"})


def test_a_match_never_changes_its_rules(
    players: list[Player], gather: Any, play: Any, end: Any, now: datetime
) -> None:
    party = gather(*players[:2])
    match = play(*players[:2], party=party)
    change = {"code": party.code, "player_id": players[0].pk, "rules": {"decks": 1}}
    with pytest.raises(PartyStarted):
        parties.change_party(**change)
    end(match, now)
    assert parties.change_party(**change).changed == ["decks"]


def test_only_members_are_ready_and_only_the_host_changes_rules(
    players: list[Player], gather: Any
) -> None:
    party = gather(*players[:2])
    with pytest.raises(NotInParty):
        parties.set_ready(code=party.code, player_id=players[2].pk, ready=True)
    for player in players[1:3]:
        with pytest.raises(NotHost):
            parties.change_party(code=party.code, player_id=player.pk, rules={"decks": 1})


def test_a_mark_is_not_taken_away_from_a_match_that_has_started(
    players: list[Player], gather: Any, play: Any
) -> None:
    party = gather(*players[:2])
    play(*players[:2], party=party)
    for ready in (True, False):
        with pytest.raises(PartyStarted):
            parties.set_ready(code=party.code, player_id=players[1].pk, ready=ready)


def test_every_change_raises_the_version_by_one(
    players: list[Player], gather: Any, now: datetime
) -> None:
    party = gather(*players[:3])
    aki, ben, chika = (player.pk for player in players[:3])
    code = party.code
    seen = [party.version]
    seen.append(parties.set_ready(code=code, player_id=ben, ready=True).version)
    seen.append(parties.set_ready(code=code, player_id=ben, ready=True).version)
    seen.append(parties.change_party(code=code, player_id=aki, rules={"decks": 3}).version)
    seen.append(parties.hand_over(code=code, player_id=aki, new_host_id=ben).version)
    seen.append(parties.kick_member(code=code, player_id=ben, kicked_id=chika, now=now).version)
    assert seen == [3, 4, 4, 5, 6, 7]


def test_a_request_for_an_older_version_changes_nothing(
    players: list[Player], gather: Any, now: datetime
) -> None:
    party = gather(*players[:2])
    aki, ben = (player.pk for player in players[:2])
    old = {"code": party.code, "expected": {party.version - 1}}
    with pytest.raises(PartyChanged):
        parties.change_party(**old, player_id=aki, rules={"decks": 3})
    with pytest.raises(PartyChanged):
        parties.set_ready(**old, player_id=ben, ready=True)
    with pytest.raises(PartyChanged):
        parties.hand_over(**old, player_id=aki, new_host_id=ben)
    with pytest.raises(PartyChanged):
        parties.kick_member(**old, player_id=aki, kicked_id=ben, now=now)
    present = {"code": party.code, "expected": {party.version}}
    assert parties.change_party(**present, player_id=aki, rules={"decks": 3}).changed == ["decks"]


def test_every_member_is_told_of_a_change(players: list[Player], gather: Any, listen: Any) -> None:
    party = gather(*players[:2])
    with listen() as inbox:
        changed = parties.change_party(code=party.code, player_id=players[0].pk, rules={"decks": 3})
    assert set(inbox) == {players[0].pk, players[1].pk}
    [message] = inbox[players[1].pk]
    assert message["type"] == "party"
    assert message["reason"] is None
    assert message["party"]["changed"] == ["decks"]
    assert message["party"]["version"] == changed.version
    assert message["party"]["join_url"] == f"/p/{party.code}/"
    [member, _] = message["party"]["members"]
    assert member["joined_at"].endswith("Z")
    assert member["player"] == {
        "id": str(players[0].pk),
        "display_name": "Aki",
        "tag": players[0].tag,
    }


def test_a_removed_player_hears_of_it_once_and_then_nothing(
    players: list[Player], gather: Any, listen: Any, now: datetime
) -> None:
    party = gather(*players[:3])
    aki, ben, chika = (player.pk for player in players[:3])
    with listen() as inbox:
        parties.kick_member(code=party.code, player_id=aki, kicked_id=ben, now=now)
        parties.change_party(code=party.code, player_id=aki, rules={"decks": 3})
        parties.set_ready(code=party.code, player_id=chika, ready=True)
    assert inbox[ben] == [{"type": "party", "party": None, "reason": "kicked"}]
    assert len(inbox[chika]) == 3


def test_who_leaves_hears_so_and_the_new_host_too(
    players: list[Player], gather: Any, listen: Any
) -> None:
    party = gather(*players[:2])
    with listen() as inbox:
        parties.leave_party(code=party.code, player_id=players[0].pk)
    assert inbox[players[0].pk] == [{"type": "party", "party": None, "reason": "left"}]
    assert inbox[players[1].pk][-1]["party"]["host"]["display_name"] == "Ben"


def test_who_is_back_already_is_not_told_to_have_left(
    players: list[Player], gather: Any, listen: Any, now: datetime
) -> None:
    party = gather(*players[:2])
    ben = players[1].pk
    with listen() as inbox:
        parties.leave_party(code=party.code, player_id=ben)
        parties.join_party(code=party.code, player_id=ben, now=now)
    assert [message["party"] is not None for message in inbox[ben]] == [True, True]


def test_a_refusal_is_told_to_nobody(players: list[Player], gather: Any, listen: Any) -> None:
    party = gather(*players[:2])
    with listen() as inbox, pytest.raises(NotHost):
        parties.change_party(code=party.code, player_id=players[1].pk, rules={"decks": 3})
    assert inbox == {}


def test_a_new_socket_is_told_of_the_party(players: list[Player], gather: Any) -> None:
    party = gather(*players[:2])
    told = party_news.present_messages([player.pk for player in players])
    assert set(told) == {players[0].pk, players[1].pk}
    version, message = told[players[0].pk]
    assert version == party.version
    link = f'"join_url":"https://example.org/p/{party.code}/"'.encode()
    assert link in party_news.absolute_links(message.body, "https://example.org")


def test_a_link_in_a_name_is_no_link(players: list[Player], gather: Any) -> None:
    players[0].display_name = '"join_url":"/p/'
    players[0].save()
    party = gather(players[0])
    _, message = party_news.present_messages([players[0].pk])[players[0].pk]
    whole = party_news.absolute_links(message.body, "http://a")
    assert whole.count(b"http://a") == 1
    assert f'"join_url":"http://a/p/{party.code}/"'.encode() in whole
