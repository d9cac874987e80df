"""What sockets are told of the queue, and how a lost message is made good."""

import json
from uuid import UUID

import pytest
from django.conf import settings

from api.consumers.personal import PersonalNews
from tables.services import queue, queue_news, ready_checks, waves
from tests.integration.queue.conftest import a_party, accept, asked, gone, search, wait

pytestmark = [pytest.mark.django_db(transaction=True)]


@pytest.fixture
def heard(valkey):
    """What has been published to players since the last look, by player."""
    topic = f"{settings.REDIS_PREFIX}p:"
    pubsub = valkey.pubsub()
    pubsub.psubscribe(topic + "*")
    assert pubsub.get_message(timeout=5)

    def look() -> dict[UUID, list[dict[str, object]]]:
        valkey.publish(topic + "end", "")
        inbox: dict[UUID, list[dict[str, object]]] = {}
        while (message := pubsub.get_message(timeout=5)) is not None:
            key = message["channel"].decode().removeprefix(topic)
            if key == "end":
                return inbox
            if message["data"].startswith(b"{"):
                inbox.setdefault(UUID(key), []).append(json.loads(message["data"]))
        return inbox

    yield look
    pubsub.close()


def test_everybody_is_told_every_change(people, heard) -> None:
    anna, bert = people(2)
    search(anna)
    assert [message["status"] for message in heard()[anna]] == ["waiting"]
    search(bert)
    wait(anna, bert, seconds=21)
    heard()
    waves.run_wave()
    told = heard()
    for player_id in (anna, bert):
        place, check = told[player_id]
        assert (place["type"], place["status"]) == ("queue", "ready_check")
        assert check == {**place["ready_check"], "type": "ready_check"}
        assert (check["size"], check["accepted"], check["answered"]) == (2, 0, False)
    accept(anna)
    told = heard()
    assert [told[each][1]["answered"] for each in (anna, bert)] == [True, False]
    assert [told[each][1]["accepted"] for each in (anna, bert)] == [1, 1]
    accept(bert)
    told = heard()
    assert {told[each][-1]["status"] for each in (anna, bert)} == {"matched"}


def test_each_is_told_why(people, heard) -> None:
    anna, bert, carl = people(3)
    asked(anna, bert, carl)
    accept(carl)
    heard()
    ready_checks.decline(player_id=anna, check_id=None)
    told = heard()
    assert told[anna][-1]["reason"] == "declined"
    assert (told[carl][-1]["status"], told[carl][-1]["reason"]) == ("waiting", "check_failed")
    queue.close_queue()
    assert heard()[carl][-1]["reason"] == "closed"


def test_the_party_is_told_that_a_member_was_away(people, heard, a_web_process) -> None:
    anna, bert = people(2)
    a_party(anna, bert)
    search(anna)
    wait(anna, seconds=60)
    gone(bert, 30)
    heard()
    waves.tick()
    told = heard()
    assert {told[each][-1]["reason"] for each in (anna, bert)} == {"absent"}


def test_a_lost_message_is_made_good(people, valkey) -> None:
    [anna] = people(1)
    news = PersonalNews()

    def missed() -> list[dict[str, object]]:
        found = [json.loads(message.body) for message in news._missed([anna])]
        for message in news._missed([anna]):
            news.note(anna, message.body)
        return found

    assert missed() == []  # who never searched is told nothing
    search(anna)
    assert [message["status"] for message in missed()] == ["waiting"]
    assert missed() == []
    queue.leave(player_id=anna)
    assert [message["status"] for message in missed()] == ["none"]
    assert missed() == []


def test_a_new_socket_is_told_where_its_player_is(people, valkey) -> None:
    [anna] = people(1)
    assert queue_news.opening_message(anna) is None
    search(anna)
    message = queue_news.opening_message(anna)
    assert message is not None
    assert json.loads(message.body)["status"] == "waiting"
