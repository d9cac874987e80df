"""Leaderboards, seasons and the reasons of ratings over REST (api.md)."""

from datetime import timedelta
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from ratings import services
from tests.rated import finish, listed, players
from tests.rest import Program, new_program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey")]


def following(program: Program, link: str) -> dict:
    """The page that a list links to."""
    parts = urlsplit(link)
    assert parts.path.startswith("/api/v1/")
    return program.get(f"{parts.path.removeprefix('/api/v1/')}?{parts.query}").json()


def test_the_board_shows_ranks_names_and_ratings():
    who = listed([1600.4, 1500], at=timezone.now())
    body = new_program().get("leaderboard/").json()
    assert (body["next"], body["previous"]) == (None, None)
    first = body["results"][0]
    assert first["rank"] == 1
    assert set(first["player"]) == {"id", "display_name", "tag"}
    assert first["player"]["id"] == str(who[0])
    assert first["rating"] == {
        "exact": "1600.400",
        "shown": 1600,
        "provisional": False,
        "matches": 20,
        "peak": 1600,
    }


def test_pages_of_equal_ratings_have_everybody_once():
    who = listed([1500] * 50, at=timezone.now())
    program = new_program()
    page = program.get("leaderboard/?limit=20").json()
    seen = list(page["results"])
    while page["next"]:
        page = following(program, page["next"])
        seen += page["results"]
    assert sorted(UUID(line["player"]["id"]) for line in seen) == sorted(who)
    assert {line["rank"] for line in seen} == {1}
    back = following(program, page["previous"])
    assert back["results"] == seen[20:40]


def test_around_me_and_around_somebody():
    now = timezone.now()
    who = listed(range(1400, 1450), at=now)
    program = new_program()
    body = program.get(f"leaderboard/?around={who[25]}").json()
    ids = [line["player"]["id"] for line in body["results"]]
    assert ids == [str(player) for player in who[5:46][::-1]]
    assert following(program, body["next"])["results"][0]["player"]["id"] == str(who[4])
    assert program.get("leaderboard/?around=me").json()["results"] == []


def test_own_standing_says_what_is_missing():
    program = new_program()
    assert program.get("leaderboard/me/").json() == {
        "rank": None,
        "percentile": None,
        "missing": [{"code": "too_few_matches", "have": 0, "need": 20}],
        "rating": {
            "exact": "1500.000",
            "shown": 1500,
            "provisional": True,
            "matches": 0,
            "peak": 1500,
        },
    }


def test_ld_05_board_profile_and_own_standing_agree():
    now = timezone.now()
    program, (rival,) = new_program(), players(1)
    for _ in range(20):
        finish([UUID(program.id), rival], [1, 2], at=now)
    own = program.get("leaderboard/me/").json()
    profile = program.get(f"players/{program.id}/").json()
    line = program.get("leaderboard/").json()["results"][0]
    assert own["rank"] == profile["rank"] == line["rank"] == 1
    assert own["rating"] == profile["rating"] == line["rating"]
    assert (own["percentile"], own["missing"]) == (50.0, [])
    peak = program.get(f"players/{program.id}/statistics/").json()["rating_peak"]
    assert peak == own["rating"]["peak"]


def test_history_has_a_point_for_each_rated_match():
    now = timezone.now()
    who = players(2)
    matches = [uuid4() for _ in range(5)]
    for number, match_id in enumerate(matches):
        finish(who, [1, 2], at=now + timedelta(minutes=number), match_id=match_id)
    program = new_program()
    page = program.get(f"players/{who[0]}/rating-history/?limit=3").json()
    points = page["results"] + following(program, page["next"])["results"]
    assert [point["match"] for point in points] == [str(match) for match in matches[::-1]]
    assert points[-1]["rating_before"] == "1500.000"
    assert points[-1]["rating_after"] == "1516.000"
    assert points[-1]["change"] == "16.000"
    assert points[0]["at"].endswith("Z")
    assert program.get(f"players/{uuid4()}/rating-history/").status_code == 404


def test_history_pages_lead_forth_and_back():
    who = players(2)
    matches = [uuid4() for _ in range(7)]
    for match_id in matches:
        finish(who, [1, 2], match_id=match_id)
    newest = [str(match) for match in matches[::-1]]
    program = new_program()
    pages = [program.get(f"players/{who[0]}/rating-history/?limit=3").json()]
    while pages[-1]["next"]:
        pages.append(following(program, pages[-1]["next"]))
    assert [[one["match"] for one in page["results"]] for page in pages] == [
        newest[:3],
        newest[3:6],
        newest[6:],
    ]
    assert pages[0]["previous"] is None
    second = following(program, pages[2]["previous"])
    assert second["results"] == pages[1]["results"]
    assert following(program, second["next"])["results"] == pages[2]["results"]
    first = following(program, second["previous"])
    assert (first["results"], first["previous"]) == (pages[0]["results"], None)


def test_distribution_counts_the_board():
    listed([1500, 1510, 1620], at=timezone.now())
    assert new_program().get("leaderboard/distribution/").json() == [
        {"from": 1500, "to": 1549, "players": 2},
        {"from": 1550, "to": 1599, "players": 0},
        {"from": 1600, "to": 1649, "players": 1},
    ]


def test_seasons_are_listed_and_old_boards_stay():
    now = timezone.now()
    who = listed([1500], at=now)
    services.change_season(now=now)
    program = new_program()
    seasons = program.get("seasons/").json()["results"]
    assert [(one["number"], one["status"]) for one in seasons] == [(2, "running"), (1, "finished")]
    assert set(seasons[0]) == {"id", "number", "starts_at", "ends_at", "status"}
    assert program.get("leaderboard/").json()["results"] == []
    old = program.get("leaderboard/?season=1").json()["results"]
    assert [line["player"]["id"] for line in old] == [str(who[0])]


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("leaderboard/?season=9", 404, "season_not_found"),
        ("leaderboard/?season=x", 400, "invalid"),
        ("leaderboard/?season=99999999999999", 400, "invalid"),
        ("leaderboard/?around=nobody", 400, "invalid"),
        ("leaderboard/?cursor=x", 400, "bad_cursor"),
        ("leaderboard/?cursor=YTp4Ong", 400, "bad_cursor"),
        ("leaderboard/distribution/?season=9", 404, "season_not_found"),
        ("leaderboard/me/?season=9", 404, "season_not_found"),
    ],
)
def test_nonsense_is_refused(path, status, code):
    answer = new_program().get(path)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_a_guest_may_read_all_but_the_own_standing(client):
    assert client.get("/api/v1/leaderboard/").status_code == 200
    assert client.get("/api/v1/leaderboard/distribution/").status_code == 200
    assert client.get("/api/v1/seasons/").status_code == 200
    assert client.get("/api/v1/leaderboard/me/").status_code == 401
    refused = client.get("/api/v1/leaderboard/?around=me")
    assert (refused.status_code, refused.json()["code"]) == (401, "not_authenticated")
