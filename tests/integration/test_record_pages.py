"""Profile, leaderboard and history say what the API says, and stand what anybody asks of them."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client

from accounts.models import Player
from ratings import services
from ratings.models import Rating, Season
from tables.blackjack.actions import ActionName
from tables.blackjack.events import MatchKind
from tables.blackjack.ruleset import Ruleset
from tables.models import Match
from tables.services import strategies
from tables.services.batch import Decide, PlayOut, apply_one
from tests import rated
from tests.play import a_match, play_to_the_end
from tests.rest import Program, new_program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey")]

RANKED = {"kind": MatchKind.RANKED, "turn_seconds": 30, "rounds": 2}


def shown(program: Program, address: str, status: int = 200, language: str = "en") -> str:
    """A page's text as this account sees it, in this language."""
    player = Player.objects.filter(pk=program.id).first() if program.id else None
    if player is not None:
        player.settings = {**player.settings, "language": language}
        player.save()
    answer = program.client.get(address, headers={"Accept-Language": language}, **program.headers)
    assert answer.status_code == status, answer.content
    text = re.sub(r"<head>.*?</head>", "", answer.content.decode(), flags=re.DOTALL)
    text = re.sub(r"<[^>]+>", " ", text)
    return re.sub(r"\s+", " ", html.unescape(text))


def figure(text: str, name: str) -> str:
    """What stands after a name."""
    found = re.search(rf"{name} (\S+)", text)
    assert found, f"{name} in {text}"
    return found[1]


def rivals() -> tuple[Program, Program, list[UUID]]:
    first, second = new_program(), new_program()
    return first, second, [UUID(first.id), UUID(second.id)]


def test_profile_says_what_the_api_says(known_shoes: None) -> None:
    first, second, ids = rivals()
    for seed in range(3):
        play_to_the_end(a_match(ids, **RANKED), seed)
    play_to_the_end(a_match(ids[:1], rounds=3))
    profile = first.get(f"players/{first.id}/").json()
    figures = first.get(f"players/{first.id}/statistics/").json()
    points = first.get(f"players/{first.id}/rating-history/").json()["results"]
    page = shown(second, f"/players/{first.id}/")
    assert profile["display_name"] in page
    assert f"#{profile['tag']}" in page
    assert f"Rating {profile['rating']['shown']:,} provisional" in page
    assert f"Peak rating {figures['rating_peak']:,}" in page
    for name, how in (("Wins", "win"), ("Draws", "draw"), ("Losses", "lose")):
        assert figure(page, name) == str(profile["results"][how])
    for name, key in (
        ("Rounds", "rounds"),
        ("Blackjacks", "blackjacks"),
        ("Busts", "busts"),
        ("Doubles", "doubles"),
        ("Splits", "splits"),
    ):
        assert figure(page, name) == str(figures[key])
    per_hundred = f"{figures['chips_won_per_100_placed']:+}".replace("-", "−")
    assert f"{per_hundred} points" in page
    assert len(points) == 3
    for point in points:
        before, after = (float(point[when]) for when in ("rating_before", "rating_after"))
        assert f"{before:,.3f} {after:,.3f}" in page
    assert "Ranked matches shown: 3." in page


def test_profile_of_somebody_new_says_what_will_be_here() -> None:
    newcomer = new_program()
    page = shown(newcomer, f"/players/{newcomer.id}/")
    assert "After the first ranked match the rating over time will be here." in page
    assert "There are no ranked matches yet." in page
    page = shown(newcomer, f"/players/{newcomer.id}/", language="ja")
    assert "ランク戦を1試合終えると" in page


def test_hidden_ratings_are_not_on_a_profile() -> None:
    first, _, ids = rivals()
    play_to_the_end(a_match(ids, **RANKED))
    first.send("PATCH", "players/me/", {"settings": {"hide_ratings": True}})
    page = shown(first, f"/players/{first.id}/")
    assert "Ratings are hidden by your settings." in page
    assert "Peak rating" not in page


def test_hidden_ratings_are_not_on_the_leaderboard() -> None:
    me, _, ids = rivals()
    rated.listed([1511, 1622])
    for number in range(20):
        rated.finish(ids, [1, 2], at=rated.NOW + timedelta(minutes=number))
    assert re.search(r"Rank 1 rating [\d,]+", shown(me, "/ranking/"))
    assert "1,622" in shown(me, "/ranking/")
    me.send("PATCH", "players/me/", {"settings": {"hide_ratings": True}})
    page = shown(me, "/ranking/")
    assert "Rank 1 " in page
    assert "Rating" not in page
    assert not re.search(r"rating \d", page)
    assert "1,622" not in page


def test_hands_on_a_profile_are_won_drawn_or_lost(known_shoes: None) -> None:
    """Also those that a blackjack, a bust or a surrender decided."""
    player = new_program()
    play_to_the_end(a_match([UUID(player.id)], rounds=10, surrender="late"), 3)
    hands = player.get(f"players/{player.id}/statistics/").json()["hands"]
    page = shown(player, f"/players/{player.id}/")
    names = ("Hands won", "Hands drawn", "Hands lost")
    assert sum(int(figure(page, name)) for name in names) == sum(hands.values())
    assert figure(page, "Hands won") == str(hands["win"] + hands["blackjack"])


def test_deleted_player_has_a_page_without_a_name() -> None:
    gone = new_program(display_name="Wanderer")
    gone.send("DELETE", "players/me/")
    page = shown(Program(), f"/players/{gone.id}/")
    assert "This account was deleted." in page
    assert "Wanderer" not in page


@pytest.mark.parametrize(
    "address",
    [
        "/players/{nobody}/",
        "/ranking/?season=77",
        "/ranking/?around=x",
        "/ranking/?around=me",
        "/ranking/?season=x",
    ],
)
def test_what_is_not_there_is_a_page_for_people(address: str) -> None:
    assert "This page is not here" in shown(Program(), address.format(nobody=uuid4()), 404)


@pytest.mark.parametrize("address", ["/ranking/", "/history/", "/players/{me}/"])
def test_a_spoiled_cursor_leads_to_the_first_page(address: str) -> None:
    program = new_program()
    address = address.format(me=program.id)
    answer = program.client.get(address + "?cursor=%FF", **program.headers)
    assert (answer.status_code, answer["Location"]) == (302, address)


def lines(client: Client, address: str, headers: dict[str, str]) -> tuple[list[Any], str | None]:
    """A leaderboard page's lines, and the address of the next."""
    text = client.get(address, headers={"Accept-Language": "en"}, **headers).content.decode()
    rows = re.findall(
        r'data-player="([^"]+)"><td>([\d,]+)</td>.*?<td><b>([\d,]+)</b></td><td>(\d+)', text
    )
    following = re.search(r'rel="next" href="([^"]+)"', text)
    return (
        [
            (player, int(rank.replace(",", "")), int(rating.replace(",", "")), int(matches))
            for player, rank, rating, matches in rows
        ],
        following and html.unescape(following[1]),
    )


def told(program: Program, address: str) -> tuple[list[Any], str | None]:
    """The same from the API."""
    answer = program.get(address).json()
    return [
        (
            line["player"]["id"],
            line["rank"],
            line["rating"]["shown"],
            line["rating"]["matches"],
        )
        for line in answer["results"]
    ], answer["next"]


def test_leaderboard_pages_and_around_me_say_what_the_api_says() -> None:
    me = new_program()
    rated.listed([1400 + 3 * (number // 2) for number in range(120)])
    address: str | None = "/ranking/"
    seen: list[Any] = []
    while address:
        rows, address = lines(me.client, address, me.headers)
        assert 1 <= len(rows) <= 50
        seen += rows
    listed: list[Any] = []
    path: str | None = "leaderboard/?limit=100"
    while path:
        rows, following = told(me, path)
        listed += rows
        path = following and following.partition("/api/v1/")[2]
    assert seen == listed
    assert len(seen) == 120
    somebody = seen[60][0]
    around, _ = lines(me.client, f"/ranking/?around={somebody}", me.headers)
    assert around == told(me, f"leaderboard/?around={somebody}")[0]
    assert around[20][0] == somebody


def test_leaderboard_says_what_is_missing() -> None:
    first, _, ids = rivals()
    play_to_the_end(a_match(ids, **RANKED))
    missing = first.get("leaderboard/me/").json()["missing"]
    assert missing == [{"code": "too_few_matches", "have": 1, "need": 20}]
    assert "Ranked matches still to play: 19 (1 of 20)." in shown(first, "/ranking/")
    assert "Play ranked matches to get a place here." in shown(Program(), "/ranking/")


def test_leaderboard_around_somebody_who_is_not_on_it_says_so() -> None:
    newcomer = new_program()
    rated.listed([1500])
    assert "This player is not listed." in shown(newcomer, "/ranking/?around=me")


def test_leaderboard_says_the_own_place() -> None:
    me = new_program()
    _, who, _ = rated.listed([1700, 1600, 1500])
    Rating.objects.filter(player_id=who).update(player_id=me.id)
    standing = me.get("leaderboard/me/").json()
    page = shown(me, "/ranking/")
    assert (standing["rank"], standing["percentile"]) == (2, 33.3)
    assert "Rank 2 rating 1,600" in page
    assert f"above {standing['percentile']} percent" in page


def test_seasons_are_offered_once_there_is_more_than_one() -> None:
    rated.listed([1700])
    page = shown(Program(), "/ranking/")
    assert "Season 1" not in page
    running = Season.objects.get(status="running")
    services.change_season(now=rated.NOW)
    page = shown(Program(), "/ranking/")
    assert f"Season {running.number}" in page
    page = shown(Program(), f"/ranking/?season={running.number}")
    assert "1,700" in page


def test_history_lists_the_own_matches_as_the_api_does(known_shoes: None) -> None:
    first, second, ids = rivals()
    matches = [play_to_the_end(a_match(ids, **RANKED), seed) for seed in range(2)]
    matches.append(play_to_the_end(a_match(ids[:1], rounds=1)))
    matches.append(a_match(ids, rounds=1))
    listed = first.get(f"players/{first.id}/matches/").json()["results"]
    page = shown(first, "/history/")
    assert len(listed) == 4
    for item in listed:
        if item["status"] == "finished":
            assert f"{item['chips']:,} points" in page
        if item["rating_change"] is not None:
            change = f"{float(item['rating_change']):+.3f}".replace("-", "−")
            assert change.replace("+0.000", "±0.000") in page
    assert "Being played" in page
    solo = shown(first, "/history/?kind=solo")
    assert solo.count("Replay") == 1
    assert "Being played" not in solo
    assert "No match fits these filters." in shown(second, "/history/?kind=solo")
    assert "There is no such filter." in shown(first, "/history/?kind=nonsense", 400)
    assert "No match fits these filters." in shown(first, "/history/?to=2001-01-01")


def test_history_in_pages_misses_and_repeats_nothing() -> None:
    program = new_program()
    ids = [UUID(program.id)]
    made = {str(play_to_the_end(a_match(ids, rounds=1)).pk) for _ in range(23)}
    seen: list[str] = []
    address: str | None = "/history/?kind=solo"
    while address:
        text = program.client.get(address, **program.headers).content.decode()
        seen += re.findall(r'class="what" href="/m/([^/]+)/"', text)
        following = re.search(r'rel="next" href="([^"]+)"', text)
        address = following and html.unescape(following[1])
        assert address is None or "kind=solo" in address
    assert len(seen) == 23
    assert set(seen) == made


def test_history_of_nobody_offers_a_beginning() -> None:
    page = shown(Program(), "/history/")
    assert "Your matches will be here" in page
    assert Match.objects.count() == 0
    assert Player.objects.count() == 0


def test_who_decided_nothing_is_told_why_they_are_rated_last() -> None:
    first, second, who = rivals()
    rules = {**RANKED, "rounds": 1}
    strategies.compute(Ruleset(rounds=1, turn_seconds=30))
    match = a_match(who, **rules)
    apply_one(Decide(match.pk, who[0], ActionName.BET, 0, 10))
    apply_one(PlayOut(match.pk))
    said = "your rating counts you as last"
    assert said in shown(second, f"/m/{match.pk}/")
    assert said not in shown(first, f"/m/{match.pk}/")


def test_names_are_text() -> None:
    sly = new_program(display_name="a<b>&amp;")
    text = sly.client.get(f"/players/{sly.id}/").content.decode()
    assert "<bdi>a&lt;b&gt;&amp;amp;</bdi>" in text
