"""What is stored and sent of random matches: events that give every view, and never a secret."""

import json
import random
from contextlib import suppress
from uuid import UUID

import msgspec
import pytest

from tables.blackjack import codec
from tables.blackjack.ruleset import Ruleset
from tables.blackjack.state import Phase
from tables.models import Match, MatchStep, Presence
from tables.selectors.matches import Sight, told_until_now
from tables.services import presence, strategies
from tables.services.batch import Leave, Return, Wake, apply_one
from tables.services.presence import Place
from tests.contracts.reducer import reduce
from tests.play import a_match, decide, guests, view_now
from tests.rest import new_program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey")]

NOT_IN_EVENTS = ("id", "you", "watchable", "watchers", "server_time")
NOT_IN_SEATS = ("connected", "away_since", "takeover_at")


def told_of(view):
    """A view less what events do not tell."""
    shown = json.loads(msgspec.json.encode(view))
    for name in NOT_IN_EVENTS:
        shown.pop(name, None)
    for seat in shown["seats"]:
        for name in NOT_IN_SEATS:
            del seat[name]
    return shown


def something_happens(match, players, view, dice):
    """A decision, or somebody goes, comes, leaves or returns; gives the view after it."""
    player, what = dice.choice(players), dice.random()
    if what < 0.05:
        return apply_one(Leave(match.pk, player)).view
    if what < 0.13:
        return apply_one(Return(match.pk, player)).view
    if what < 0.20:
        Presence.objects.filter(player_id=player).update(match_seen_at=None)
        Match.objects.filter(pk=match.pk).update(wake_at=match.started_at)
        return apply_one(Wake(match.pk)).view
    if what < 0.35:
        presence.touch(player_id=player, place=Place.MATCH, match_id=match.pk)
        return apply_one(Wake(match.pk)).view
    return decide(match, view, dice)


@pytest.mark.parametrize("seed", range(8))
def test_stored_events_give_the_view_of_every_version(seed):
    dice = random.Random(seed)
    rules = {
        "rounds": 5,
        "decks": dice.choice([1, 6]),
        "turn_seconds": dice.choice([None, 30]),
        "rebuys": dice.choice([0, 2]),
        "initial_chips": dice.choice([100, 1000]),
        "max_bet": 100,
        "hole_card": dice.choice(["american", "european"]),
        "split_by": dice.choice(["rank", "value"]),
        "resplit_aces": dice.choice([True, False]),
    }
    ruleset = msgspec.convert(rules, Ruleset)
    strategies.compute(ruleset)
    players = guests(dice.randint(1, 4))
    match = a_match(players, **msgspec.structs.asdict(ruleset))
    view = view_now(match)
    seen = {view.seq: told_of(view)}
    while view.to_act is not None and len(seen) < 300:
        with suppress(Exception):
            view = something_happens(match, players, view, dice)
            seen[view.seq] = told_of(view)
    match.refresh_from_db()
    events = json.loads(bytes(told_until_now(Sight(match, match.pk, 1, False), 0)))
    assert [event["seq"] for event in events] == list(range(1, match.seq + 1))
    compared, reduced = 0, None
    for event in events:
        reduced = reduce(reduced, event)
        if event["seq"] in seen:
            assert reduced == seen[event["seq"]], event
            compared += 1
    assert compared == len(seen) >= 2


@pytest.mark.parametrize("seed", range(4))
def test_no_answer_holds_a_secret(seed):
    """Hole card, order of the shoe and seeds are in no byte that is sent before their time."""
    dice = random.Random(seed)
    program = new_program()
    ids = [UUID(program.id), *guests(dice.randint(0, 3))]
    match = a_match(ids, decks=1, rounds=4)
    view = view_now(match)
    while view.to_act is not None:
        view = decide(match, view, dice)
        state = codec.decode(Match.objects.get(pk=match.pk).state)
        answers = [
            program.get(f"matches/{match.pk}/{what}")
            for what in ("", "events/", "rounds/", "fairness/")
        ]
        texts = [answer.content.decode() for answer in answers]
        unrevealed = {seed for step in MatchStep.objects.all() for seed in step.seeds or ()}
        unrevealed -= {
            event["seed"]
            for event in answers[1].json()["events"]
            if event["type"] == "shoe_revealed"
        }
        for text in texts:
            assert not [seed for seed in unrevealed if seed in text]
            assert "secret" not in text
        assert '"seed"' not in texts[0]
        if state.phase is Phase.SETTLED:
            break
        assert {state.shoe.seed, state.shoe.next_seed} <= unrevealed
        shown = answers[0].json()
        on_table = list(shown["dealer"]["cards"])
        if state.hole_card_hidden:
            assert on_table == [state.dealer[0], None]
            dealt = [
                event for event in answers[1].json()["events"] if event["type"] == "card_dealt"
            ]
            assert [event["card"] for event in dealt if event["seat"] is None][-1] is None
        left = [state.shoe.cards[at : at + 2] for at in range(0, len(state.shoe.cards), 2)]
        coming = left[state.drawn :]
        told = {
            event["card"]
            for event in answers[1].json()["events"][-1:]
            if event["type"] == "card_dealt"
        }
        assert not told & set(coming[:1])
        for text in texts:
            assert json.dumps(coming[:6], separators=(",", ":"))[1:-1] not in text
            assert "".join(coming[:6]) not in text
