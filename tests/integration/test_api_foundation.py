"""What all REST answers have in common: problems, language, limits, repeats."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from uuid import UUID

import pytest
import redis
from django.db import connections
from django.http import JsonResponse
from django.test import Client, override_settings
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory, force_authenticate

from accounts.languages import Language
from accounts.models import (
    Device,
    IdempotencyRecord,
    Notice,
    NoticeKind,
    Player,
    SignIn,
    TransferCode,
)
from accounts.services import codes, expiry, notices, players, repeats, sign_in
from accounts.services.sign_in import Origin, key_scope
from api import throttling
from api.endpoints import PlayerEndpoint
from api.idempotency import idempotent
from api.throttling import Limit, address_of, after_one, spend

PROBLEM = "application/problem+json"
NOW = datetime(2026, 3, 1, tzinfo=UTC)
BROWSER = UUID(int=1)


@pytest.fixture
def client(valkey, db):
    return Client()


def post(client, path, data="{}", content_type="application/json", **headers):
    return client.post(f"/api/v1/{path}", data, content_type=content_type, headers=headers)


@pytest.mark.parametrize(
    ("body", "content_type", "status", "code"),
    [
        ("{", "application/json", 400, "parse_error"),
        ("", "text/plain", 415, "unsupported_media_type"),
        ("x=1", "application/x-www-form-urlencoded", 415, "unsupported_media_type"),
        ("[]", "application/json", 400, "invalid"),
        ("null", "application/json", 400, "invalid"),
        ("42", "application/json", 400, "invalid"),
        ("NaN", "application/json", 400, "parse_error"),
        ("[" * 30000, "application/json", 400, "parse_error"),
        ('{"display_name": "\\ud800"}', "application/json", 400, "parse_error"),
        (b'{"display_name": "\xff"}', "application/json", 400, "parse_error"),
        ('{"display_name": "\\u0000"}', "application/json", 400, "invalid"),
        ('{"display_name": {"a": 1}}', "application/json", 400, "invalid"),
        ('{"a": "' + "x" * 70000 + '"}', "application/json", 413, "payload_too_large"),
        ("9" * 5000, "application/json", 400, "parse_error"),
    ],
)
def test_bad_bodies_are_problems(client, body, content_type, status, code):
    if not body:
        body = "hello"
    refused = post(client, "players/", body, content_type)
    assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert refused["Content-Type"] == PROBLEM
    assert refused.json()["status"] == status
    assert refused.json()["type"] == f"/api/v1/problems/{code}/"


def test_a_post_without_any_body_is_an_empty_one(client):
    assert client.generic("POST", "/api/v1/players/").status_code == 201


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete", "options"])
@pytest.mark.parametrize("path", ["nowhere/", "players/1/", "players", ""])
def test_unknown_addresses_are_problems(client, method, path):
    refused = getattr(client, method)(f"/api/v1/{path}")
    assert (refused.status_code, refused["Content-Type"]) == (404, PROBLEM)
    assert refused.json()["code"] == "not_found"


def test_other_methods_and_formats_are_problems(client):
    refused = client.delete("/api/v1/players/")
    assert (refused.status_code, refused.json()["code"]) == (405, "method_not_allowed")
    refused = client.get("/api/v1/problems/", headers={"Accept": "image/png"})
    assert (refused.status_code, refused.json()["code"]) == (406, "not_acceptable")
    assert refused["Content-Type"] == PROBLEM


def test_a_fault_of_the_program_is_a_problem_too(client, monkeypatch):
    def broken(**_):
        raise RuntimeError("secret")

    monkeypatch.setattr("accounts.selectors.player_of", broken)
    client.raise_request_exception = False
    refused = client.get("/api/v1/players/00000000-0000-0000-0000-000000000000/")
    assert (refused.status_code, refused.json()["code"]) == (500, "internal_error")
    assert "secret" not in refused.content.decode()


def test_every_problem_can_be_looked_up(client):
    for problem in client.get("/api/v1/problems/").json():
        assert client.get(problem["type"]).json() == problem


@pytest.mark.parametrize(
    ("header", "language", "title"),
    [("en", "en", "Not found"), ("ja", "ja", "見つかりません"), ("fr", "ja", "見つかりません")],
)
def test_texts_follow_the_header_and_codes_do_not(client, header, language, title):
    refused = client.get("/api/v1/nowhere/", headers={"Accept-Language": header})
    assert refused["Content-Language"] == language
    assert "Accept-Language" in refused["Vary"]
    assert (refused.json()["code"], refused.json()["title"]) == ("not_found", title)


def test_without_a_header_a_player_is_spoken_to_in_their_language(client):
    token = post(client, "players/", **{"Accept-Language": "en"}).json()["token"]
    auth = {"Authorization": f"Bearer {token}"}
    assert post(client, "players/transfer/", **auth).json()["title"] == "Invalid input"
    both = {**auth, "Accept-Language": "ja"}
    assert post(client, "players/transfer/", **both).json()["title"] == "入力に誤りがあります"


# --- limits -----------------------------------------------------------------------------------


def test_a_bucket_gives_its_burst_and_then_its_rate():
    limit, full_at, let_in = Limit("x", 2.0, 5), 0.0, []
    for tick in range(100):
        now = 1000 + tick / 10
        full_at, wait = after_one(limit, full_at, now)
        if not wait:
            let_in.append(tick)
    assert let_in[:5] == [0, 1, 2, 3, 4]
    assert 5 + 2 * 10 - 1 <= len(let_in) <= 5 + 2 * 10


def test_one_hundred_accounts_at_once_then_one_every_ten_seconds(client, settings):
    settings.RATE_ACCOUNTS = (0.1, 100)
    settings.RATE_ACTIONS = (10000.0, 10000)
    statuses = [post(client, "players/").status_code for _ in range(101)]
    assert statuses[:100] == [201] * 100
    refused = post(client, "players/")
    assert (refused.status_code, refused.json()["code"]) == (429, "throttled")
    assert 1 <= int(refused["Retry-After"]) <= 10
    elsewhere = client.post(
        "/api/v1/players/", "{}", content_type="application/json", REMOTE_ADDR="10.0.0.9"
    )
    assert elsewhere.status_code == 201


def test_too_many_reads_wait_a_moment(client, settings):
    settings.RATE_READS = (0.5, 3)
    statuses = [client.get("/api/v1/problems/").status_code for _ in range(4)]
    assert statuses == [200, 200, 200, 429]
    token = post(client, "players/").json()["token"]
    of_player = client.get("/api/v1/players/me/", headers={"Authorization": f"Bearer {token}"})
    assert of_player.status_code == 200


def test_a_bucket_is_shared_by_all_processes(valkey):
    limit = Limit("shared", 0.01, 50)
    with ThreadPoolExecutor(8) as threads:
        waits = list(threads.map(lambda _: spend(limit, "everyone"), range(200)))
    assert sum(wait == 0 for wait in waits) == 50


async def test_the_event_loop_spends_from_the_same_bucket(valkey):
    limit = Limit("loop", 0.01, 2)
    assert spend(limit, "me") == 0
    assert await throttling.spend_async(limit, "me") == 0
    assert 90 < await throttling.spend_async(limit, "me") <= 100
    assert spend(limit, "me") > 90
    await throttling.close()


def test_without_valkey_each_process_counts_for_itself(monkeypatch):
    def gone(**_):
        raise redis.ConnectionError

    monkeypatch.setattr(throttling, "_local", throttling._Local())
    monkeypatch.setattr(throttling, "_script", lambda: gone)
    limit = Limit("alone", 0.01, 3)
    assert [spend(limit, "me") > 0 for _ in range(5)] == [False, False, False, True, True]


@pytest.mark.parametrize(
    ("meta", "proxies", "address"),
    [
        ({"REMOTE_ADDR": "1.2.3.4"}, 0, "1.2.3.4"),
        ({"REMOTE_ADDR": "1.2.3.4", "HTTP_X_FORWARDED_FOR": "9.9.9.9"}, 0, "1.2.3.4"),
        ({"REMOTE_ADDR": "10.0.0.1", "HTTP_X_FORWARDED_FOR": "6.6.6.6, 9.9.9.9"}, 1, "9.9.9.9"),
        ({"REMOTE_ADDR": "10.0.0.1"}, 1, "10.0.0.1"),
        ({"REMOTE_ADDR": "2001:db8:1:2:3:4:5:6"}, 0, "2001:db8:1:2::/64"),
        ({"REMOTE_ADDR": "::ffff:1.2.3.4"}, 0, "1.2.3.4"),
        ({}, 0, "unknown"),
    ],
)
def test_an_address_is_what_nobody_can_forge(meta, proxies, address):
    with override_settings(TRUSTED_PROXIES=proxies):
        assert address_of(meta) == address


# --- repeats ----------------------------------------------------------------------------------


class TellView(PlayerEndpoint):
    """Leaves a notice, or refuses to."""

    @idempotent
    def post(self, request):
        notice = notices.tell(player_id=self.player.pk, kind=NoticeKind.SEASON, now=self.now)
        if request.data.get("refuse") == "raise":
            raise sign_in.WouldLoseAccount
        status = 409 if request.data.get("refuse") else 201
        if request.data.get("plain"):
            return JsonResponse({"id": str(notice.pk)}, status=status)
        return Response({"id": str(notice.pk)}, status=status)


@pytest.fixture
def teller(valkey, transactional_db):
    made = sign_in.create_account(
        display_name=None,
        language=Language.ENGLISH,
        origin=Origin(browser=BROWSER, label="", scopes=(), content=b""),
        now=NOW,
    )

    def tell(key=None, body=None, path="/tell/"):
        headers = {} if key is None else {"HTTP_IDEMPOTENCY_KEY": key}
        request = APIRequestFactory().post(path, body or {}, format="json", **headers)
        force_authenticate(request, made.player, made.device)
        return TellView.as_view()(request)

    return tell


def test_a_repeat_has_the_same_answer_and_no_second_effect(teller):
    first = teller("k", {"a": 1, "b": 2})
    again = teller("k", {"b": 2, "a": 1})
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.data == again.data
    assert Notice.objects.count() == 1
    assert teller("other", {"a": 1}).data != first.data
    assert teller().data != teller().data


def test_a_repeat_of_a_plain_answer_is_equal_json(teller):
    first, again = (teller("k", {"plain": True}) for _ in range(2))
    assert json.loads(first.content) == again.data
    assert (first.status_code, again.status_code) == (201, 201)


@pytest.mark.parametrize("change", [{"body": {"a": 2}}, {"path": "/other/"}])
def test_a_key_is_for_one_request(teller, change):
    teller("k", {"a": 1})
    refused = teller("k", **{"body": {"a": 1}, **change})
    assert (refused.status_code, refused.data["code"]) == (422, "idempotency_key_reused")
    assert Notice.objects.count() == 1


@pytest.mark.parametrize("refuse", ["raise", "answer"])
def test_a_refusal_spends_no_key(teller, refuse):
    assert teller("k", {"refuse": refuse}).status_code == 409
    assert not IdempotencyRecord.objects.exists()
    assert teller("k").status_code == 201


@pytest.mark.parametrize("key", ["", " ", "a b", "ä", "x" * 201])
def test_a_key_is_visible_text(teller, key):
    assert teller(key).data["code"] == "bad_idempotency_key"


@pytest.fixture
def at_once(transactional_db):
    """Run something in several threads at the same moment, each with a connection it keeps."""
    with ThreadPoolExecutor(4) as threads:

        def run(count, act):
            barrier = Barrier(count)
            rounds = (threads.submit(lambda n=n: (barrier.wait(), act(n))[1]) for n in range(count))
            return [one.result() for one in list(rounds)]

        yield run
        run(4, lambda _: connections.close_all())


def test_racing_repeats_have_one_effect_each_of_hundreds_of_times(teller, settings, at_once):
    settings.RATE_ACTIONS = (10000.0, 10000)
    for number in range(200):
        answers = at_once(3, lambda _, key=f"k{number}": teller(key))
        made = {answer.data["id"] for answer in answers if answer.status_code == 201}
        others = {answer.data["code"] for answer in answers if answer.status_code != 201}
        assert len(made) == 1
        assert others <= {"idempotency_key_in_use"}
    assert Notice.objects.count() == IdempotencyRecord.objects.count() == 200


def test_racing_creations_under_one_key_are_one_account(valkey, at_once):
    for number in range(100):
        scopes = (key_scope(f"key-{number}"),)
        origin = Origin(browser=BROWSER, label="", scopes=scopes, content=b"x")
        made = at_once(
            4,
            lambda _, origin=origin: sign_in.create_account(
                display_name=None, language=Language.JAPANESE, origin=origin, now=NOW
            ),
        )
        assert len({one.player.pk for one in made}) == 1
        assert len({one.token for one in made}) == 4
    assert Player.objects.count() == Device.objects.count() == 100


def test_a_transfer_code_is_used_once_however_many_race(valkey, at_once):
    origin = Origin(browser=BROWSER, label="", scopes=(), content=b"")
    owner = sign_in.create_account(
        display_name=None, language=Language.ENGLISH, origin=origin, now=NOW
    )

    def use(code):
        try:
            return sign_in.transfer_account(
                code=code,
                signed_in=None,
                has_matches=lambda player_id: False,
                replace=False,
                origin=origin,
                now=NOW,
            )
        except sign_in.UnknownTransferCode:
            return None

    for number in range(100):
        material = number.to_bytes(32)
        issued = codes.make_transfer_code(acting=owner.device, material=material, now=NOW)
        used = at_once(3, lambda _, code=issued.code: use(code))
        assert len([one for one in used if one]) == 1
        Device.objects.exclude(pk=owner.device.pk).delete()


def test_what_has_served_its_time_is_forgotten(teller):
    teller("k")
    sign_in.create_account(
        display_name=None,
        language=Language.ENGLISH,
        origin=Origin(browser=BROWSER, label="", scopes=(key_scope("k" * 16),), content=b""),
        now=NOW,
    )
    device = Device.objects.order_by("id")[1]
    codes.make_transfer_code(acting=device, material=bytes(32), now=NOW)
    kept = IdempotencyRecord.objects.get()
    for model, ends in (
        (SignIn, NOW + sign_in.KEY_LASTS),
        (TransferCode, NOW + codes.CODE_LASTS),
        (IdempotencyRecord, kept.created_at + repeats.ANSWERS_LAST),
    ):
        expiry.forget_expired(now=ends - timedelta(seconds=1))
        assert model.objects.count() == 1
        expiry.forget_expired(now=ends)
        assert not model.objects.exists()


def test_racing_renames_never_share_name_and_tag(valkey, at_once, monkeypatch):
    monkeypatch.setattr("accounts.tokens.ALPHABET", "AB")
    made = at_once(
        4,
        lambda _: [
            players.make_player(display_name="Taro", language=Language.ENGLISH, now=NOW)
            for _ in range(2)
        ],
    )
    assert len({player.tag for some in made for player in some}) == 8


def test_the_documents_are_served(client):
    schema = client.get("/api/v1/schema/", headers={"Accept": "application/json"})
    assert "/api/v1/players/me/" in json.loads(schema.content)["paths"]
    docs = client.get("/api/v1/docs/")
    assert "'unsafe-inline'" in docs["Content-Security-Policy"]
    assert "unsafe-inline" not in client.get("/api/v1/problems/")["Content-Security-Policy"]
