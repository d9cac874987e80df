"""A guest's account from the first press to the last, against the running service."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import httpx
import pytest

pytestmark = pytest.mark.django_db(transaction=True)

CSRF = "f" * 32


def browser(service):
    client = service.client(headers={"X-CSRFToken": CSRF, "Accept-Language": "en"})
    client.cookies.set("csrftoken", CSRF)
    return client


def at_once(acts):
    barrier = Barrier(len(acts))

    def one(act):
        barrier.wait()
        return act()

    with ThreadPoolExecutor(len(acts)) as threads:
        return list(threads.map(one, acts))


def test_a_guest_plays_on_two_devices_and_leaves_for_ever(service):
    with browser(service) as phone, service.client() as laptop:
        made = phone.post("/api/v1/players/", json={"display_name": "きつね"}).json()
        assert made["token"] is None
        assert phone.get("/api/v1/players/me/").json()["display_name"] == "きつね"
        code = phone.post("/api/v1/players/me/transfer-code/").json()["code"]
        moved = laptop.post("/api/v1/players/transfer/", json={"code": code.lower()}).json()
        assert moved["player"]["id"] == made["player"]["id"]
        laptop.headers["Authorization"] = f"Bearer {moved['token']}"
        assert laptop.delete("/api/v1/players/me/").json()["code"] == "device_too_young"
        renamed = laptop.patch("/api/v1/players/me/", json={"display_name": "Fox"})
        assert renamed.status_code == 200
        told = phone.get("/api/v1/players/me/notices/").json()["results"]
        assert [notice["kind"] for notice in told] == ["device_added"]
        assert phone.delete("/api/v1/players/me/").status_code == 204
        assert laptop.get("/api/v1/players/me/").status_code == 401
        profile = phone.get(f"/api/v1/players/{made['player']['id']}/").json()
        assert profile["display_name"] == "Deleted player"


def test_tabs_opened_at_once_are_one_account(service):
    tabs = [browser(service) for _ in range(4)]
    made = at_once([lambda tab=tab: tab.post("/api/v1/players/", json={}) for tab in tabs])
    assert [answer.status_code for answer in made] == [201] * 4
    assert len({answer.json()["player"]["id"] for answer in made}) == 1
    for tab in tabs:
        assert tab.get("/api/v1/players/me/").status_code == 200
        tab.close()


def test_no_secret_reaches_the_log_of_the_service(service):
    with service.client() as client:
        token = client.post("/api/v1/players/").json()["token"]
        client.headers["Authorization"] = f"Bearer {token}"
        code = client.post("/api/v1/players/me/transfer-code/").json()["code"]
        key = client.post("/api/v1/players/me/recovery-key/").json()["key"]
        client.post("/api/v1/players/transfer/", json={"code": "wrong" + code})
        client.get("/api/v1/nowhere/")
    for running in service.running.values():
        written = running.log.read_text()
        for secret in (token, code, key):
            assert secret not in written


def test_a_foreign_page_gets_no_cookie_request_through(service):
    with browser(service) as page:
        page.post("/api/v1/players/", json={})
        refused = page.patch(
            "/api/v1/players/me/",
            json={"display_name": "Fox"},
            headers={"Origin": "https://evil.example"},
        )
        assert refused.json()["code"] == "csrf_failed"
    assert httpx.get(f"{service.url}/api/v1/players/me/").status_code == 401
