"""Accounts over REST, as programs and pages use them (api.md, players/)."""

import json
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
import time_machine
from django.test import Client

from accounts.languages import Language
from accounts.models import Device, DeviceToken, Player, RecoveryKey, SignIn, TransferCode
from accounts.preferences import KEYS
from accounts.services import blocks, players
from api import player_parts
from api.serializers import SettingsSerializer

pytestmark = pytest.mark.django_db

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
CSRF = "c" * 32


@pytest.fixture(autouse=True)
def clock(valkey):
    with time_machine.travel(START, tick=False) as traveller:
        yield traveller


class Program:
    """A client with a bearer token, or without one."""

    def __init__(self, token=None, **headers):
        self.client = Client(enforce_csrf_checks=True)
        self.headers = {"HTTP_AUTHORIZATION": f"Bearer {token}"} if token else {}
        self.headers |= headers
        self.token = token

    def send(self, method, path, body=None, **headers):
        content = {} if body is None else {"data": json.dumps(body)}
        return self.client.generic(
            method,
            f"/api/v1/{path}",
            content_type="application/json",
            **content,
            **self.headers,
            **{f"HTTP_{k.upper()}": v for k, v in headers.items()},
        )

    def get(self, path, **headers):
        return self.send("GET", path, **headers)

    def post(self, path, body=None, **headers):
        return self.send("POST", path, {} if body is None else body, **headers)

    def patch(self, path, body):
        return self.send("PATCH", path, body)

    def delete(self, path):
        return self.send("DELETE", path)

    def put(self, path):
        return self.send("PUT", path)


def new_program(**body):
    made = Program().post("players/", body)
    assert made.status_code == 201, made.content
    return Program(made.json()["token"])


class Page(Program):
    """A browser with a page of ours open."""

    def __init__(self):
        super().__init__(HTTP_X_CSRFTOKEN=CSRF)
        self.client.cookies["csrftoken"] = CSRF


def test_a_program_gets_a_token_and_no_cookie():
    made = Program().post("players/", {"display_name": "Taro"}, accept_language="en")
    body = made.json()
    assert made.status_code == 201
    assert not made.cookies
    assert made["Cache-Control"] == "no-store"
    assert body["player"] == {
        "id": body["player"]["id"],
        "display_name": "Taro",
        "tag": body["player"]["tag"],
        "created_at": "2026-03-01T12:00:00Z",
        "settings": body["player"]["settings"],
        "party": None,
        "match": None,
        "queue": None,
        "penalty": None,
        "ban": None,
        "unread": 0,
    }
    assert body["player"]["settings"]["language"] == "en"
    assert Program(body["token"]).get("players/me/").json() == body["player"]


def test_a_page_gets_a_cookie_and_no_token():
    page = Page()
    made = page.post("players/")
    assert made.status_code == 201
    assert made.json()["token"] is None
    cookie = made.cookies["device"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert cookie["max-age"] == 400 * 24 * 3600
    assert not cookie["secure"]
    assert page.get("players/me/").json()["id"] == made.json()["player"]["id"]


def test_over_https_the_cookie_belongs_to_the_host_alone():
    client = Client(enforce_csrf_checks=True)
    client.cookies["csrftoken"] = CSRF
    made = client.post(
        "/api/v1/players/",
        content_type="application/json",
        headers={"X-CSRFToken": CSRF, "Referer": "https://testserver/"},
        secure=True,
    )
    assert made.status_code == 201
    assert made.cookies["__Host-device"]["secure"]
    assert made.cookies["__Host-device"]["path"] == "/"
    assert "device" not in made.cookies


def test_a_wrong_csrf_token_makes_no_page():
    made = Program(HTTP_X_CSRFTOKEN="x" * 32).post("players/")
    assert made.json()["token"]
    assert not made.cookies


def test_whoever_has_an_account_keeps_it():
    program = new_program()
    again = program.post("players/")
    assert again.status_code == 200
    assert again.json()["token"] is None
    assert again.json()["player"]["id"] == program.get("players/me/").json()["id"]
    assert Player.objects.count() == 1


def test_a_cookie_alone_changes_nothing():
    page = Page()
    page.post("players/")
    page.headers = {}
    assert page.get("players/me/").status_code == 200
    refused = page.patch("players/me/", {"display_name": "Jiro"})
    assert refused.status_code == 403
    assert refused.json()["code"] == "csrf_failed"
    page.headers = {"HTTP_X_CSRFTOKEN": CSRF}
    assert page.patch("players/me/", {"display_name": "Jiro"}).status_code == 200


def test_a_token_that_is_nobodys_is_refused_everywhere():
    for path in ("players/me/", f"players/{uuid4()}/"):
        refused = Program("nonsense").get(path)
        assert refused.status_code == 401
        assert refused.json()["code"] == "invalid_token"
        assert refused["WWW-Authenticate"] == "Bearer"
    assert Program().get("players/me/").json()["code"] == "not_authenticated"


def test_a_browser_with_an_ended_cookie_starts_anew():
    page = Page()
    first = page.post("players/").json()["player"]["id"]
    Device.objects.update(revoked_at=START)
    SignIn.objects.all().delete()
    refused = page.get("players/me/")
    assert refused.status_code == 401
    assert refused.cookies["device"].value == ""
    assert refused.cookies["device"]["max-age"] == 0
    second = page.post("players/").json()["player"]["id"]
    assert first != second
    assert len(set(Device.objects.values_list("browser", flat=True))) == 1


def test_two_tabs_at_first_start_are_one_account(clock):
    ids = set()
    for _ in range(2):
        tab = Page()
        ids.add(tab.post("players/").json()["player"]["id"])
    assert len(ids) == 1
    clock.shift(61)
    assert Page().post("players/").json()["player"]["id"] not in ids


def test_a_repeated_creation_gives_another_secret_for_the_same_account(clock):
    key = "k" * 16
    first, second = (
        Program().post("players/", {"display_name": "Taro"}, idempotency_key=key).json()
        for _ in range(2)
    )
    assert first["player"]["id"] == second["player"]["id"]
    assert first["token"] != second["token"]
    assert Player.objects.count() == Device.objects.count() == 1
    other = Program().post("players/", {"display_name": "Jiro"}, idempotency_key=key)
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    clock.shift(601)
    third = Program().post("players/", {"display_name": "Taro"}, idempotency_key=key).json()
    assert third["player"]["id"] != first["player"]["id"]


@pytest.mark.parametrize("used_last", [0, 1])
def test_of_two_secrets_the_one_not_used_last_ends_after_an_hour(clock, used_last):
    tokens = [
        Program().post("players/", idempotency_key="k" * 16).json()["token"] for _ in range(2)
    ]
    for token in (tokens[1 - used_last], tokens[used_last]):
        clock.shift(1)
        assert Program(token).get("players/me/").status_code == 200
    clock.shift(3601)
    assert Program(tokens[1 - used_last]).get("players/me/").status_code == 401
    assert Program(tokens[used_last]).get("players/me/").status_code == 200
    assert DeviceToken.objects.count() == 1


def test_a_short_key_is_no_scope():
    refused = Program().post("players/", idempotency_key="short")
    assert (refused.status_code, refused.json()["code"]) == (400, "bad_idempotency_key")


@pytest.mark.parametrize("name", ["", "x" * 200, "a\nb", "\u3164", "admin", 5, None, ["x"]])
def test_a_bad_name_is_refused_by_every_path(name):
    program = new_program(display_name="Taro")
    answers = [program.patch("players/me/", {"display_name": name})]
    if name is not None:
        answers.append(Program().post("players/", {"display_name": name}))
    for refused in answers:
        assert refused.status_code == 400
        assert refused["Content-Type"] == "application/problem+json"
        assert refused.json()["errors"][0]["field"] == "display_name"
    assert program.get("players/me/").json()["display_name"] == "Taro"


def test_players_of_one_name_are_told_apart(monkeypatch):
    tags = iter(["AAAA", "AAAA", "BBBB"])
    monkeypatch.setattr("accounts.tokens.new_tag", lambda: next(tags))
    made = [Program().post("players/", {"display_name": n}).json() for n in ("Taro", "TARO")]
    assert [body["player"]["tag"] for body in made] == ["AAAA", "BBBB"]


def test_settings_change_key_by_key():
    program = new_program()
    changed = program.patch("players/me/", {"settings": {"theme": "dark", "volume": 40}})
    assert changed.json()["settings"]["theme"] == "dark"
    refused = program.patch(
        "players/me/", {"display_name": "Jiro", "settings": {"volume": 200, "nothing": 1}}
    )
    assert refused.status_code == 400
    assert {(e["field"], e["code"]) for e in refused.json()["errors"]} == {
        ("settings.volume", "bad_setting"),
        ("settings.nothing", "unknown_setting"),
    }
    now = program.get("players/me/").json()
    assert now["settings"]["volume"] == 40
    assert now["display_name"] != "Jiro"


def test_the_described_settings_are_those_there_are():
    assert tuple(SettingsSerializer().fields) == KEYS


def test_a_deleted_player_is_nameless_for_ever():
    program, other = new_program(display_name="Taro"), new_program()
    player_id = program.get("players/me/").json()["id"]
    other.put(f"players/me/blocks/{player_id}/")
    program.post("players/me/transfer-code/")
    program.post("players/me/recovery-key/")
    assert program.delete("players/me/").status_code == 204
    assert program.get("players/me/").status_code == 401
    profile = Program().get(f"players/{player_id}/", accept_language="en").json()
    assert profile["display_name"] == "Deleted player"
    assert profile["deleted"] is True
    profile = Program().get(f"players/{player_id}/", accept_language="ja").json()
    assert profile["display_name"] == "退会したプレイヤー"
    assert other.get("players/me/blocks/").json()["results"] == []
    row = Player.objects.get(pk=player_id)
    assert (row.display_name, row.name_key, row.settings) == ("", "", {})
    assert not Device.objects.filter(player=row).exists()
    assert not TransferCode.objects.exists()
    assert not RecoveryKey.objects.exists()


def transferred(code, program=None, **body):
    return (program or Program()).post("players/transfer/", {"code": code, **body})


def test_a_transfer_code_brings_the_account_once(clock):
    program = new_program()
    issued = program.post("players/me/transfer-code/").json()
    assert issued["expires_at"] == "2026-03-01T12:15:00Z"
    code = issued["code"]
    moved = transferred(f" {code[:5].lower()} {code[5:]} ")
    assert moved.status_code == 201
    assert moved.json()["player"]["id"] == program.get("players/me/").json()["id"]
    assert transferred(code).json()["code"] == "transfer_code_unknown"
    notices = program.get("players/me/notices/", accept_language="en").json()["results"]
    assert [notice["kind"] for notice in notices] == ["device_added"]
    assert program.get("players/me/").json()["unread"] == 1
    assert program.post("players/me/notices/read/").json() == {"unread": 0}


def test_a_transfer_code_ends_after_15_minutes_and_replaces_the_last(clock):
    program = new_program()
    first = program.post("players/me/transfer-code/").json()["code"]
    second = program.post("players/me/transfer-code/").json()["code"]
    assert transferred(first).status_code == 404
    clock.shift(15 * 60)
    assert transferred(second).status_code == 404


def test_a_recovery_key_brings_a_lost_account_back():
    program = new_program()
    key = program.post("players/me/recovery-key/").json()["key"]
    assert transferred(key.lower()).status_code == 201
    assert transferred(key).status_code == 201
    newer = program.post("players/me/recovery-key/").json()["key"]
    assert transferred(key).status_code == 404
    assert transferred(newer).status_code == 201


def test_the_same_key_gives_the_same_code_and_does_not_make_it_good_again():
    program = new_program()
    first, again = (
        program.post("players/me/transfer-code/", idempotency_key="mine").json() for _ in range(2)
    )
    assert first == again
    assert transferred(first["code"]).status_code == 201
    assert program.post("players/me/transfer-code/", idempotency_key="mine").json() == first
    assert transferred(first["code"]).status_code == 404


def test_a_transfer_asked_twice_is_one_device():
    program = new_program()
    code = program.post("players/me/transfer-code/").json()["code"]
    both = [
        Program().post("players/transfer/", {"code": code}, idempotency_key="t" * 16)
        for _ in range(2)
    ]
    assert [answer.status_code for answer in both] == [201, 201]
    assert Device.objects.count() == 2


def test_nobody_loses_a_played_account_unasked(monkeypatch):
    old, new = new_program(), new_program()
    code = old.post("players/me/transfer-code/").json()["code"]
    monkeypatch.setattr(player_parts, "has_matches", lambda player_id: True)
    refused = transferred(code, new)
    assert (refused.status_code, refused.json()["code"]) == (409, "would_lose_account")
    done = transferred(code, new, replace=True)
    assert done.status_code == 201
    assert done.json()["player"]["id"] == old.get("players/me/").json()["id"]
    assert new.get("players/me/").status_code == 401


def test_an_unplayed_account_is_left_behind():
    old, new = new_program(), new_program()
    code = old.post("players/me/transfer-code/").json()["code"]
    assert transferred(code, new).status_code == 201


def second_device(program):
    code = program.post("players/me/transfer-code/").json()["code"]
    return Program(transferred(code).json()["token"])


def test_a_young_device_may_not_turn_against_older_ones(clock):
    old = new_program()
    clock.shift(1)
    young = second_device(old)
    devices = {d["current"]: d["id"] for d in young.get("players/me/devices/").json()["results"]}
    refusals = [
        young.delete(f"players/me/devices/{devices[False]}/"),
        young.delete("players/me/devices/"),
        young.post("players/me/transfer-code/"),
        young.post("players/me/recovery-key/"),
        young.delete("players/me/"),
    ]
    for refused in refusals:
        assert (refused.status_code, refused.json()["code"]) == (403, "device_too_young")
        assert refused.json()["until"] == "2026-03-04T12:00:01Z"
    clock.shift(timedelta(hours=72))
    assert young.delete("players/me/devices/").status_code == 204
    assert old.get("players/me/").status_code == 401
    assert young.get("players/me/").status_code == 200


def test_a_young_device_alone_may_do_everything():
    program = new_program()
    assert program.post("players/me/transfer-code/").status_code == 201
    assert program.delete("players/me/").status_code == 204


def test_devices_are_listed_and_signed_out(clock):
    old = new_program()
    clock.shift(1)
    young = second_device(old)
    rows = old.get("players/me/devices/").json()["results"]
    assert [set(row) for row in rows] == [
        {"id", "label", "created_at", "last_used_at", "current"}
    ] * 2
    other = next(row["id"] for row in rows if not row["current"])
    assert old.delete(f"players/me/devices/{other}/").status_code == 204
    assert young.get("players/me/").status_code == 401
    assert old.delete(f"players/me/devices/{other}/").status_code == 404
    mine = next(row["id"] for row in rows if row["current"])
    assert new_program().delete(f"players/me/devices/{mine}/").status_code == 404
    assert old.delete(f"players/me/devices/{mine}/").status_code == 204
    assert old.get("players/me/").status_code == 401


def test_an_eleventh_device_is_refused():
    program = new_program()
    key = program.post("players/me/recovery-key/").json()["key"]
    for _ in range(9):
        assert transferred(key).status_code == 201
    assert transferred(key).json()["code"] == "too_many_devices"


def test_a_device_unused_for_400_days_is_signed_out(clock):
    program = new_program()
    clock.shift(timedelta(days=399))
    assert program.get("players/me/").status_code == 200
    clock.shift(timedelta(days=399))
    assert program.get("players/me/").status_code == 200
    clock.shift(timedelta(days=401))
    assert program.get("players/me/").status_code == 401


def test_blocks_are_kept_once():
    program, other = new_program(), new_program(display_name="Other")
    other_id, own_id = (p.get("players/me/").json()["id"] for p in (other, program))
    for _ in range(2):
        assert program.put(f"players/me/blocks/{other_id}/").status_code == 200
    listed = program.get("players/me/blocks/").json()
    assert [row["player"]["display_name"] for row in listed["results"]] == ["Other"]
    assert (listed["next"], listed["previous"]) == (None, None)
    assert program.put(f"players/me/blocks/{own_id}/").json()["code"] == "cannot_block_yourself"
    assert program.put(f"players/me/blocks/{uuid4()}/").status_code == 404
    for _ in range(2):
        assert program.delete(f"players/me/blocks/{other_id}/").status_code == 204
    assert program.get("players/me/blocks/").json()["results"] == []


def test_pages_of_a_list_follow_each_other():
    program = new_program()
    me = Player.objects.get()
    others = [
        players.make_player(display_name=None, language=Language.ENGLISH, now=START)
        for _ in range(5)
    ]
    for other in others:
        blocks.block(player=me, blocked_id=other.pk, now=START)
    seen, address = [], "players/me/blocks/?limit=2"
    while address:
        page = program.get(address).json()
        seen += [row["player"]["id"] for row in page["results"]]
        address = page["next"] and page["next"].partition("/api/v1/")[2]
    assert seen == [str(other.pk) for other in reversed(others)]
    assert program.get("players/me/blocks/?cursor=x").json()["code"] == "bad_cursor"


def test_a_banned_player_sees_why_and_may_leave():
    program = new_program()
    player = Player.objects.get()
    until = START + timedelta(days=1)
    players.ban_player(player_id=player.pk, until=until, reason="stalling", now=START)
    me = program.get("players/me/")
    assert me.json()["ban"] == {"until": "2026-03-02T12:00:00Z", "reason": "stalling"}
    for refused in (
        program.get("players/me/devices/"),
        program.get(f"players/{player.pk}/"),
        program.post("players/"),
    ):
        assert refused.status_code == 403
        body = refused.json()
        assert (body["code"], body["until"]) == ("banned", "2026-03-02T12:00:00Z")
        assert body["reason"] == "stalling"
    assert program.get("players/me/export/").status_code == 200
    assert program.delete("players/me/").status_code == 204


def test_a_ban_ends_by_itself(clock):
    program = new_program()
    players.ban_player(
        player_id=Player.objects.get().pk, until=START + timedelta(hours=1), reason="", now=START
    )
    clock.shift(3600)
    assert program.get("players/me/devices/").status_code == 200
    assert program.get("players/me/").json()["ban"] is None


def test_the_export_holds_everything_but_secrets():
    program = new_program(display_name="Taro")
    code = program.post("players/me/transfer-code/").json()["code"]
    exported = program.get("players/me/export/")
    assert exported["Content-Disposition"].startswith("attachment")
    body = exported.json()
    assert body["player"]["display_name"] == "Taro"
    assert len(body["devices"]) == 1
    assert body["transfer_code"]["expires_at"] == "2026-03-01T12:15:00Z"
    assert code not in exported.content.decode()
    assert program.token not in exported.content.decode()


def test_tokens_and_codes_are_in_no_log(caplog, capfd):
    caplog.set_level("DEBUG")
    program = new_program()
    code = program.post("players/me/transfer-code/", idempotency_key="mine").json()["code"]
    token = transferred(code).json()["token"]
    Program("not" + token).get("players/me/")
    Program(token).post("nowhere/", {"code": code})
    written = caplog.text + "".join(capfd.readouterr())
    assert "players/me/" in written
    for secret in (program.token, token, code):
        assert secret not in written


def test_tokens_and_codes_are_stored_as_digests_only():
    program = new_program()
    code = program.post("players/me/transfer-code/").json()["code"]
    for model in (DeviceToken, TransferCode, Device, Player):
        for row in model.objects.values():
            assert program.token not in str(row)
            assert code not in str(row)


def test_markup_in_a_name_is_only_text():
    name = "<b onclick=a()>&"
    made = Program().post("players/", {"display_name": name})
    assert made.json()["player"]["display_name"] == name
    assert made["Content-Type"] == "application/json"
    assert made["X-Content-Type-Options"] == "nosniff"


def test_ids_cannot_be_counted_up():
    for number in range(1, 20):
        assert Program().get(f"players/{number}/").status_code == 404
    assert Program().get(f"players/{uuid4()}/").json()["code"] == "player_not_found"
