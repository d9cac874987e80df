"""Searching by real clients: what their sockets are told."""

from collections.abc import Callable, Iterator

import pytest

from tests.conftest import Service
from tests.journeys.guests import Guest

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]

Searcher = Callable[[str], Guest]


@pytest.fixture
def searcher(workers: Service) -> Iterator[Searcher]:
    guests: list[Guest] = []

    def guest(name: str) -> Guest:
        guests.append(Guest(workers.url, name))
        return guests[-1]

    yield guest
    for each in guests:
        each.close()


def test_queue_messages_tell_every_change(searcher: Searcher) -> None:
    anna, bert = searcher("Anna"), searcher("Bert")
    for guest in (anna, bert):
        guest.open()
        guest.post("queue/")
        assert guest.wait_for("queue")["status"] == "waiting"
    check = anna.wait_for("ready_check", answered=False, accepted=0)
    assert bert.wait_for("ready_check", accepted=0)["id"] == check["id"]
    assert anna.get("queue/")["status"] == "ready_check"
    anna.post("queue/accept/", ready_check=check["id"])
    assert bert.wait_for("ready_check", accepted=1)["answered"] is False
    bert.post("queue/decline/", ready_check=check["id"])
    back = anna.wait_for("queue", reason="check_failed")
    assert (back["status"], back["penalty"]) == ("waiting", None)
    out = bert.wait_for("queue", reason="declined")
    assert out["status"] == "none"
    anna.drop()
    anna.open()
    assert anna.wait_for("queue")["status"] == "waiting"
