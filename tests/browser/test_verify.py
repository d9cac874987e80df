"""The check of the shuffles in the browser: honest records pass, every lie is found, and said."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect

from tables.blackjack.ruleset import Ruleset
from tables.models import Match
from tests.browser import play
from tests.browser.test_table_element import WCAG
from tests.conftest import Service
from tests.contracts.test_fairness_checker import told
from tests.play import a_match, guests, play_to_the_end
from tests.unit.blackjack_engine.matches import random_action
from tests.unit.blackjack_engine.test_blackjack_shoe import CROWD, RUN_OUT, split_and_hit

pytestmark = pytest.mark.timeout(180)
served = pytest.mark.django_db(transaction=True)

Event = dict[str, Any]

CHECK = """async (records) => {
  const { isWhole, shoesOf, stepsOf } = await import("/static/taku/js/fairness.js");
  return JSON.parse(records).map((events) => {
    const shoes = shoesOf(events);
    const faults = shoes.flatMap((shoe) => [...stepsOf(shoe)].filter(({ ok }) => !ok));
    return { whole: isWhole(events), shoes: shoes.length, faults: faults.map(({ name }) => name) };
  });
}"""


def numbered(events: list[Event]) -> list[Event]:
    """The record as it is told: in order, with its end."""
    told = [*events, {"type": "match_finished", "result": []}]
    return [event | {"seq": number} for number, event in enumerate(told, start=1)]


def random_match(seats: int, number: int, **rules: object) -> list[Event]:
    dice = random.Random(number)
    return told(Ruleset(**rules), seats, number, lambda state: random_action(state, dice))


def test_digests_are_those_of_the_standard_library(page: Page, stage_url: str) -> None:
    page.goto(stage_url)
    texts = [random.Random(length).randbytes(length) for length in (*range(140), 1000)]
    digests = page.evaluate(
        """async (texts) => {
          const { bytesOf, hexOf, sha256 } = await import("/static/taku/js/sha256.js");
          return texts.map((hex) => hexOf(sha256(bytesOf(hex))));
        }""",
        [text.hex() for text in texts],
    )
    assert digests == [hashlib.sha256(text).hexdigest() for text in texts]


def test_honest_records_pass_also_when_a_shoe_runs_out_within_a_round(
    page: Page, stage_url: str
) -> None:
    page.goto(stage_url)
    records = [told(CROWD, seats, number, split_and_hit) for seats, number in RUN_OUT]
    records += [random_match(seats, 9 * seats, decks=1, rounds=12) for seats in (1, 4)]
    checked = page.evaluate(CHECK, json.dumps([numbered(record) for record in records]))
    for record, found in zip(records, checked, strict=True):
        shoes = sum(event["type"] == "shoe_started" for event in record)
        assert found == {"whole": True, "shoes": shoes, "faults": []}


def test_every_single_lie_about_a_card_is_found(page: Page, stage_url: str) -> None:
    page.goto(stage_url)
    honest = numbered(random_match(2, 5, decks=1, rounds=5))
    places = [n for n, event in enumerate(honest) if event.get("card")]
    lies = []
    for place in places:
        lie = json.loads(json.dumps(honest))
        card = lie[place]["card"]
        lie[place]["card"] = "2S" if card != "2S" else "KH"
        lies.append(lie)
    assert len(lies) > 20
    for found in page.evaluate(CHECK, json.dumps(lies)):
        assert found["faults"]


Lie = Callable[[list[Event]], list[Event]]


def first(events: list[Event], kind: str) -> Event:
    return next(event for event in events if event["type"] == kind)


def another_card(events: list[Event]) -> list[Event]:
    event = next(event for event in events if event["type"] == "card_dealt" and event["card"])
    event["card"] = "2S" if event["card"] != "2S" else "KH"
    return events


def another_seed(events: list[Event]) -> list[Event]:
    first(events, "shoe_revealed")["seed"] = "00" * 32
    return events


def another_commitment(events: list[Event]) -> list[Event]:
    """Seed and hash agree, but the shoe was promised otherwise."""
    first(events, "shoe_started")["commitment"] = "sha256:" + hashlib.sha256(bytes(32)).hexdigest()
    return another_seed(events)


def no_seed(events: list[Event]) -> list[Event]:
    first(events, "shoe_revealed")["seed"] = None
    return events


def another_size(events: list[Event]) -> list[Event]:
    first(events, "shoe_started")["size"] += 1
    return events


def a_gap(events: list[Event]) -> list[Event]:
    events.remove(next(event for event in events if event["type"] == "card_dealt"))
    return events


def no_end(events: list[Event]) -> list[Event]:
    return [event for event in events if event["type"] != "match_finished"]


def nonsense(events: list[Event]) -> list[Event]:
    first(events, "match_started")["rules"] = None
    return events


def finished(**rules: object) -> Match:
    return play_to_the_end(a_match(guests(2), **rules), 4)


def lie_to(page: Page, lie: Lie) -> None:
    """The page gets a record that somebody has changed."""

    def answer(route: Route) -> None:
        response = route.fetch()
        body = response.json()
        if body["events"]:
            body["events"] = lie(body["events"])
        route.fulfill(response=response, json=body)

    page.route("**/events/**", answer)


@served
@pytest.mark.parametrize(
    ("lie", "words"),
    [
        (another_card, "シュー1：配られた札が、シードの決めた順番と違います。"),
        (another_seed, "シュー1：公開されたシードは、約束されたものではありません。"),
        (another_commitment, "シュー1："),
        (no_seed, "シュー1：シードが公開されていません。"),
        (another_size, "シュー1：シューの枚数が合いません。"),
        (a_gap, "記録が欠けているか、読めません。"),
        (no_end, "記録が欠けているか、読めません。"),
        (nonsense, "記録が欠けているか、読めません。"),
    ],
)
def test_a_tampered_record_fails_loudly(page: Page, service: Service, lie: Lie, words: str) -> None:
    match = finished(rounds=2)
    lie_to(page, lie)
    page.goto(f"{service.url}/m/{match.pk}/verify/")
    alert = page.get_by_role("alert").filter(has_text="この記録は約束と一致しません")
    expect(alert).to_be_visible()
    expect(alert).to_contain_text(words)
    expect(page.get_by_text("札は約束のとおりに配られました")).to_have_count(0)
    expect(page).to_have_title(re.compile("この記録は約束と一致しません"))


@served
def test_an_honest_match_is_proven_in_words_without_the_browsers_own_digests(
    page: Page, service: Service
) -> None:
    page.add_init_script(
        "Object.defineProperty(Crypto.prototype, 'subtle', { get() { throw new Error('none'); } })"
    )
    match = finished(rounds=8, decks=1)
    page.goto(f"{service.url}/m/{match.pk}/verify/")
    expect(page.locator("#check")).to_have_attribute("data-verdict", "proven")
    expect(page.get_by_role("heading", name="札は約束のとおりに配られました")).to_be_visible()
    events = page.request.get(f"{service.url}/api/v1/matches/{match.pk}/events/").json()["events"]
    shoes = sum(event["type"] == "shoe_started" for event in events)
    dealt = sum(event["type"] == "card_dealt" for event in events)
    assert shoes > 1
    expect(page.locator(".verdict")).to_contain_text(f"シュー{shoes}組、札{dealt}枚を")
    expect(page.locator(".shoe")).to_have_count(shoes)
    expect(page.locator(".steps .not")).to_have_count(0)
    expect(page.locator(".steps li")).to_have_count(5 * shoes)
    page.locator("summary").first.click()
    cards = [event["card"] for event in events if event["type"] == "card_dealt"]
    assert page.locator(".shoe").first.locator(".dealt li").count() <= len(cards)


@served
def test_a_match_that_goes_on_shows_its_promises_and_nothing_more(
    page: Page, service: Service
) -> None:
    play.start_alone(page, service.url)
    address = page.url
    page.get_by_role("button", name="メニュー").click()
    page.get_by_role("link", name="シャッフルの検証").click()
    page.wait_for_url("**/verify/")
    expect(page.locator("#check")).to_have_attribute("data-verdict", "waiting")
    expect(page.locator("#check")).to_contain_text("sha256:")
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    play.play_to_the_end(page)
    page.goto(address + "verify/")
    expect(page.locator("#check")).to_have_attribute("data-verdict", "proven")


@served
def test_without_script_the_values_are_there(browser: Browser, service: Service) -> None:
    match = finished(rounds=2)
    context = browser.new_context(java_script_enabled=False, locale="en-GB")
    page = context.new_page()
    page.goto(f"{service.url}/m/{match.pk}/verify/")
    shoes = page.request.get(f"{service.url}/api/v1/matches/{match.pk}/fairness/").json()["shoes"]
    for shoe in shoes:
        expect(page.locator("main")).to_contain_text(shoe["commitment"])
        expect(page.locator("main")).to_contain_text(shoe["seed"])
    context.close()


@served
@pytest.mark.parametrize(("locale", "theme"), [("ja-JP", "light"), ("en-GB", "dark")])
@pytest.mark.parametrize("lie", [None, another_card])
def test_check_is_for_everybody(
    page: Page, service: Service, locale: str, theme: str, lie: Lie | None
) -> None:
    page.emulate_media(color_scheme=theme)
    if lie is not None:
        lie_to(page, lie)
    match = finished(rounds=2)
    page.goto(f"{service.url}/m/{match.pk}/verify/")
    page.wait_for_selector("html[data-ready]")
    page.locator("summary").first.click()
    found = Axe().run(page, options=WCAG)
    assert found.violations_count == 0, found.generate_report()
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.set_viewport_size({"width": 360, "height": 640})
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
