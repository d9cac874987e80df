"""Whole matches by real clients: HTTP and a WebSocket, against the real processes."""

import functools
import random
from collections.abc import Callable, Iterator

import pytest
from django.core.management import call_command

from config.processes import Process
from tests.conftest import Service
from tests.journeys.guests import Guest

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

Invite = Callable[[str], Guest]


@pytest.fixture
def invite(service: Service) -> Iterator[Invite]:
    """Makes guests, and sends them home after the test."""
    service.start(Process.SWEEP, Process.WORKER, Process.BEAT)
    guests: list[Guest] = []

    def guest(name: str) -> Guest:
        guests.append(Guest(service.url, name))
        return guests[-1]

    yield guest
    for each in guests:
        each.close()


def meet(guests: list[Guest], rules: dict[str, object]) -> None:
    """Meet in a party, be ready and start; everybody hears of the match."""
    host, *others = guests
    for guest in guests:
        guest.open()
    code = host.post("parties/", 201, rules=rules)["code"]
    for guest in others:
        guest.post(f"parties/{code}/join/")
        guest.post(f"parties/{code}/ready/", ready=True)
    match = host.post(f"parties/{code}/start/", 201)["id"]
    for guest in guests:
        guest.wait_until(lambda guest=guest: guest.match == match)


def has_version(guest: Guest, version: int) -> bool:
    """Whether a guest has seen the match as far as a version."""
    return int(guest.view["version"]) >= version


def play(
    guests: list[Guest],
    dice: random.Random,
    prefer: tuple[str, ...] = (),
    between: Callable[[int], None] = lambda decisions: None,
) -> None:
    """Play to the end; whoever is on turn decides as soon as they know that they are."""
    decisions = 0
    while not all(guest.over for guest in guests):
        for guest in guests:
            if guest.my_turn and not guest.over:
                version = guest.act(guest.decide(dice, prefer))["version"]
                decisions += 1
                between(decisions)
                for other in guests:
                    other.wait_until(functools.partial(has_version, other, version))
        for guest in guests:
            if not guest.over and not any(each.my_turn for each in guests):
                guest.receive()


def the_same_for_all(guests: list[Guest]) -> None:
    """Everybody saw the same end, and the record of the match verifies."""
    views = [{**guest.view, "you": None, "server_time": None} for guest in guests]
    assert all(view["result"] == views[0]["result"] for view in views)
    match = guests[0].match
    assert guests[0].get(f"matches/{match}/")["result"] == views[0]["result"]
    rounds = guests[0].get(f"matches/{match}/rounds/")
    assert rounds[-1]["seats"]
    shoes = guests[0].get(f"matches/{match}/fairness/")["shoes"]
    assert all(shoe["seed"] for shoe in shoes)
    call_command("verify_match", match)


def test_three_guests_play_ten_rounds_and_one_loses_the_connection(invite: Invite) -> None:
    guests = [invite(name) for name in ("Anna", "たろう", "🦊きつね")]
    meet(guests, {})

    def lose_the_connection(decisions: int) -> None:
        if decisions in {7, 20, 41}:
            guests[1].drop()
            guests[1].open(resume=True)

    play(guests, random.Random(1), between=lose_the_connection)
    assert guests[0].view["round"] == 10
    the_same_for_all(guests)


def test_a_party_plays_by_european_rules(invite: Invite) -> None:
    guests = [invite(name) for name in ("Anna", "Bert")]
    meet(guests, {"hole_card": "european", "rounds": 5})
    play(guests, random.Random(2))
    assert guests[0].view["rules"]["hole_card"] == "european"
    the_same_for_all(guests)


def test_alone_against_the_dealer(invite: Invite) -> None:
    guest = invite("Solo")
    guest.open()
    match = guest.post("matches/", 201, rules={"rounds": 4})["id"]
    guest.wait_until(lambda: guest.match == match)
    play([guest], random.Random(3))
    assert guest.view["kind"] == "solo"
    assert guest.view["result"][0]["outcome"] in {"win", "lose", "draw"}
    the_same_for_all([guest])


def test_six_seats_split_whatever_they_can_from_one_deck(invite: Invite) -> None:
    guests = [invite(f"Guest {number}") for number in range(6)]
    rules = {"decks": 1, "split_by": "value", "resplit_aces": True, "rounds": 6}
    meet(guests, rules)
    play(guests, random.Random(4), prefer=("split", "hit"))
    events = [event["type"] for event in guests[0].events]
    assert "split" in events
    assert events.count("shoe_started") + events.count("shoe_revealed") > 2
    the_same_for_all(guests)


def test_over_rest_alone_without_any_socket(invite: Invite) -> None:
    guest = invite("Program")
    dice = random.Random(5)
    view = guest.post("matches/", 201, rules={"rounds": 3})
    guest.match = view["id"]
    guest.view = guest.get(f"matches/{guest.match}/")
    while not guest.over:
        decision = guest.decide(dice)
        guest.view = guest.post(f"matches/{guest.match}/actions/", **decision)
    the_same_for_all([guest])
