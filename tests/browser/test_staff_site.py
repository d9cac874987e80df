"""The staff's site in a real browser: every action by its button, and what everybody sees of it."""

from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.hashers import PBKDF2PasswordHasher
from django.contrib.auth.models import Group, User
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.languages import Language
from accounts.models import Announcement, Player
from accounts.services.devices import add_device
from accounts.services.players import make_player
from ratings.models import Flag, FlagKind, Season, SeasonStatus
from ratings.services import running_season
from staff.models import Kind, RatingRun, StaffAction
from staff.services.roles import create_roles
from tables.blackjack.events import MatchKind
from tables.models import Match, MatchStatus, Offence, Party, Penalty, QueueState, ReportReason
from tables.services import parties, queue
from tables.services.reports import report
from tests.browser import play
from tests.browser.test_table_element import WCAG
from tests.conftest import Service
from tests.play import a_match, play_to_the_end

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(240)]

PASSWORD = "correct horse battery staple"
RANKED = {"kind": MatchKind.RANKED, "rounds": 2, "turn_seconds": 30}


class Board:
    """A site with something of everything."""

    def __init__(self) -> None:
        create_roles()
        # As the service stores it; the tests' own way is quicker, and unknown there.
        stored = PBKDF2PasswordHasher().encode(PASSWORD, "salt")
        self.user = User.objects.create(username="hana", password=stored, is_staff=True)
        self.user.groups.add(Group.objects.get(name="administrator"))
        now = timezone.now()
        self.ids = []
        for name in ("春", "Bert", "Carl", "Dora"):
            player = make_player(display_name=name, language=Language.JAPANESE, now=now)
            add_device(player=player, browser=uuid4(), label="Firefox, Linux", now=now)
            self.ids.append(player.pk)
        running_season(now=now)
        self.over = play_to_the_end(a_match(self.ids[:2], **RANKED))
        self.live = a_match(self.ids[:2], kind=MatchKind.PARTY, turn_seconds=None)
        queue.enter(player_id=self.ids[3], now=now)
        Penalty.objects.create(
            player_id=self.ids[0], offence=Offence.DECLINED, at=now, until=now + timedelta(hours=1)
        )
        self.report = report(
            reporter_id=self.ids[1],
            player_id=self.ids[0],
            match_id=self.over.pk,
            reason=ReportReason.STALLING,
            text="毎回待たされました。",
            now=now,
        )
        self.flag = Flag.objects.create(
            kind=FlagKind.ONE_SIDED,
            players=sorted(self.ids[:2]),
            match=self.over.pk,
            created_at=now,
            updated_at=now,
        )


@pytest.fixture
def board(service: Service) -> Board:
    return Board()


def sign_in(page: Page, service: Service, user: User) -> None:
    page.goto(service.url + "/admin/")
    page.locator("#id_username").fill(user.username)
    page.locator("#id_password").fill(PASSWORD)
    page.locator("[type=submit]").click()
    page.wait_for_selector("#user-tools")


def do(page: Page, address: str, kind: Kind, **values: str) -> None:
    """Press the button of a deed on a page, say why, and send it with a double click."""
    page.goto(address)
    page.locator(f".object-tools a[href$='/do/{kind}/']").click()
    for name, value in values.items():
        field = page.locator(f"[name={name}]")
        if field.evaluate("node => node.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)
    page.locator("[name=reason]").fill("ご意見を受けて確認しました")
    page.locator(".submit-row [type=submit]").dblclick()
    expect(page.locator(".messagelist .success")).to_be_visible()


def test_every_action_is_done_by_its_button(page: Page, service: Service, board: Board) -> None:
    sign_in(page, service, board.user)
    base = service.url + "/admin/"
    player = f"{base}accounts/player/{board.ids[0]}/change/"
    over = f"{base}tables/match/{board.over.pk}/change/"
    do(page, player, Kind.NOTE)
    do(page, player, Kind.LIFT_PENALTY)
    do(page, player, Kind.RENAME, display_name="夏")
    do(page, player, Kind.SIGN_OUT)
    do(page, f"{base}tables/match/{board.live.pk}/change/", Kind.END_MATCH)
    do(page, player, Kind.BAN, until="2099-01-01T00:00")
    assert Player.objects.get(pk=board.ids[0]).banned_until.year == 2099
    do(page, player, Kind.UNBAN)
    do(page, over, Kind.VOID_MATCH)
    assert Match.objects.get(pk=board.over.pk).status == MatchStatus.VOID
    do(page, over, Kind.RESTORE_MATCH)
    party = parties.create_party(player_id=board.ids[2], now=timezone.now())
    do(page, f"{base}tables/party/{party.pk}/change/", Kind.CLOSE_PARTY)
    assert not Party.objects.filter(pk=party.pk).exists()
    reported = f"{base}tables/report/{board.report.pk}/change/"
    do(page, reported, Kind.DECIDE_REPORT, state="confirmed")
    do(page, f"{base}ratings/flag/{board.flag.pk}/change/", Kind.DECIDE_FLAG, state="watching")
    do(page, f"{base}staff/ratingrun/", Kind.CHECK_RATINGS)
    do(page, f"{base}staff/ratingrun/", Kind.RECOMPUTE_RATINGS)
    assert RatingRun.objects.count() == 2
    do(page, f"{base}ratings/season/", Kind.PLAN_SEASON, starts_at="2099-01-01T00:00", k="20")
    season = Season.objects.get(status=SeasonStatus.RUNNING)
    do(page, f"{base}ratings/season/{season.pk}/change/", Kind.CHANGE_SEASON)
    do(page, f"{base}tables/ticket/", Kind.CLOSE_QUEUE)
    assert QueueState.objects.get().closed
    do(page, f"{base}tables/ticket/", Kind.OPEN_QUEUE)
    texts = {"text_ja": "まもなく再起動します。", "text_en": "A restart is near."}
    do(page, f"{base}accounts/announcement/", Kind.ANNOUNCE, level="maintenance", **texts)
    announcement = f"{base}accounts/announcement/{Announcement.objects.get().pk}/change/"
    do(page, announcement, Kind.WITHDRAW)
    done = list(StaffAction.objects.values_list("kind", flat=True))
    assert sorted(done) == sorted(Kind.values), "each once, although it was clicked twice"


def test_an_announcement_shows_on_every_page_at_once(
    page: Page, other_browser: object, service: Service, board: Board
) -> None:
    guest: Page = other_browser.new_page()  # type: ignore[attr-defined]
    play.start_alone(guest, service.url)
    sign_in(page, service, board.user)
    texts = {"text_ja": "まもなく再起動します。", "text_en": "A restart is near."}
    do(page, f"{service.url}/admin/accounts/announcement/", Kind.ANNOUNCE, **texts)
    expect(guest.locator(".banner")).to_have_text("まもなく再起動します。")
    reader = guest.context.new_page()
    reader.goto(service.url + "/rules/")
    expect(reader.locator(".announcement")).to_have_text("まもなく再起動します。")
    found = Axe().run(reader, options=WCAG)
    assert found.violations_count == 0, found.generate_report()
    announcement = Announcement.objects.get().pk
    do(
        page,
        f"{service.url}/admin/accounts/announcement/{announcement}/change/",
        Kind.WITHDRAW,
    )
    expect(guest.locator(".banner")).to_be_hidden()
    reader.reload()
    expect(reader.locator(".announcement")).to_have_count(0)
