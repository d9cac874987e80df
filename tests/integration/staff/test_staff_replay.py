"""The table on a match's page: the events and the view that everybody at the table had."""

import json
import random
import re

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from tables.blackjack.events import MatchKind
from tables.models import Match
from tables.selectors.matches import sight_of, told_until_now
from tests.play import a_match, decide, guests, play_to_the_end, view_now
from tests.rest import new_program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("known_shoes")]

RULES = {"kind": MatchKind.PARTY, "rounds": 3, "turn_seconds": 30}
BACKEND = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture
def client(staff_of):
    found = Client(headers={"accept-language": "en"})
    found.force_login(staff_of("support"), backend=BACKEND)
    return found


def told(answer):
    """What the page tells its script."""
    text = answer.content.decode()
    found = re.search(r'<script id="taku-page" type="application/json">(.*?)</script>', text)
    return json.loads(found.group(1))


def table_of(match):
    return f"/admin/tables/match/{match.pk}/table/"


def test_it_has_the_same_events_and_view_as_players(client):
    players = guests(2)
    match = play_to_the_end(a_match(players, **RULES))
    page = client.get(f"/admin/tables/match/{match.pk}/change/")
    assert f'src="{table_of(match)}"' in page.content.decode()
    assert "frame-src 'self'" in page.headers["content-security-policy"]
    answer = client.get(table_of(match))
    assert "<taku-table>" in answer.content.decode()
    assert "frame-ancestors 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["x-frame-options"] == "SAMEORIGIN"
    shown = told(answer)
    public = told_until_now(sight_of(match_id=match.pk, viewer_id=None), 0)
    assert shown["events"] == json.loads(bytes(public))
    program = new_program()
    assert shown["view"]["seats"] == program.get(f"matches/{match.pk}/").json()["seats"]
    assert shown["view"]["status"] == "finished"
    assert "you" not in shown["view"] or shown["view"]["you"] is None


def test_a_running_match_shows_neither_hole_card_nor_shoe(client):
    """AD-10: also of a match that nobody else may watch, and with a hole card on the table."""
    match = a_match(guests(2), **RULES)
    view = view_now(match)
    dice = random.Random(0)
    while view.dealer is None or not view.dealer.cards:
        view = decide(match, view, dice)
    shown = told(client.get(table_of(match)))
    assert shown["view"]["status"] == "playing"
    text = json.dumps(shown)
    seeds = re.findall(r"[0-9a-f]{64}", Match.objects.get(pk=match.pk).state)
    assert seeds
    assert not [seed for seed in seeds if seed in text]
    dealt = [event for event in shown["events"] if event["type"] == "card_dealt"]
    assert [event["card"] for event in dealt if event["seat"] is None].count(None) == 1


def test_who_may_not_look_at_matches_sees_no_table(client, staff_of):
    match = play_to_the_end(a_match(guests(1), rounds=1, turn_seconds=30))
    stranger = Client()
    assert stranger.get(table_of(match)).status_code == 302
    user = staff_of("support")
    user.groups.clear()
    assert client.get(table_of(match)).status_code == 403
    missing = table_of(match).replace(str(match.pk), "00000000-0000-7000-8000-000000000000")
    user.groups.add(Group.objects.get(name="support"))
    assert client.get(missing).status_code == 404
