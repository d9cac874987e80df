"""Ranked matches in several browsers: searching, being asked, playing, and what the rating did."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import httpx
import psycopg
import pytest
from axe_playwright_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tables.models import Offence, Penalty, Ticket, TicketMember
from tables.services.waves import _WAVE_LOCK
from tests.browser import play
from tests.browser.conftest import Watched
from tests.browser.test_table_element import WCAG
from tests.conftest import Service

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(300)]

Guest = Callable[..., Page]
SEARCH = {"ja": "ランク戦の相手を探す", "en": "Find a ranked match"}
PATIENCE = 60000


@pytest.fixture(autouse=True)
def _patience() -> Iterator[None]:
    """Several browsers on a busy machine take their time."""
    expect.set_options(timeout=PATIENCE)
    yield
    expect.set_options(timeout=5000)


@pytest.fixture
def guest(browser: Browser, watched: Watched) -> Iterator[Guest]:
    """Somebody with a browser of their own."""
    contexts: list[BrowserContext] = []

    def make(locale: str = "ja-JP") -> Page:
        context = browser.new_context(viewport={"width": 360, "height": 640}, locale=locale)
        context.set_default_timeout(PATIENCE)
        context.on("page", watched.watch)
        contexts.append(context)
        return context.new_page()

    yield make
    for context in contexts:
        context.close()


def search(page: Page, service: Service, language: str = "ja") -> None:
    """Into the queue from the landing page."""
    page.goto(service.url + "/")
    page.get_by_role("button", name=SEARCH[language]).click()
    expect(page.locator("taku-queue-bar .words b")).to_have_text(
        {"ja": "相手を待っています", "en": "Looking for opponents"}[language]
    )


def asked(page: Page, name: str = "参加の確認") -> None:
    """The question whether one is ready has come."""
    expect(page.get_by_role("dialog", name=name)).to_be_visible(timeout=PATIENCE)


def answer(page: Page, name: str) -> None:
    """Press a button of the question."""
    page.get_by_role("dialog").get_by_role("button", name=name).click()


def fine(page: Page, what: str) -> None:
    """For everybody, and nothing to scroll sideways for."""
    found = Axe().run(page, options=WCAG)
    assert found.violations_count == 0, f"{what}: {found.generate_report()}"
    width = page.viewport_size["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width, what


def test_a_search_is_in_sight_on_every_page_and_outlives_a_reload(
    page: Page, service: Service
) -> None:
    search(page, service)
    bar = page.get_by_role("region", name="ランク戦の列")
    for path in ("/", "/rules/", "/settings/", "/privacy/", "/ranking/", "/history/"):
        page.goto(service.url + path)
        expect(bar).to_contain_text("相手を待っています")
        expect(bar).to_contain_text("待っている人 1人")
        expect(bar.get_by_role("timer")).to_have_text(re.compile(r"^\d+:\d\d$"))
        fine(page, path)
    page.goto(service.url + "/")
    expect(page.get_by_role("button", name=SEARCH["ja"])).to_be_disabled()
    page.get_by_role("button", name="今すぐ遊ぶ").click()
    page.wait_for_url("**/m/*/")
    expect(bar).to_contain_text("相手を待っています")
    fine(page, "table")
    bar.get_by_role("button", name="やめる").click()
    expect(bar).to_be_hidden()
    page.reload()
    expect(page.locator("taku-queue-bar")).to_be_hidden()


@contextmanager
def no_wave(service: Service) -> Iterator[None]:
    """Nobody is paired meanwhile: browsers press one after the other."""
    with psycopg.connect(service.database, autocommit=True) as held:
        held.execute("SELECT pg_advisory_lock(%s)", [_WAVE_LOCK])
        yield


def test_the_question_is_for_everybody_and_can_be_put_aside(workers: Service, guest: Guest) -> None:
    one, other = guest(), guest("en-GB")
    with no_wave(workers):
        search(one, workers)
        search(other, workers, "en")
    asked(one)
    bar = one.get_by_role("region", name="ランク戦の列")
    one.keyboard.press("Escape")
    expect(one.get_by_role("dialog")).to_be_hidden()
    expect(bar).to_contain_text(re.compile(r"参加の確認 あと\d+秒"))
    bar.get_by_role("button", name="答える").click()
    fine(one, "ready check")


def test_four_search_one_declines_and_the_others_play(workers: Service, guest: Guest) -> None:
    people = [guest(), guest(), guest(), guest("en-GB")]
    with no_wave(workers):
        for person in people[:3]:
            search(person, workers)
        search(people[3], workers, "en")
        people[0].goto(workers.url + "/rules/")
    for person in people[:3]:
        asked(person)
    asked(people[3], "Ready check")
    english = people.pop()
    dialog = english.get_by_role("dialog")
    expect(dialog).to_contain_text("4 people will be at the table")
    expect(dialog).to_contain_text("Declining now costs nothing")
    expect(english).to_have_title(re.compile(r"^\d+ s Ready check"))
    with no_wave(workers):
        for person in people[:2]:
            answer(person, "参加する")
            expect(person.get_by_role("dialog")).to_contain_text("4人中")
        answer(english, "Decline")
        answer(people[2], "参加する")
        for person in people:
            expect(person.locator("taku-queue-bar")).to_contain_text("列の先頭で待っています")
        out = english.locator("taku-queue-bar")
        expect(out).to_contain_text("you left the queue")
        fine(english, "out of the queue")
        out.get_by_role("button", name="Close").click()
        expect(out).to_be_hidden()
    for person in people:
        asked(person)
        # By keyboard: the question has the focus, the answer is the next stop.
        person.wait_for_function("document.activeElement.id === 'ready-check'")
        accept = person.get_by_role("dialog").get_by_role("button", name="参加する")
        expect(accept).to_be_enabled()
        person.keyboard.press("Tab")
        expect(accept).to_be_focused()
        person.keyboard.press("Enter")
    for person in people:
        person.wait_for_url("**/m/*/", timeout=PATIENCE)
        person.wait_for_selector("html[data-ready]")
    assert len({person.url for person in people}) == 1
    play.play_to_the_end(*people)
    for person in people:
        person.get_by_role("button", name="結果を見る").click()
        result = person.locator("main")
        expect(result.get_by_role("heading", name="レート", exact=True)).to_be_visible()
        expect(result.get_by_role("button", name="もう一度ランク戦の相手を探す")).to_be_enabled()
    rated = httpx.get(f"{people[0].url.replace('/m/', '/api/v1/matches/')}").json()["result"]
    moved = sorted(
        round(1000 * (float(one["rating_after"]) - float(one["rating_before"]))) for one in rated
    )
    assert sum(moved) == 0
    told = [person.locator(".rating .change").inner_text().replace("−", "-") for person in people]
    assert sorted(round(1000 * float(text.strip("±"))) for text in told) == moved
    for person, text in zip(people, told, strict=True):
        person.get_by_text("レートが動いた理由").click()
        expect(person.locator(".pairs tbody tr")).to_have_count(2)
        points = person.locator(".pairs tbody td:last-child").all_inner_texts()
        numbers = [float(point.replace("−", "-").strip("±")) for point in points]
        assert sum(numbers) == pytest.approx(float(text.strip("±")))
    person = people[0]
    shown = person.locator(".counted")
    expect(shown).to_have_text(f"{int(shown.get_attribute('data-to')):,}")
    expect(person.locator(".chips .lines path[class^=seat]")).to_have_count(3)
    fine(person, "summary")


@pytest.mark.parametrize(("locale", "language"), [("ja-JP", "ja"), ("en-GB", "en")])
def test_after_a_match_alone_its_summary_says_what_became_of_it(
    page: Page, workers: Service, locale: str, language: str
) -> None:
    japanese = language == "ja"
    play.start_alone(page, workers.url, language)
    play.play_to_the_end(page)
    match = page.url
    page.get_by_role("button", name="結果を見る" if japanese else "See the result").click()
    chips = page.get_by_role("img", name="ラウンドごとの点" if japanese else "Chips by round")
    expect(chips).to_be_visible()
    rounds = httpx.get(f"{match.replace('/m/', '/api/v1/matches/')}rounds/").json()
    page.get_by_text("表で見る" if japanese else "As a table").click()
    rows = page.locator(".rounds tbody td").all_inner_texts()
    assert [int(row.replace(",", "")) for row in rows] == [
        1000,
        *(settled["seats"][0]["chips"] for settled in rounds),
    ]
    expect(page.locator(".costly .hint")).to_be_visible(timeout=PATIENCE)
    fine(page, f"summary in {locale}")
    page.get_by_role("button", name="共有する" if japanese else "Share").click()
    shared = page.get_by_label("結果のリンク" if japanese else "Link to the result")
    expect(shared).to_be_focused()
    link = shared.input_value()
    page.goto(link)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator(".next #rematch")).to_have_count(0)
    page.goto(match)
    page.get_by_role("button", name="もう一度" if japanese else "Play again").click()
    page.wait_for_url(lambda url: "/m/" in url and url not in (match, link))


def test_a_penalty_counts_down_where_one_would_search(page: Page, service: Service) -> None:
    search(page, service)
    page.get_by_role("region", name="ランク戦の列").get_by_role("button", name="やめる").click()
    expect(page.get_by_role("button", name=SEARCH["ja"])).to_be_enabled()
    page.goto(service.url + "/")
    me = page.evaluate("JSON.parse(document.getElementById('taku-page').textContent).player.id")
    now = timezone.now()
    until = now + timedelta(minutes=5)
    Penalty.objects.create(player_id=me, offence=Offence.DECLINED, at=now, until=until)
    page.reload()
    why = page.locator("taku-ranked .why")
    expect(why).to_have_text(re.compile(r"^あと[45]:\d\dで参加できます。$"))
    before = why.inner_text()
    expect(why).not_to_have_text(before)
    expect(page.get_by_role("button", name=SEARCH["ja"])).to_be_disabled()


def test_a_lost_connection_is_told_and_what_came_of_the_search_too(
    page: Page, service: Service, watched: Watched
) -> None:
    watched.expect("ERR_INTERNET_DISCONNECTED")
    search(page, service)
    bar = page.locator("taku-queue-bar")
    page.context.set_offline(True)
    expect(bar).to_contain_text("接続が切れています。")
    me = page.evaluate("(async () => (await import('/static/taku/js/dom.js')).page.player.id)()")
    TicketMember.objects.filter(player=me).delete()
    Ticket.objects.all().delete()
    page.context.set_offline(False)
    expect(bar).to_contain_text("列から外れました。", timeout=PATIENCE)
    bar.get_by_role("button", name="閉じる").click()
    expect(bar).to_be_hidden()


def test_a_party_searches_together_once_all_are_ready(
    page: Page, service: Service, guest: Guest
) -> None:
    page.goto(service.url + "/")
    page.get_by_role("button", name="パーティーを作る").click()
    page.wait_for_url("**/p/*/")
    other = guest()
    other.goto(page.url)
    other.get_by_role("button", name="参加する").click()
    together = page.get_by_role("button", name="このメンバーで相手を探す")
    expect(together).to_be_disabled()
    other.get_by_role("button", name="準備OK", exact=True).click()
    together.click()
    for one in (page, other):
        expect(one.locator("taku-queue-bar")).to_contain_text("相手を待っています")
        fine(one, "lobby in the queue")
    other.get_by_role("region", name="ランク戦の列").get_by_role("button", name="やめる").click()
    expect(page.locator("taku-queue-bar")).to_be_hidden()
