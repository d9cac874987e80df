"""The addresses that orchestrators ask."""

import pytest
from django.conf import settings
from django.db import connections
from django.test import Client


def test_alive_touches_no_database(client: Client) -> None:
    assert client.get("/healthz").status_code == 200


@pytest.mark.django_db
def test_ready_with_database_and_valkey(client: Client) -> None:
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "faults": [], "degraded": []}


@pytest.mark.django_db(transaction=True)
def test_not_ready_without_database(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connections["default"].settings_dict, "NAME", "absent")
    connections["default"].close()
    answer = client.get("/readyz")
    connections["default"].close()
    assert answer.status_code == 503
    assert answer.json()["faults"] == ["database"]


@pytest.mark.django_db
def test_ready_but_degraded_without_valkey(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "REDIS_URL", "unix:///absent.sock?db=0")
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["degraded"] == ["valkey"]


def test_version_says_what_runs(client: Client) -> None:
    assert client.get("/version").json() == {"version": settings.VERSION, "commit": None}


@pytest.mark.django_db
def test_metrics_are_prometheus_text(client: Client) -> None:
    client.get("/healthz")
    assert b"django_http_requests_total_by_method_total" in client.get("/metrics").content


def test_pages_carry_the_content_security_policy(client: Client) -> None:
    policy = client.get("/version")["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
