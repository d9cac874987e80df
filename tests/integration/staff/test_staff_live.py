"""The live page: how late events are, and what tasks failed with."""

import time

import pytest
from celery import current_app
from django.test import Client

from staff import news_lag, task_log
from tests.conftest import Service

PATIENCE = 120.0
BACKEND = "django.contrib.auth.backends.ModelBackend"


@pytest.fixture
def page(staff_of):
    """Opens the live page and gives its text."""
    client = Client(headers={"accept-language": "en"})
    client.force_login(staff_of("support"), backend=BACKEND)

    def opened():
        answer = client.get("/admin/live/")
        assert answer.status_code == 200
        return answer.content.decode()

    return opened


@pytest.mark.django_db(transaction=True)
def test_it_says_how_late_events_are_and_who_hears_them(service: Service, page):
    until = time.monotonic() + PATIENCE
    while (found := news_lag.measure()) is None or not found.listeners or found.seconds is None:
        assert time.monotonic() < until, found  # the process has just begun to listen
        time.sleep(0.05)
    assert found.seconds > 0
    text = page()
    assert "Event lag" in text
    assert "Web processes that hear events" in text


@pytest.mark.django_db
def test_it_opens_without_valkey(page, settings):
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    task_log.client.cache_clear()
    try:
        assert news_lag.measure() is None
        assert page().count("Valkey does not answer.") == 2
    finally:
        task_log.client.cache_clear()


@pytest.mark.django_db
def test_it_shows_what_a_task_failed_with_and_nothing_of_what_was_said(valkey, page):
    @current_app.task(name="tests.fails")
    def fails():
        raise ArithmeticError("a secret seed")

    @current_app.task(name="tests.works")
    def works():
        return None

    fails.apply()
    works.apply()
    runs = {run.name: run for run in task_log.runs()}
    assert runs["tests.fails"].error == "ArithmeticError"
    assert runs["tests.fails"].failed_at
    assert runs["tests.works"].error is None
    text = page()
    assert "tests.works" in text
    assert "ArithmeticError" in text
    assert "a secret seed" not in text
