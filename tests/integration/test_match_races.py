"""Whoever presses at the same time: one effect, hundreds of times (api.md, matches/)."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier
from uuid import UUID

import pytest
from django.db import connections
from django.utils import timezone

from accounts.models import Player
from tables.blackjack.actions import ActionName
from tables.blackjack.ruleset import Ruleset
from tables.models import Match, MatchStep, Seat
from tables.services.batch import Decide, Leave, apply_one
from tables.services.removal import delete_account
from tables.services.solo import start_alone
from tests.play import a_match, guests, view_now
from tests.rest import new_program

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("valkey"),
    pytest.mark.timeout(600),
]

ROUNDS = 200
"""How often what is asked for hundreds of times is raced; its variants less often."""
BET = {"action": "bet", "amount": 10, "version": 0}


@pytest.fixture
def together():
    """Do things at the same moment, each on a connection of its own; gives what came of each."""
    with ThreadPoolExecutor(2) as threads:
        line = Barrier(2)

        def run(action):
            line.wait()
            try:
                return action()
            except Exception as error:
                return error

        yield lambda *actions: list(threads.map(run, actions))

        def close(_):
            line.wait()
            connections.close_all()

        list(threads.map(close, range(2)))


def code_of(result):
    return getattr(result, "code", "done")


def test_two_starts_alone_make_one_match(together):
    for _ in range(ROUNDS):
        [player] = guests(1)
        results = together(*[lambda p=player: start_alone(player_id=p, rules={})] * 2)
        assert Counter(map(code_of, results)) == {"done": 1, "in_match": 1}
        [live] = Seat.objects.filter(player=player, live=True)
        [refused] = [error for error in results if isinstance(error, Exception)]
        assert refused.match_id == live.match_id


def test_the_same_action_twice_acts_once_over_rest(together):
    program = new_program()
    other = guests(1)
    for number in range(ROUNDS):
        match = a_match([UUID(program.id), *other], rounds=1)
        address = f"matches/{match.pk}/actions/"
        press = partial(program.post, address, BET, idempotency_key=f"id-{number}")
        results = together(press, press)
        assert [answer.status_code for answer in results] == [200, 200]
        assert [answer.json()["seats"][0]["bet"] for answer in results] == [10, 10]
        assert MatchStep.objects.filter(match=match, kind="decision").count() == 1
        Seat.objects.filter(match=match).update(live=False)


def test_of_two_actions_with_one_version_one_is_taken(together):
    players = guests(2)
    for _ in range(ROUNDS):
        match = a_match(players, rounds=1)
        bets = [Decide(match.pk, players[0], ActionName.BET, 0, amount) for amount in (10, 20)]
        results = together(*[lambda bet=bet: apply_one(bet) for bet in bets])
        assert Counter(map(code_of, results)) == {"done": 1, "stale_version": 1}
        assert Match.objects.get(pk=match.pk).version == 1
        Seat.objects.filter(match=match).update(live=False)


def test_leaving_against_acting_is_one_after_the_other(together):
    players = guests(2)
    ruleset = Ruleset(rounds=1)
    came = Counter()
    for _ in range(ROUNDS // 2):
        match = a_match(players, rounds=ruleset.rounds)
        results = together(
            lambda m=match: apply_one(Leave(m.pk, players[0])),
            lambda m=match: apply_one(Decide(m.pk, players[0], ActionName.BET, 0, 10)),
        )
        left, acted = map(code_of, results)
        assert left == "done"
        assert acted in ("done", "cpu_has_seat", "stale_version", "not_your_turn")
        came[acted] += 1
        stored = MatchStep.objects.filter(match=match, kind="decision", seat=1)
        own = [step for step in stored if '"by":"player"' in step.payload]
        assert len(own) == (acted == "done")
        assert not Seat.objects.get(match=match, number=1).live
        Seat.objects.filter(match=match).update(live=False)
    assert sum(came.values()) == ROUNDS // 2


def test_deleting_an_account_against_its_own_action_is_one_after_the_other(together):
    came = Counter()
    for _ in range(ROUNDS // 2):
        players = guests(2)
        match = a_match(players, rounds=1)
        results = together(
            lambda p=players[0]: delete_account(player_id=p, acting=None, now=timezone.now()),
            lambda m=match, p=players[0]: apply_one(Decide(m.pk, p, ActionName.BET, 0, 10)),
        )
        deleted, acted = map(code_of, results)
        assert deleted == "done", results
        assert acted in ("done", "cpu_has_seat", "stale_version", "not_your_turn"), results
        came[acted] += 1
        stored = MatchStep.objects.filter(match=match, kind="decision", seat=1)
        own = [step for step in stored if '"by":"player"' in step.payload]
        assert len(own) == (acted == "done")
        assert not Seat.objects.get(match=match, number=1).live
        view = view_now(match, players[1])
        assert view.seats[0].controller == "cpu"
        assert view.seats[0].player.display_name == Player.objects.get(pk=players[0]).shown_name
        assert Player.objects.get(pk=players[0]).deleted_at is not None
    assert sum(came.values()) == ROUNDS // 2
