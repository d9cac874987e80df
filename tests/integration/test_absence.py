"""Going, staying away and coming back, with real processes (rules.md R11)."""

import json
import time
from datetime import timedelta
from uuid import UUID

import pytest
from msgspec.structs import replace

from config.processes import Process
from tables import seating as clockwork
from tables.blackjack.events import MatchKind
from tables.blackjack.ruleset import RANKED
from tables.models import Match
from tables.selectors.clock import database_now
from tables.services.matches import start_match
from tests.conftest import Service
from tests.journeys.guests import Guest, Invite, Message, seat

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]


def sit_down(*guests: Guest, **rules: object) -> str:
    """Begin a match without a clock for guests with sockets."""
    match = seat(*guests, **{"turn_seconds": None, **rules})
    for guest in guests:
        guest.open()
        guest.wait_for("snapshot", match=match)
    return match


def changes(guest: Guest) -> list[Message]:
    return [event for event in guest.events if event["type"] == "control_changed"]


def test_silence_after_a_return_without_a_socket_is_absence(invite: Invite) -> None:
    """Whoever asks for the seat is there for as long as after any request, and then away."""
    anna, bert = invite("Anna"), invite("Bert")
    match = seat(anna, bert, turn_seconds=None)
    anna.open()
    anna.wait_for("snapshot", match=match)
    bert.post(f"matches/{match}/leave/")
    bert.post(f"matches/{match}/return/")
    anna.wait_until(lambda: len(changes(anna)) == 3)
    told = [(change["controller"], change["reason"]) for change in changes(anna)]
    assert told == [("cpu", "left"), ("human", None), ("cpu", "absent")]
    away = [one["seats"][1] for one in anna.heard if one["type"] == "presence"]
    assert any(not one["connected"] and one["takeover_at"] for one in away)


def test_who_leaves_on_their_own_turn_is_played_for_at_once(invite: Invite) -> None:
    """Nobody has a clock, and yet nobody waits (CK-12)."""
    anna, bert = invite("Anna"), invite("Bert")
    match = sit_down(anna, bert)
    anna.post(f"matches/{match}/leave/")
    bert.wait_until(lambda: bert.my_turn)
    assert [event.get("by") for event in bert.events if event["type"] == "bet_placed"] == ["cpu"]


def test_when_all_are_gone_the_table_waits_for_the_first_to_come_back(invite: Invite) -> None:
    anna, bert = invite("Anna"), invite("Bert")
    match = sit_down(anna, bert, turn_seconds=30)
    for guest in (anna, bert):
        guest.drop()
    until = time.monotonic() + 20
    watcher = invite("Carl")
    watcher.get(f"matches/{match}/", 404)
    while time.monotonic() < until:
        stored = stored_clock(match)
        if stored["waiting_since"] is not None:
            break
        time.sleep(0.05)
    assert stored["deadline"] is None
    assert stored["clock_left"] > 0
    anna.open(resume=True)
    anna.wait_until(lambda: anna.view["to_act"]["deadline"] is not None)
    assert anna.view["version"] == 0
    assert [one["controller"] for one in anna.view["seats"]] == ["human", "human"]


def stored_clock(match: str) -> Message:
    """The seating of a match as it is stored."""
    return dict(json.loads(Match.objects.get(pk=match).seating))


@pytest.mark.parametrize("restarted", [False, True], ids=["worker-dead", "web-restarted"])
def test_time_runs_out_whoever_has_died(invite: Invite, service: Service, restarted: bool) -> None:
    """Clocks are in the database: any process that lives acts on them (CK-05)."""
    anna, bert, carl = invite("Anna"), invite("Bert"), invite("Carl")
    match = start_match(
        kind=MatchKind.RANKED, ruleset=RANKED, player_ids=[UUID(anna.id), UUID(bert.id)]
    )
    due = database_now() + timedelta(seconds=1)
    seating = replace(clockwork.decode(match.seating), deadline=due)
    Match.objects.filter(pk=match.pk).update(
        seating=clockwork.encode(seating), wake_at=due + timedelta(seconds=0.5)
    )
    if Process.SWEEP in service.running:
        service.running[Process.SWEEP].kill()
    if restarted:
        service.running[Process.WEB].kill()
        service.running[Process.WEB].restart()
        service.wait_ready()
    carl.open()
    carl.send("subscribe", match=str(match.pk))
    carl.wait_for("snapshot")
    carl.wait_until(lambda: carl.view["version"] >= 1)
    told = carl.get(f"matches/{match.pk}/events/?after=0")["events"]
    assert {event["by"] for event in told if "by" in event} <= {"timeout", "cpu"}
