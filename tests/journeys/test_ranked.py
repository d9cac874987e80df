"""A ranked evening of eight guests: queue, ready checks, matches, ratings, boards, a void match."""

import json
import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from ratings.models import Season
from ratings.services import running_season
from tests.conftest import Service
from tests.journeys.guests import Guest, Message

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(420)]

MATCHES = 2
"""Everybody goes on searching until all have played so many."""
OWN = {"bet_placed", "hit", "stood", "doubled", "split", "surrendered", "insured"}
PATIENCE = 60.0


@dataclass
class Evening:
    """What the guests share: who has played how often, and when it is enough."""

    guests: list[Guest]
    played: dict[str, list[str]] = field(default_factory=dict)
    declined: list[Message] = field(default_factory=list)

    def enough(self) -> bool:
        return all(len(self.played[guest.id]) >= MATCHES for guest in self.guests)


def spend(evening: Evening, guest: Guest, *, host: bool, party: str | None, declines: bool) -> None:
    """One guest's evening, as a client lives it: told by the socket, looking up by REST."""
    dice = random.Random(guest.id)
    mine = evening.played[guest.id]
    until = time.monotonic() + 300
    while time.monotonic() < until:
        place = guest.get("queue/")
        match place["status"]:
            case "matched":
                play(guest, place["match"], dice)
                mine.append(place["match"])
                continue
            case "ready_check" if not place["ready_check"]["answered"]:
                named = {"ready_check": place["ready_check"]["id"]}
                if declines and not evening.declined:
                    answer = guest.http.post("queue/decline/", json=named)
                    evening.declined.append(answer.json())
                else:
                    answer = guest.http.post("queue/accept/", json=named)
                assert answer.status_code in (200, 409), answer.text
            case "none" if evening.enough():
                return
            case "none" if host:
                answer = guest.http.post("queue/")  # a member may not be ready yet
                assert answer.status_code in (200, 403, 409), answer.text
            case "none":
                guest.http.post(f"parties/{party}/ready/", json={"ready": True})
            case "waiting" if evening.enough():
                guest.http.delete("queue/")
        with suppress(TimeoutError):
            guest.receive(0.3)
    pytest.fail(f"{guest.id} waits in vain: {place}")


def play(guest: Guest, match: str, dice: random.Random) -> None:
    """Play a ranked match to its end over the socket."""
    guest.wait_until(lambda: guest.match == match)
    while not guest.over:
        own = guest.view["seats"][guest.seat - 1]
        if own["controller"] == "cpu":  # a slow machine: the clock was quicker
            guest.http.post(f"matches/{match}/return/")
        elif guest.my_turn:
            sent = guest.send("action", match=match, **guest.decide(dice, ("bet", "stand")))
            replies = len(guest.heard)
            guest.wait_until(lambda: any(m.get("id") == sent for m in guest.heard[replies:]))  # noqa: B023
            if guest.heard[-1]["type"] == "ack":
                continue
        with suppress(TimeoutError):
            guest.receive(1.0)


# The arithmetic of ratings.md, done by hand: whole thousandths, floats of the pairs' expectations.


@dataclass
class Hand:
    """A player's rating as this test counts it."""

    rating: int = 1_500_000
    matches: int = 0
    moves: dict[str, tuple[int, int]] = field(default_factory=dict)


@dataclass
class Played:
    """A finished match as REST shows it: players by seat, places, and parties."""

    id: str
    finished_at: datetime
    players: list[str]
    places: list[int]
    parties: list[str | None]


def exact(thousandths: int) -> str:
    sign, size = "-" if thousandths < 0 else "", abs(thousandths)
    return f"{sign}{size // 1000}.{size % 1000:03}"


def whole(thousandths: int) -> int:
    return round(thousandths / 1000)  # half to even


def by_hand(matches: Sequence[Played], players: Sequence[str]) -> dict[str, Hand]:
    """Everybody's rating after these matches (RT2): 32 in the first match, 16 from the second."""
    hands = {player: Hand() for player in players}
    for match in matches:
        ids, places = match.players, match.places
        before = [hands[player].rating for player in ids]
        change = [0] * len(ids)
        for i in range(len(ids)):
            for j in range(i + 1, len(ids)):
                if match.parties[i] is not None and match.parties[i] == match.parties[j]:
                    continue
                new = hands[ids[i]].matches < 1 and hands[ids[j]].matches < 1
                k = 32 if new else 16
                expectation = 1 / (1 + 10 ** ((before[j] - before[i]) / 400_000))
                score = (places[i] < places[j]) + (places[i] == places[j]) / 2
                points = round(1000 * k / (len(ids) - 1) * (score - expectation))
                change[i] += points
                change[j] -= points
        for player, start, points in zip(ids, before, change, strict=True):
            hand = hands[player]
            hand.rating, hand.matches = start + points, hand.matches + 1
            hand.moves[match.id] = (start, start + points)
    return hands


def look_up(evening: Evening, party: set[str], match: str) -> Played:
    """Read a finished match and place its players: chips, but who decided nothing is last."""
    guest = next(guest for guest in evening.guests if match in evening.played[guest.id])
    view = guest.get(f"matches/{match}/")
    events = guest.get(f"matches/{match}/events/")["events"]
    decided = {e["seat"] for e in events if e["type"] in OWN and e.get("by") == "player"}
    chips = {result["seat"]: result["chips"] for result in view["result"]}
    strength = [(seat in decided, chips[seat] if seat in decided else 0) for seat in sorted(chips)]
    players = [seat["player"]["id"] for seat in view["seats"]]
    items = guest.get(f"players/{guest.id}/matches/?kind=ranked")["results"]
    [item] = [item for item in items if item["id"] == match]
    return Played(
        id=match,
        finished_at=datetime.fromisoformat(item["finished_at"]),
        players=players,
        places=[1 + sum(other > own for other in strength) for own in strength],
        parties=["party" if player in party else None for player in players],
    )


def shown(evening: Evening) -> dict[str, tuple[str, int]]:
    """Everybody's exact rating and number of rated matches, from their profiles."""
    reader = evening.guests[0]
    profiles = {guest.id: reader.get(f"players/{guest.id}/") for guest in evening.guests}
    return {
        player: (profile["rating"]["exact"], profile["rating"]["matches"])
        for player, profile in profiles.items()
    }


def counted(hands: dict[str, Hand]) -> dict[str, tuple[str, int]]:
    return {player: (exact(hand.rating), hand.matches) for player, hand in hands.items()}


def wait_for(true: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < until, "it did not come in time"
        time.sleep(0.2)


def everything_agrees(evening: Evening, hands: dict[str, Hand], matches: list[Played]) -> None:
    """Profiles, the leaderboard, own places and the matches' results are as counted by hand."""
    assert shown(evening) == counted(hands)
    assert sum(hand.rating for hand in hands.values()) == 1_500_000 * len(hands)
    listed = {player: whole(hand.rating) for player, hand in hands.items() if hand.matches}
    ranks = {p: 1 + sum(other > own for other in listed.values()) for p, own in listed.items()}
    reader = evening.guests[0]
    board = reader.get("leaderboard/")["results"]
    assert {line["player"]["id"]: line["rank"] for line in board} == ranks
    assert {line["player"]["id"]: line["rating"]["shown"] for line in board} == listed
    assert [line["rank"] for line in board] == sorted(ranks.values())
    for guest in evening.guests:
        assert guest.get(f"players/{guest.id}/")["rank"] == ranks.get(guest.id)
        assert guest.get("leaderboard/me/")["rank"] == ranks.get(guest.id)
    for match in matches:
        result = reader.get(f"matches/{match.id}/")["result"]
        told = [(seat.get("rating_before"), seat.get("rating_after")) for seat in result]
        moves = [hands[player].moves.get(match.id) for player in match.players]
        assert told == [(exact(m[0]), exact(m[1])) if m else (None, None) for m in moves]


def no_difference() -> None:
    out = StringIO()
    call_command("recompute_ratings", check=True, json=True, stdout=out)
    found = json.loads(out.getvalue())
    assert (found["differing_players"], found["differing_counts"]) == (0, 0)


@pytest.fixture
def guests(workers: Service) -> Any:
    made: list[Guest] = []
    for number in range(8):
        made.append(Guest(workers.url, f"Ranked {number}"))
        made[-1].open()
    yield made
    for guest in made:
        guest.close()


def test_eight_guests_play_a_ranked_evening(guests: list[Guest]) -> None:
    running_season(now=timezone.now())
    Season.objects.update(provisional_matches=1)  # one match is enough to be listed
    evening = Evening(guests, played={guest.id: [] for guest in guests})
    host, member, *others = guests
    code = host.post("parties/", 201)["code"]
    member.post(f"parties/{code}/join/")
    with ThreadPoolExecutor(len(guests)) as pool:
        lives = [
            pool.submit(
                spend,
                evening,
                guest,
                host=guest is not member,
                party=code,
                declines=guest is others[-1],
            )
            for guest in guests
        ]
        for life in lives:
            life.result()

    # Whoever declined paid nothing the first time, and played all the same.
    [declined] = evening.declined
    assert declined["status"] == "none"
    assert len(evening.played[others[-1].id]) >= MATCHES
    assert set(evening.played[host.id]) == set(evening.played[member.id])

    # Ratings as counted by hand, and the same everywhere.
    ids = {match for played in evening.played.values() for match in played}
    party = {host.id, member.id}
    matches = sorted(
        (look_up(evening, party, match) for match in ids), key=lambda match: match.finished_at
    )
    assert len(matches) >= 2
    players = [guest.id for guest in guests]
    hands = by_hand(matches, players)
    everything_agrees(evening, hands, matches)
    no_difference()

    # A match is made void: who watches is told, its players get a notice, ratings follow.
    void, later = matches[0], matches[1:]
    inside = next(guest for guest in guests if guest.id in void.players)
    for guest in guests:
        guest.drop()
    inside.open()
    inside.send("subscribe", match=void.id)
    inside.wait_for("snapshot", match=void.id)
    call_command("void_match", void.id, reason="A fault of ours", stdout=StringIO())
    told = inside.wait_for("events", match=void.id)
    assert [(e["type"], e.get("reason")) for e in told["events"]] == [
        ("match_voided", "A fault of ours")
    ]
    assert told["view"]["status"] == "void"
    kinds = [n["kind"] for n in inside.get("players/me/notices/")["results"]]
    assert "match_voided" in kinds
    without = by_hand(later, players)
    wait_for(lambda: shown(evening) == counted(without))
    everything_agrees(evening, without, matches)
    no_difference()

    # And it counts again, as if nothing had been.
    call_command("restore_match", void.id, reason="It was none", stdout=StringIO())
    told = inside.wait_for("events", match=void.id)
    assert [event["type"] for event in told["events"]] == ["match_restored"]
    wait_for(lambda: shown(evening) == counted(hands))
    everything_agrees(evening, hands, matches)
    no_difference()
    for match in matches:
        call_command("verify_match", match.id, stdout=StringIO())
