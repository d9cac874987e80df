"""What several people, or one with two devices, do to a party at the same moment."""

from collections import Counter
from datetime import datetime
from functools import partial
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Player
from tables.models import MAX_MEMBERS, Match, Party, PartyMember, Seat
from tables.party_refusals import (
    AlreadyInParty,
    NotEveryoneReady,
    NotHost,
    PartyFull,
    PartyNotFound,
    PartyStarted,
)
from tables.services import parties
from tables.services.party_start import Started, start_party

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("valkey"),
    pytest.mark.timeout(600),
]

ROUNDS = 200
"""How often what is asked for hundreds of times is raced; its variants less often."""


def kinds(done: list[Any]) -> Counter[str]:
    """How often each kind of result came."""
    return Counter(type(result).__name__ for result in done)


def clear() -> None:
    Party.objects.all().delete()
    Seat.objects.update(live=False)
    Match.objects.update(status="finished")


def test_of_ten_who_join_at_once_one_gets_the_last_place(
    players: list[Player], gather: Any, at_once: Any, now: datetime
) -> None:
    extra = [
        Player.objects.create(display_name=f"X{n}", name_key=f"x{n}", tag="AAAA", created_at=now)
        for n in range(10)
    ]
    party = gather(*players[:5])
    for _ in range(ROUNDS):
        done = at_once(
            *(
                partial(parties.join_party, code=party.code, player_id=guest.pk, now=now)
                for guest in extra
            )
        )
        assert kinds(done) == {"Party": 1, PartyFull.__name__: 9}
        [newcomer] = PartyMember.objects.filter(player__in=extra)
        assert party.members.count() == MAX_MEMBERS
        parties.leave_party(code=party.code, player_id=newcomer.player_id)


def test_leave_and_two_joins_at_once_give_one_place_or_none(
    players: list[Player], gather: Any, at_once: Any, now: datetime
) -> None:
    party = gather(*players[:2])
    ben = players[1].pk
    join = partial(parties.join_party, code=party.code, player_id=ben, now=now)
    for _ in range(ROUNDS // 2):
        done = at_once(partial(parties.leave_party, code=party.code, player_id=ben), join, join)
        assert kinds(done) == {"NoneType": 1, "Party": 2}
        assert PartyMember.objects.filter(player=ben).count() <= 1
        join()


def test_two_tabs_join_two_parties_and_make_a_third(
    players: list[Player], gather: Any, at_once: Any, now: datetime
) -> None:
    first, second, ben = gather(players[0]), gather(players[2]), players[1].pk
    for _ in range(ROUNDS // 2):
        done = at_once(
            partial(parties.join_party, code=first.code, player_id=ben, now=now),
            partial(parties.join_party, code=second.code, player_id=ben, now=now),
            partial(parties.create_party, player_id=ben, now=now),
            partial(parties.create_party, player_id=ben, now=now),
        )
        assert kinds(done) == {"Party": 1, AlreadyInParty.__name__: 3}
        assert PartyMember.objects.filter(player=ben).count() == 1
        parties.leave_any_party(player_id=ben)
    assert Party.objects.count() == 2


def test_the_last_leaves_while_somebody_joins(
    players: list[Player], at_once: Any, now: datetime
) -> None:
    aki, ben = players[0].pk, players[1].pk
    for _ in range(ROUNDS // 2):
        code = parties.create_party(player_id=aki, now=now).code
        done = at_once(
            partial(parties.leave_party, code=code, player_id=aki),
            partial(parties.join_party, code=code, player_id=ben, now=now),
        )
        found = Party.objects.filter(code=code).first()
        if found is None:
            assert isinstance(done[1], PartyNotFound)
        else:
            assert found.host_id == ben
            assert [member.player_id for member in found.members.all()] == [ben]
        clear()


def test_the_host_and_the_next_host_leave_at_once(
    players: list[Player], gather: Any, at_once: Any
) -> None:
    for _ in range(ROUNDS // 4):
        party = gather(*players[:3])
        at_once(
            *(
                partial(parties.leave_party, code=party.code, player_id=player.pk)
                for player in players[:2]
            )
        )
        assert Party.objects.get().host_id == players[2].pk
        clear()


def test_two_starts_make_one_match(players: list[Player], gather: Any, at_once: Any) -> None:
    party = gather(*players[:2])
    start = partial(start_party, code=party.code, player_id=players[0].pk)
    for number in range(1, ROUNDS + 1):
        parties.set_ready(code=party.code, player_id=players[1].pk, ready=True)
        done = at_once(start, start, start)
        assert {type(result) for result in done} == {Started}
        assert len({started.match_id for started in done}) == 1
        assert sorted(started.is_new for started in done) == [False, False, True]
        assert Match.objects.count() == number
        Seat.objects.update(live=False)
        Match.objects.update(status="finished", finished_at=timezone.now())


def test_a_start_sees_that_somebody_is_not_ready_or_they_are_told_it_has_started(
    players: list[Player], gather: Any, at_once: Any
) -> None:
    party = gather(*players[:2])
    aki, ben = players[0].pk, players[1].pk
    for _ in range(ROUNDS // 2):
        parties.set_ready(code=party.code, player_id=ben, ready=True)
        started, unready = at_once(
            partial(start_party, code=party.code, player_id=aki),
            partial(parties.set_ready, code=party.code, player_id=ben, ready=False),
        )
        if isinstance(started, Started):
            assert isinstance(unready, PartyStarted)
            assert Seat.objects.filter(match=started.match_id).count() == 2
        else:
            assert isinstance(started, NotEveryoneReady)
            assert isinstance(unready, Party)
            assert not Match.objects.filter(status="playing").exists()
        Seat.objects.update(live=False)
        Match.objects.update(status="finished", finished_at=timezone.now())


def test_a_start_has_whoever_is_in_the_party_when_somebody_leaves(
    players: list[Player], gather: Any, at_once: Any, now: datetime
) -> None:
    party = gather(*players[:3])
    aki, ben, chika = (player.pk for player in players[:3])
    for _ in range(ROUNDS):
        for player_id in (ben, chika):
            parties.set_ready(code=party.code, player_id=player_id, ready=True)
        started, left = at_once(
            partial(start_party, code=party.code, player_id=aki),
            partial(parties.leave_party, code=party.code, player_id=chika),
        )
        assert isinstance(started, Started)
        assert left is None
        seats = Seat.objects.filter(match=started.match_id)
        assert set(seats.values_list("player_id", flat=True)) in ({aki, ben}, {aki, ben, chika})
        assert sorted(seats.values_list("number", flat=True)) == list(range(1, len(seats) + 1))
        Seat.objects.update(live=False)
        Match.objects.update(status="finished", finished_at=timezone.now())
        parties.join_party(code=party.code, player_id=chika, now=now)


def test_other_rules_are_in_the_match_or_make_everybody_not_ready(
    players: list[Player], gather: Any, at_once: Any
) -> None:
    party = gather(*players[:2])
    aki, ben = players[0].pk, players[1].pk
    for number in range(ROUNDS // 4):
        rounds = 11 + number % 40  # other than before
        parties.set_ready(code=party.code, player_id=ben, ready=True)
        started, changed = at_once(
            partial(start_party, code=party.code, player_id=aki),
            partial(parties.change_party, code=party.code, player_id=aki, rules={"rounds": rounds}),
        )
        if isinstance(started, Started):
            assert isinstance(changed, PartyStarted)
        else:
            assert isinstance(started, NotEveryoneReady)
            assert changed.changed == ["rounds"]
        Seat.objects.update(live=False)
        Match.objects.update(status="finished", finished_at=timezone.now())


def test_a_kick_and_a_hand_over_to_the_kicked_never_leave_a_host_outside(
    players: list[Player], gather: Any, at_once: Any, now: datetime
) -> None:
    aki, ben = players[0].pk, players[1].pk
    for _ in range(ROUNDS // 4):
        party = gather(*players[:3])
        done = at_once(
            partial(parties.kick_member, code=party.code, player_id=aki, kicked_id=ben, now=now),
            partial(parties.hand_over, code=party.code, player_id=aki, new_host_id=ben),
        )
        found = Party.objects.get()
        assert found.members.filter(player=found.host_id).exists()
        assert sum(isinstance(result, Party) for result in done) == 1
        assert kinds(done)[NotHost.__name__] + kinds(done)["NotAMember"] == 1
        clear()
