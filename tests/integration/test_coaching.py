"""The chart of any rules, advice on the own turn, and what decisions cost afterwards."""

import random
from uuid import UUID, uuid4

import pytest
from celery import current_app
from django.test import Client

from tables.blackjack.events import MatchKind
from tables.blackjack.ruleset import OPTIONS, Ruleset
from tables.blackjack.strategy import relevant_key, solve
from tables.clocks import clocks
from tables.models import MatchStep, StoredStrategy, Urgency
from tables.selectors import edges
from tables.selectors import strategies as reading
from tables.services import strategies
from tables.services.batch import Decide, Leave, Wake, apply_one
from tests.play import a_match, decide, play_to_the_end, view_now
from tests.rest import Program, new_program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey")]


@pytest.fixture(autouse=True)
def _nothing_known():
    reading.stored.cache_clear()
    edges._known.clear()
    yield
    reading.stored.cache_clear()
    edges._known.clear()


def refused(answer, status, code):
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.content
    return answer.json()


# The chart


def test_a_chart_is_computed_once_somebody_asks_for_it(django_capture_on_commit_callbacks):
    guest = Program()
    with django_capture_on_commit_callbacks() as effects:
        asked = guest.get("rules/strategy/?decks=1&rounds=3")
    assert len(effects) == 1
    assert (asked.status_code, asked.headers["Retry-After"]) == (202, "2")
    assert asked.json() == {"status": "computing"}
    strategies.compute_wanted()
    told = guest.get("rules/strategy/?decks=1&rounds=3")
    assert told.status_code == 200
    chart = told.json()
    assert chart["rules"]["decks"] == 1
    assert chart["edge"] == pytest.approx(0.00144, abs=0.00001)
    assert chart["effect"] is None
    assert chart["hands"]["hard 16"]["T"]["best"] == "hit"
    assert "surrender" not in chart["hands"]["hard 16"]["T"]
    assert chart["up_cards"] == list("A23456789T")
    assert [row["hand"] for row in chart["chart"]] == list(chart["hands"])
    eleven = next(row for row in chart["chart"] if row["hand"] == "hard 11")
    assert eleven["kind"] == "hard"
    assert eleven["cells"][5] == {"up": "6", "best": "double", "otherwise": "hit"}
    strategies.compute(Ruleset())
    assert guest.get("rules/strategy/?decks=1").json()["effect"] == pytest.approx(0.55, abs=0.01)
    assert guest.get("rules/strategy/").json()["effect"] == 0


def test_bad_rules_are_refused_by_name():
    answer = refused(Program().get("rules/strategy/?decks=9&sofa=1&insurance=1"), 400, "bad_rules")
    assert [error["field"] for error in answer["errors"]] == [
        "rules.decks",
        "rules.sofa",
        "rules.insurance",
    ]
    answer = refused(Program().get("rules/strategy/?decks=1&decks=2&soft17=hit"), 400, "invalid")
    assert [(one["field"], one["code"]) for one in answer["errors"]] == [("decks", "repeated")]
    both = "rules/strategy/?surrender=late&hole_card=european"
    assert refused(Program().get(both), 400, "bad_rules")["errors"][0]["field"] == "rules.surrender"
    assert not StoredStrategy.objects.exists()


def test_every_option_is_read_from_the_address():
    given = "&".join(
        f"{option.key}={str(option.default).lower() if option.default is not None else 'null'}"
        for option in OPTIONS
    )
    assert Program().get(f"rules/strategy/?{given}").status_code == 202
    assert StoredStrategy.objects.get().pk == relevant_key(Ruleset())


def test_a_guest_has_five_cold_rule_sets_an_hour_and_any_number_of_warm_ones():
    def ask(decks, address="198.51.100.7"):
        return Client().get(f"/api/v1/rules/strategy/?decks={decks}", REMOTE_ADDR=address)

    for decks in (1, 2, 3, 4, 5, 5, 4):
        assert ask(decks).status_code == 202
    limited = ask(6)
    refused(limited, 429, "throttled")
    assert 600 < int(limited.headers["Retry-After"]) <= 720
    assert ask(5).status_code == 202
    assert ask(6, "198.51.100.8").status_code == 202
    assert ask(6).status_code == 202
    player = new_program()
    for decks in (7, 8):
        assert player.get(f"rules/strategy/?decks={decks}").status_code == 202


# Advice


def alone(**rules):
    program = new_program()
    strategies.compute(Ruleset(**rules))
    view = program.post("matches/", {"rules": rules}).json()
    return program, view


def act(program, view, action, **more):
    body = {"action": action, "version": view["version"], **more}
    answer = program.post(f"matches/{view['id']}/actions/", body)
    assert answer.status_code == 200, answer.content
    return answer.json()


@pytest.mark.django_db(transaction=True)
def test_advice_says_the_best_action_and_what_each_is_worth(known_shoes):
    program, view = alone(rounds=30)
    advice = program.get(f"matches/{view['id']}/advice/").json()
    assert advice["phase"] == "betting"
    assert (advice["best"], advice["amount"]) == ("bet", 10)
    assert advice["actions"] == [{"action": "bet", "value": pytest.approx(-0.00406, abs=0.00001)}]
    hands = solve(Ruleset()).hands
    phases = set()
    for _ in range(300):
        advice = program.get(f"matches/{view['id']}/advice/").json()
        turn = view["to_act"]
        phases.add(advice["phase"])
        assert (advice["version"], advice["phase"]) == (view["version"], turn["phase"])
        assert advice["hand"] == turn["hand"]
        assert {each["action"] for each in advice["actions"]} == {
            each["action"] for each in turn["legal"]
        }
        values = [each["value"] for each in advice["actions"]]
        assert values == sorted(values, reverse=True)
        assert advice["best"] == advice["actions"][0]["action"]
        if turn["phase"] == "insurance":
            assert advice["best"] == "decline"
        if turn["phase"] == "playing":
            cards = view["seats"][0]["hands"][turn["hand"]]["cards"]
            if cards == ["TS", "6H"]:
                up = view["dealer"]["cards"][0][0]
                assert advice["best"] == hands["hard 16"]["T" if up in "JQK" else up].best
        amount = {"amount": advice["amount"]} if advice["amount"] else {}
        view = act(program, view, advice["best"], **amount)
        if view["to_act"] is None:
            break
    refused(program.get(f"matches/{view['id']}/advice/"), 409, "match_over")
    assert phases == {"betting", "insurance", "playing"}
    analysis = program.get(f"matches/{view['id']}/analysis/").json()
    assert analysis["chips"] == 0
    assert {each["cost"] for each in analysis["decisions"]} == {0}


def test_advice_is_for_the_own_turn_of_a_casual_match():
    first, second, stranger = (new_program() for _ in range(3))
    players = [UUID(first.id), UUID(second.id)]
    match = a_match(players)
    strategies.compute(Ruleset())
    address = f"matches/{match.pk}/advice/"
    assert first.get(address).json()["best"] == "bet"
    refused(second.get(address), 409, "not_your_turn")
    refused(stranger.get(address), 404, "match_not_found")
    refused(Program().get(address), 401, "not_authenticated")
    refused(first.get(f"matches/{uuid4()}/advice/"), 404, "match_not_found")
    type(match).objects.update(watchable=True)
    refused(stranger.get(address), 403, "not_your_seat")


def test_there_is_no_advice_in_ranked_matches():
    programs = [new_program() for _ in range(2)]
    strategies.compute(Ruleset())
    match = a_match([UUID(program.id) for program in programs], kind=MatchKind.RANKED)
    for program in programs:
        refused(program.get(f"matches/{match.pk}/advice/"), 403, "no_advice")
        refused(program.get(f"matches/{match.pk}/analysis/"), 409, "match_not_over")


def test_advice_that_is_still_computed_is_there_in_a_moment(monkeypatch):
    monkeypatch.setattr(current_app, "send_task", lambda *_, **__: None)
    program = new_program()
    match = a_match([UUID(program.id)], decks=3)
    answer = program.get(f"matches/{match.pk}/advice/")
    assert (answer.status_code, answer.headers["Retry-After"]) == (202, "2")
    assert answer.json() == {"status": "computing"}
    assert StoredStrategy.objects.get().urgency == Urgency.MATCH
    strategies.compute_wanted()
    assert program.get(f"matches/{match.pk}/advice/").status_code == 200


# Analysis


@pytest.mark.django_db(transaction=True)
def test_what_a_mistake_cost_is_told_afterwards():
    program, view = alone(rounds=20, insurance=False)
    mistakes = 0
    while view["to_act"] is not None:
        turn = view["to_act"]
        if turn["phase"] == "betting":
            view = act(program, view, "bet", amount=50 if view["seats"][0]["chips"] >= 50 else 10)
            continue
        hand = view["seats"][0]["hands"][turn["hand"]]
        low = hand["total"] <= 11 and not hand["soft"]
        mistakes += low
        view = act(program, view, "stand")
    analysis = program.get(f"matches/{view['id']}/analysis/").json()
    assert set(analysis) == {"seat", "decisions", "chips"}
    assert analysis["seat"] == 1
    by_stand = [each for each in analysis["decisions"] if each["action"] == "stand"]
    assert len(by_stand) == len(analysis["decisions"])
    lows = [each for each in by_stand if each["cost"] > 0.05 and each["best"] != "stand"]
    assert len(lows) >= mistakes > 0
    for each in analysis["decisions"]:
        assert set(each) == {
            "version", "round", "phase", "hand", "cards", "up", "action", "by", "best", "actions",
            "cost", "chips",
        }  # fmt: skip
        values = {each["action"]: each["value"] for each in each["actions"]}
        assert each["cost"] == pytest.approx(values[each["best"]] - values["stand"], abs=1e-5)
        assert each["by"] == "player"
        bets = {round(each["chips"] / each["cost"]) for _ in "x" if each["cost"] > 0.3}
        assert bets <= {50, 10}
    total = sum(each["chips"] for each in analysis["decisions"])
    assert analysis["chips"] == pytest.approx(total, abs=0.01)
    assert "seed" not in str(analysis)


@pytest.fixture
def hasty_cpu(settings):
    """The CPU does not pause for people to follow."""
    settings.CPU_PAUSE = 0.0
    clocks.cache_clear()
    yield
    clocks.cache_clear()


def test_everybody_sees_their_own_decisions_and_who_took_them(hasty_cpu):
    programs = [new_program() for _ in range(2)]
    players = [UUID(program.id) for program in programs]
    strategies.compute(Ruleset(rounds=3))
    match = a_match(players, rounds=3)
    refused(programs[0].get(f"matches/{match.pk}/analysis/"), 409, "match_not_over")
    dice = random.Random(3)
    view = view_now(match, players[0])
    for _ in range(6):
        view = decide(match, view, dice)
    apply_one(Leave(match.pk, players[1]))
    for _ in range(400):
        view = view_now(match, players[0])
        if view.to_act is None:
            break
        if view.to_act.seat == 1:
            legal = view.to_act.legal[0]
            apply_one(Decide(match.pk, players[0], legal.action, view.version, legal.min))
        else:
            apply_one(Wake(match.pk))
    assert view.to_act is None
    for number, program in enumerate(programs, start=1):
        analysis = program.get(f"matches/{match.pk}/analysis/").json()
        steps = MatchStep.objects.filter(match=match, kind="decision", seat=number)
        told = {
            step.version: step.payload for step in steps if '"action":"bet"' not in step.payload
        }
        assert {each["version"] for each in analysis["decisions"]} == set(told)
        for each in analysis["decisions"]:
            assert f'"by":"{each["by"]}"' in told[each["version"]]
            assert f'"action":"{each["action"]}"' in told[each["version"]]
            if each["by"] == "cpu":
                assert each["cost"] == 0
    refused(new_program().get(f"matches/{match.pk}/analysis/"), 403, "not_your_seat")
    refused(Program().get(f"matches/{match.pk}/analysis/"), 401, "not_authenticated")


@pytest.mark.parametrize(
    "rules",
    [
        {"surrender": "late", "resplit_aces": True, "split_by": "value"},
        {"hole_card": "european", "decks": 1},
    ],
)
def test_whole_random_matches_can_be_analysed(rules):
    program = new_program()
    strategies.compute(Ruleset(rounds=50, **rules))
    match = play_to_the_end(a_match([UUID(program.id)], rounds=50, rebuys=5, **rules), seed=5)
    analysis = program.get(f"matches/{match.pk}/analysis/").json()
    assert len(analysis["decisions"]) > 40
    assert all(each["cost"] >= 0 for each in analysis["decisions"])
    assert analysis["chips"] > 0
