"""Playing once more (api.md, rematch/)."""

from uuid import UUID

import pytest
from django.utils import timezone

from tables.blackjack.events import MatchKind
from tables.models import Match, Party, Presence
from tables.services import parties
from tables.services.party_start import start_party
from tests.play import a_match, play_to_the_end
from tests.rest import new_program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey")]


def refused(answer, status, code):
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.content


def a_party_match(count=3, **rules):
    programs = [new_program() for _ in range(count)]
    now = timezone.now()
    host = UUID(programs[0].id)
    party = parties.create_party(player_id=host, rules={"rounds": 1, **rules}, now=now)
    for program in programs[1:]:
        parties.join_party(code=party.code, player_id=UUID(program.id), now=now)
        parties.set_ready(code=party.code, player_id=UUID(program.id), ready=True)
    match = Match.objects.get(pk=start_party(code=party.code, player_id=host).match_id)
    return programs, party, match


def goes_away(program):
    Presence.objects.filter(player=program.id).update(party_seen_at=None, match_seen_at=None)


def test_all_who_are_there_press_and_play_again():
    (host, second, third), party, match = a_party_match(decks=2)
    address = f"matches/{match.pk}/rematch/"
    refused(host.post(address), 409, "match_not_over")
    play_to_the_end(match)
    waiting = host.post(address)
    assert waiting.status_code == 200
    assert waiting.json()["code"] == party.code
    marks = {m["player"]["id"]: m["ready"] for m in waiting.json()["members"]}
    assert marks == {host.id: True, second.id: False, third.id: False}
    assert second.post(address).status_code == 200
    begun = third.post(address)
    assert begun.status_code == 201
    assert begun.json()["rules"]["decks"] == 2
    assert [seat["player"]["id"] for seat in begun.json()["seats"]] == [
        host.id,
        second.id,
        third.id,
    ]
    again = host.post(address)
    assert (again.status_code, again.json()["id"]) == (200, begun.json()["id"])
    assert Match.objects.count() == 2


def test_who_is_away_is_not_waited_for_but_the_host_is():
    (host, second, third), _, match = a_party_match()
    address = f"matches/{match.pk}/rematch/"
    play_to_the_end(match)
    goes_away(third)
    goes_away(host)
    assert second.post(address).status_code == 200
    begun = host.post(address)
    assert begun.status_code == 201
    assert [seat["player"]["id"] for seat in begun.json()["seats"]] == [host.id, second.id]
    refused(third.post(address), 409, "party_started")


def test_a_party_that_is_gone_is_made_again():
    (host, second, third), party, match = a_party_match(decks=3)
    play_to_the_end(match)
    for program in (host, second, third):
        parties.leave_party(code=party.code, player_id=UUID(program.id))
    assert not Party.objects.exists()
    address = f"matches/{match.pk}/rematch/"
    waiting = second.post(address)
    assert waiting.status_code == 200
    assert waiting.json()["host"]["id"] == second.id
    assert waiting.json()["rules"]["decks"] == 3
    begun = third.post(address)
    assert begun.status_code == 201
    assert begun.json()["rules"]["decks"] == 3
    assert [seat["player"]["id"] for seat in begun.json()["seats"]] == [second.id, third.id]
    assert Party.objects.count() == 1


def test_alone_it_begins_at_once():
    program = new_program()
    match = play_to_the_end(a_match([UUID(program.id)], rounds=1, decks=5))
    begun = program.post(f"matches/{match.pk}/rematch/")
    assert begun.status_code == 201
    assert begun.json()["rules"]["decks"] == 5
    assert begun.json()["kind"] == "solo"
    refused(program.post(f"matches/{match.pk}/rematch/"), 409, "in_match")


def test_a_ranked_match_is_not_played_again():
    first, second = new_program(), new_program()
    players = [UUID(first.id), UUID(second.id)]
    match = a_match(players, kind=MatchKind.RANKED, rounds=1, turn_seconds=30)
    refused(first.post(f"matches/{match.pk}/rematch/"), 409, "no_rematch")


def test_who_did_not_play_has_no_rematch():
    (_, _, _), _, match = a_party_match()
    play_to_the_end(match)
    refused(new_program().post(f"matches/{match.pk}/rematch/"), 403, "not_your_seat")
