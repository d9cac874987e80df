"""What `/metrics` of a web process tells of play."""

from datetime import timedelta

import httpx
import pytest
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from tables.models import Match
from tests.conftest import Service
from tests.journeys.guests import Invite
from tests.play import a_match, guests

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]


def figures(service: Service) -> dict[str, float]:
    text = httpx.get(f"{service.url}/metrics", timeout=10).text
    return {
        sample.name: sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name.startswith("taku_") and "le" not in sample.labels
    }


def test_live_matches_sockets_and_batches_are_counted(invite: Invite, service: Service) -> None:
    before = figures(service)
    anna = invite("Anna")
    match = anna.post("matches/", 201)["id"]
    anna.open()
    anna.wait_for("snapshot", match=match)
    anna.act({"action": "bet", "amount": 10, "version": 0})
    after = figures(service)
    assert after["taku_live_matches"] == before["taku_live_matches"] + 1 == 1
    assert after["taku_sockets"] == before["taku_sockets"] + 1
    assert after["taku_batch_items_count"] > before["taku_batch_items_count"]
    assert after["taku_batch_seconds_sum"] > before["taku_batch_seconds_sum"]
    assert after["taku_event_loop_lag_seconds"] >= 0
    assert (after["taku_due_matches"], after["taku_due_seconds"]) == (0, 0)


@pytest.mark.usefixtures("valkey")
def test_what_is_overdue_shows(client) -> None:
    match = a_match(guests(1))
    Match.objects.filter(pk=match.pk).update(wake_at=timezone.now() - timedelta(seconds=90))
    told = client.get("/metrics").content.decode()
    assert "taku_due_matches 1.0" in told
    seconds = float(told.partition("\ntaku_due_seconds ")[2].partition("\n")[0])
    assert 90 <= seconds < 150
