"""Stored matches replay to what is stored, and whatever is changed in them is found."""

import io
import random
from contextlib import suppress
from datetime import timedelta
from uuid import UUID, uuid4

import msgspec
import pytest
from django.core.management import CommandError, call_command
from django.db.models import F, Value
from django.db.models.functions import Concat

from tables.blackjack.events import ControlReason, MatchKind
from tables.blackjack.ruleset import Ruleset
from tables.models import Match, MatchRound, MatchStep, Presence, Seat, SeatStatistics
from tables.services import presence, strategies
from tables.services.batch import Decide, Leave, Return, Wake, apply_one
from tables.services.presence import Place
from tables.services.verification import verify_match
from tests.play import a_match, decide, guests, play_to_the_end, view_now

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey")]

RULES = {"rounds": 3, "decks": 1, "rebuys": 1, "initial_chips": 100, "max_bet": 100}


def restless(match, players, dice, steps=400):
    """Play with people who leave, come back, go away and let their time run out."""
    view = view_now(match)
    for _ in range(steps):
        if view.to_act is None:
            break
        player = dice.choice(players)
        what = dice.random()
        with suppress(Exception):
            if what < 0.06:
                view = apply_one(Leave(match.pk, player)).view
                continue
            if what < 0.14:
                view = apply_one(Return(match.pk, player)).view
                continue
            if what < 0.20:
                Presence.objects.filter(player_id=player).update(match_seen_at=None)
                Match.objects.filter(pk=match.pk).update(wake_at=match.started_at)
                view = apply_one(Wake(match.pk)).view
                continue
            if what < 0.40:
                presence.touch(player_id=player, place=Place.MATCH, match_id=match.pk)
                view = apply_one(Wake(match.pk)).view
                continue
            view = decide(match, view, dice)
    return view


def run(*args):
    out = io.StringIO()
    call_command("verify_match", *args, stdout=out)
    return out.getvalue().splitlines()


def test_matches_are_what_their_seeds_and_decisions_make():
    players = guests(3)
    strategies.compute(Ruleset(rounds=3))
    finished = [
        play_to_the_end(a_match(players, rounds=3), 1),
        play_to_the_end(a_match(players[:1], decks=1, rounds=12), 2),
        play_to_the_end(a_match(players, kind=MatchKind.RANKED, rounds=2, turn_seconds=30), 3),
    ]
    live = a_match(players, rounds=5)
    view = view_now(live)
    for _ in range(9):
        view = decide(live, view, random.Random(5))
    assert run(str(live.pk)) == [f"{live.pk} ok: playing, version 9, {view.seq} events"]
    lines = run("--all")
    assert len(lines) == 4
    assert all(" ok: " in line for line in lines)
    assert {line.split()[0] for line in lines} == {str(match.pk) for match in [*finished, live]}


@pytest.mark.parametrize("seed", range(6))
def test_a_restless_table_replays_too(seed):
    dice = random.Random(seed)
    players = guests(dice.randint(2, 4))
    rules = {"rounds": 6, "turn_seconds": dice.choice([None, 30])}
    strategies.compute(Ruleset(**rules))
    match = a_match(players, **rules)
    apply_one(Leave(match.pk, players[0]))
    restless(match, players, dice)
    assert MatchStep.objects.filter(match=match, kind="control").exists()
    assert verify_match(match.pk).difference is None


def test_an_unknown_match_is_an_error():
    with pytest.raises(CommandError, match="no match"):
        run(str(uuid4()))


LATER = F("at") + timedelta(seconds=1)
TAMPERINGS = {
    "match kind": (Match, {"kind": "ranked"}),
    "match status": (Match, {"status": "void"}),
    "match version": (Match, {"version": F("version") + 1}),
    "match seq": (Match, {"seq": F("seq") - 1}),
    "match rules": (Match, {"rules": Concat("rules", Value(" "))}),
    "match state": (Match, {"state": Concat("state", Value(" "))}),
    "match seating": (Match, {"seating": Concat("seating", Value(" "))}),
    "match wake_at": (Match, {"wake_at": F("started_at")}),
    "match started_at": (Match, {"started_at": F("started_at") + timedelta(seconds=1)}),
    "match finished_at": (Match, {"finished_at": F("finished_at") + timedelta(seconds=1)}),
    "step first_seq": (MatchStep, {"first_seq": F("first_seq") + 1000}),
    "step last_seq": (MatchStep, {"last_seq": F("last_seq") + 1}),
    "step version": (MatchStep, {"version": F("version") + 1000}),
    "step kind": (MatchStep, {"kind": "clock"}),
    "step seat": (MatchStep, {"seat": 6}),
    "step action_id": (MatchStep, {"action_id": "forged"}),
    "step payload": (MatchStep, {"payload": Concat("payload", Value(" "))}),
    "step seeds": (MatchStep, {"seeds": ["00" * 32, "11" * 32]}),
    "step events": (MatchStep, {"events": Concat("events", Value(" "))}),
    "step at": (MatchStep, {"at": LATER}),
    "round number": (MatchRound, {"number": F("number") + 10}),
    "round record": (MatchRound, {"record": Concat("record", Value(" "))}),
    "seat number": (Seat, {"number": F("number") + 2}),
    "seat live": (Seat, {"live": True}),
    "seat kind": (Seat, {"kind": "solo"}),
    "seat started_at": (Seat, {"started_at": F("started_at") + timedelta(seconds=1)}),
    "seat finished_at": (Seat, {"finished_at": None}),
    "seat place": (Seat, {"place": F("place") + 1}),
    "seat outcome": (Seat, {"outcome": "draw"}),
    "seat chips": (Seat, {"chips": F("chips") + 10}),
    "seat own_decisions": (Seat, {"own_decisions": F("own_decisions") + 1}),
    "seat cpu_decisions": (Seat, {"cpu_decisions": F("cpu_decisions") + 1}),
    **{
        f"statistics {field.name}": (SeatStatistics, {field.name: F(field.name) + 1})
        for field in SeatStatistics._meta.fields
        if field.name not in ("seat", "player")
    },
}


@pytest.fixture
def finished():
    """A match that was no draw, so that another outcome is another one."""
    while True:
        players = guests(2)
        match = a_match(players, rounds=2)
        view = view_now(match)
        bet = Decide(match.pk, players[0], view.to_act.legal[0].action, 0, 10, "an-id")
        apply_one(bet)
        match = play_to_the_end(match, 8)
        if Seat.objects.get(match=match, number=1).outcome != "draw":
            return match


@pytest.mark.parametrize("what", TAMPERINGS)
def test_whatever_is_changed_is_found(finished, what):
    model, change = TAMPERINGS[what]
    rows = model.objects.all()
    if model is MatchStep:
        rows = rows.filter(pk=rows.order_by("first_seq")[1].pk)
    elif model in (MatchRound, Seat):
        rows = rows.filter(number=1)
    elif model is SeatStatistics:
        rows = rows.filter(seat__number=1)
    assert rows.update(**change) == 1
    found = verify_match(finished.pk)
    assert found.difference is not None
    with pytest.raises(CommandError, match="1 of 1"):
        run("--all")


def test_a_missing_step_or_round_is_found(finished):
    MatchStep.objects.filter(match=finished, version=3).delete()
    assert verify_match(finished.pk).difference.startswith("step at seq")


def test_the_first_difference_is_named_and_no_secret_is(finished):
    step = MatchStep.objects.filter(match=finished, version=2).get()
    events = msgspec.json.decode(step.events)
    cards = [event for event in events if event["type"] == "card_dealt" and event["card"]]
    cards[0]["card"] = "2D" if cards[0]["card"] == "2C" else "2C"
    MatchStep.objects.filter(pk=step.pk).update(events=msgspec.json.encode(events).decode())
    Match.objects.update(state="{}")
    difference = verify_match(finished.pk).difference
    assert difference.startswith(f"step at seq {step.first_seq}, events, at byte ")


def test_another_seed_is_found_however_well_it_is_hidden(finished):
    first = MatchStep.objects.filter(match=finished, version=0).get()
    MatchStep.objects.filter(pk=first.pk).update(seeds=["00" * 32, first.seeds[1]])
    found = verify_match(finished.pk).difference
    assert found.startswith("step at seq 1, events")


def test_a_banned_leaver_still_replays():
    players = guests(2)
    match = a_match(players, rounds=2)
    presence.touch(player_id=players[1], place=Place.MATCH, match_id=match.pk)
    apply_one(Leave(match.pk, players[0]))
    apply_one(Leave(match.pk, players[0], ControlReason.BANNED))
    assert UUID(view_now(match).seats[0].player.id) == players[0]
    assert verify_match(match.pk).difference is None
