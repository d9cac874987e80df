"""The staff's pages: everything opens, quickly, shows no secret, and does what it says."""

import re
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation
from django_otp.oath import totp
from django_otp.plugins.otp_totp.models import TOTPDevice

from accounts.models import AnnouncementLevel, Device, DeviceToken, Player
from accounts.services.announcements import put_up
from ratings.models import Flag, FlagKind
from staff.models import Kind, RatingRun, RunKind, StaffAction
from staff.services import players
from staff.services.roles import create_first_login
from tables.blackjack.events import MatchKind
from tables.models import Match, MatchStatus, Offence, Penalty
from tables.services import parties, queue
from tests.play import a_match, play_to_the_end
from tests.rest import new_program

pytestmark = pytest.mark.django_db

RANKED = {"kind": MatchKind.RANKED, "rounds": 2, "turn_seconds": 30}
BACKEND = "django.contrib.auth.backends.ModelBackend"
MARKUP = "<b>x</b>"


def browser_of(user: User, language: str = "en") -> Client:
    client = Client(headers={"accept-language": language})
    client.force_login(user, backend=BACKEND)
    return client


@pytest.fixture
def board(order):
    """A site with something of everything."""
    programs = [new_program(display_name=MARKUP) for _ in range(4)]
    ids = [UUID(program.id) for program in programs]
    now = timezone.now()
    over = play_to_the_end(a_match(ids[:2], **RANKED))
    live = a_match(ids[:2], **RANKED)
    party = parties.create_party(player_id=ids[2], now=now)
    queue.enter(player_id=ids[3], now=now)
    Penalty.objects.create(
        player_id=ids[0], offence=Offence.DECLINED, at=now, until=now + timedelta(hours=1)
    )
    programs[0].post("reports/", {"player": ids[1].hex, "reason": "name", "text": MARKUP})
    programs[0].send("PUT", f"players/me/blocks/{ids[1]}/")
    put_up(
        level=AnnouncementLevel.INFO,
        text_ja="あ",
        text_en=MARKUP,
        starts_at=now,
        ends_at=None,
        restart_at=None,
        now=now,
    )
    Flag.objects.create(
        kind=FlagKind.ONE_SIDED,
        players=sorted(ids[:2]),
        match=over.pk,
        created_at=now,
        updated_at=now,
    )
    RatingRun.objects.create(kind=RunKind.CHECK, asked_at=now)
    players.note(order(reason=MARKUP), player_id=ids[0])
    players.rename(order(), player_id=ids[3], display_name="Quiet")
    return {"ids": ids, "over": over, "live": live, "party": party, "tokens": programs}


def every_page() -> list[str]:
    """A list and, where there is one, an object of every model."""
    found = []
    for model in admin.site._registry:
        base = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        found.append(base)
        found += [f"{base}{row.pk}/change/" for row in model._default_manager.all()[:2]]
    return found


@pytest.mark.parametrize("language", ["ja", "en"])
def test_every_page_opens_with_few_queries_and_no_secret(board, staff_of, language):
    """Also: markup in a name stays text (AC-14), and no page knows a token (AD-10, AC-05)."""
    client = browser_of(staff_of("administrator"), language)
    digests = [bytes(row.digest).hex() for row in DeviceToken.objects.all()]
    tokens = [program.headers["HTTP_AUTHORIZATION"][7:] for program in board["tokens"]]
    pages = [*every_page(), "/admin/", "/admin/live/"]
    assert len(pages) > 30
    for page in pages:
        with CaptureQueriesContext(
            connection,
        ) as asked:
            answer = client.get(page)
        assert answer.status_code == 200, page
        assert len(asked) <= 30, page
        text = answer.content.decode()
        assert MARKUP not in text, page
        assert not [secret for secret in (*digests, *tokens) if secret in text], page
        assert not re.search(r"<script(?![^>]*\bsrc=)[^>]*>\s*\S", text), page
        assert " style=" not in text, page


def test_staff_see_no_hole_card_and_no_shoe_of_a_running_match(board, staff_of):
    """AD-10: a match that is played hides from staff what could be used to cheat."""
    client = browser_of(staff_of("administrator"))
    live = Match.objects.get(pk=board["live"].pk)
    text = client.get(f"/admin/tables/match/{live.pk}/change/").content.decode()
    seeds = re.findall(r"[0-9a-f]{64}", live.state)
    assert seeds
    assert not [seed for seed in seeds if seed in text]
    assert "Shoes and fairness" not in text
    over = client.get(f"/admin/tables/match/{board['over'].pk}/change/").content.decode()
    assert "Shoes and fairness" in over
    assert "Rating transfers" in over


def test_nothing_has_a_form_to_add_edit_or_delete(board, staff_of):
    """AD-05, AD-09: also by the address that Django's own admin would have."""
    user = staff_of("administrator")
    user.is_superuser = True
    user.save()
    client = browser_of(user)
    for model, page in admin.site._registry.items():
        if model is User:
            continue
        base = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        assert client.get(f"{base}add/").status_code == 403
        for row in model._default_manager.all()[:1]:
            assert client.post(f"{base}{row.pk}/delete/", {"post": "yes"}).status_code == 403
            assert client.post(f"{base}{row.pk}/change/", {}).status_code == 403
            assert model._default_manager.filter(pk=row.pk).exists()
        assert not page.get_actions(client.get(base).wsgi_request)
    user = User.objects.get(pk=user.pk)
    assert client.post(f"/admin/auth/user/{user.pk}/delete/", {"post": "yes"}).status_code == 403


def test_no_form_loads_every_player(staff_of):
    """AD-04: no page of a model offers a choice among all rows of another."""
    client = browser_of(staff_of("administrator"))
    for _ in range(30):
        new_program()
    for page in every_page():
        choices = client.get(page).content.decode().count("<option")
        assert choices < 25, page


def ask(client: Client, address: str, **values):
    """Open a confirm page and send it; gives the answer and the form's own id."""
    form = client.get(address)
    assert form.status_code == 200
    request = re.search(r'name="request" value="([^"]+)"', form.content.decode()).group(1)
    given = {"request": request, "reason": "because", **values}
    return client.post(address, given), given


def test_a_match_is_voided_by_its_button_and_once(board, staff_of):
    """AD-07."""
    client = browser_of(staff_of("rating keeper"))
    page = f"/admin/tables/match/{board['over'].pk}/change/"
    address = f"/admin/tables/match/{board['over'].pk}/do/void_match/"
    assert address in client.get(page).content.decode()
    answer, given = ask(client, address)
    assert answer.status_code == 302
    assert client.post(address, given).status_code == 302
    assert Match.objects.get(pk=board["over"].pk).status == MatchStatus.VOID
    assert StaffAction.objects.filter(kind=Kind.VOID_MATCH).count() == 1
    text = client.get(page).content.decode()
    assert address not in text
    assert "do/restore_match/" in text
    again, _ = ask(client, address)
    assert "There is nothing to do" in again.content.decode()


def test_a_confirm_page_without_a_reason_asks_again(board, staff_of):
    client = browser_of(staff_of("moderator"))
    answer, _ = ask(client, f"/admin/accounts/player/{board['ids'][0]}/do/ban/", reason=" ")
    assert answer.status_code == 200
    assert not Player.objects.filter(banned_at__isnull=False).exists()


def test_a_name_that_is_refused_says_why(board, staff_of):
    client = browser_of(staff_of("moderator"))
    address = f"/admin/accounts/player/{board['ids'][0]}/do/rename/"
    answer, _ = ask(client, address, display_name="​​")
    assert "visible character" in answer.content.decode()
    answer, _ = ask(client, address, display_name="")
    assert answer.status_code == 302


@pytest.mark.parametrize("role", ["support", "moderator", "rating keeper", "administrator"])
def test_buttons_are_those_of_the_role_and_others_are_refused(board, staff_of, role):
    from staff.roles import ROLES

    client = browser_of(staff_of(role))
    for model, page in admin.site._registry.items():
        base = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        for deed in getattr(page, "list_deeds", ()):
            status = client.get(f"{base}do/{deed.kind}/").status_code
            assert status == (200 if deed.kind in ROLES[role] else 403)
        row = model._default_manager.first()
        for deed in getattr(page, "deeds", ()):
            status = client.get(f"{base}{row.pk}/do/{deed.kind}/").status_code
            assert status == (200 if deed.kind in ROLES[role] else 403), (role, deed.kind)
    users = client.get("/admin/auth/user/").status_code
    assert users == (200 if role == "administrator" else 403)


@pytest.mark.parametrize(
    "term",
    ["<b>x", "id", "device", "name#tag", "tag", "party", "nobody at all", "%", "x" * 500],
)
def test_players_are_found_by_what_one_knows_of_them(board, staff_of, term):
    client = browser_of(staff_of("support"))
    player = Player.objects.get(pk=board["ids"][2])
    known = {
        "id": str(player.pk),
        "device": str(Device.objects.get(player=player).pk),
        "name#tag": f"{MARKUP}#{player.tag.lower()}",
        "tag": player.tag,
        "party": board["party"].code,
    }.get(term, term)
    text = client.get("/admin/accounts/player/", {"q": known}).content.decode()
    found = str(player.pk) in text
    assert found is (term in {"<b>x", "id", "device", "name#tag", "tag", "party"})


def test_matches_are_found_by_id_player_and_day(board, staff_of):
    client = browser_of(staff_of("support"))

    def count(term):
        text = client.get("/admin/tables/match/", {"q": term}).content.decode()
        return len(set(re.findall(r"/admin/tables/match/([0-9a-f-]{36})/change", text)))

    assert count(str(board["over"].pk)) == 1
    assert count(str(board["ids"][0])) == 2
    assert count(f"{timezone.now():%Y-%m-%d}") == 2
    assert count("2001-01-01") == count("rubbish") == count(str(uuid4())) == 0


def test_the_first_login_is_made_once_and_works(staff_of):
    staff_of("support").delete()
    name, password = create_first_login()
    assert create_first_login() is None
    client = Client()
    answer = client.post("/admin/login/?next=/admin/", {"username": name, "password": password})
    assert answer.status_code == 302
    assert client.get("/admin/accounts/player/").status_code == 200
    assert User.objects.get().groups.get() == Group.objects.get(name="administrator")


def test_failed_logins_are_slowed_down(staff_of):
    cache.clear()
    user = staff_of("support")
    client = Client()
    right = {"username": user.username, "password": "correct horse battery staple"}
    for _ in range(5):
        client.post("/admin/login/", {**right, "password": "wrong"})
    assert client.post("/admin/login/", right).status_code == 429


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_second_factor_is_asked_where_it_is_wanted(staff_of, settings, capsys, language):
    user = staff_of("support")
    call_command("staff_otp", user.username)
    shown = capsys.readouterr().out
    assert "otpauth://totp/" in shown
    device = TOTPDevice.objects.get(user=user)
    settings.STAFF_SECOND_FACTOR = True
    assert browser_of(user).get("/admin/accounts/player/").status_code == 302
    client = Client(headers={"accept-language": language})
    right = {"username": user.username, "password": "correct horse battery staple"}
    page = client.get("/admin/login/").content.decode()
    assert ("認証アプリ" in page) is (language == "ja")
    assert "OTP" not in page
    answer = client.post("/admin/login/?next=/admin/", right)
    text = answer.content.decode()
    assert answer.status_code == 200
    assert ("Enter the code" in text) is (language == "en")
    assert right["password"] not in text
    code = totp(device.bin_key)
    wrong = client.post("/admin/login/", {**right, "otp_token": f"{(code + 1) % 10**6:06d}"})
    text = wrong.content.decode()
    assert ("The code is wrong" in text) is (language == "en")
    assert right["password"] not in text
    device.throttle_reset()
    code = totp(device.bin_key)
    answer = client.post("/admin/login/?next=/admin/", {**right, "otp_token": f"{code:06d}"})
    assert answer.status_code == 302, answer.context["form"].errors
    assert client.get("/admin/accounts/player/").status_code == 200


def test_without_an_authenticator_nobody_comes_in_where_one_is_asked(staff_of, settings):
    settings.STAFF_SECOND_FACTOR = True
    user = staff_of("support")
    given = {"username": user.username, "password": "correct horse battery staple"}
    client = Client(headers={"accept-language": "en"})
    answer = client.post("/admin/login/", {**given, "otp_token": "123456"})
    assert "You have no authenticator yet" in answer.content.decode()
    assert client.get("/admin/accounts/player/").status_code == 302


def test_a_players_credential_opens_no_page_of_staff(board):
    program = board["tokens"][0]
    for page in ("/admin/", "/admin/live/", "/admin/accounts/player/"):
        answer = program.client.get(page, **program.headers)
        assert answer.status_code == 302
        assert answer["Location"].startswith("/admin/login/")


def test_what_columns_hold_is_said_in_japanese():
    """The labels of every choice, and what is said of a column."""
    shown: dict[str, str] = {}
    with translation.override("ja"):
        for model in admin.site._registry:
            if model._meta.app_label == "auth":
                continue
            for each in model._meta.fields:
                said = [each.help_text, *(label for _, label in each.flatchoices or ())]
                shown |= {str(text): f"{model.__name__}.{each.name}" for text in said if text}
    assert len(shown) > 40
    assert not {text: where for text, where in shown.items() if text.isascii()}
