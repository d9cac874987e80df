"""The queue over REST, to the letter of api.md."""

from uuid import UUID, uuid4

import pytest
from django.test import override_settings

from accounts.models import Device
from tables.models import Penalty, Seat, Ticket
from tables.services import waves
from tests.integration.queue.conftest import wait
from tests.rest import Program, new_program

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]

MEMBERS = {
    *("status", "since", "waiting", "estimate", "window"),
    *("party", "ready_check", "match", "penalty"),
}


def searching(*programs: Program) -> None:
    for program in programs:
        assert program.post("queue/").status_code == 200
    wait(*(UUID(program.id) for program in programs), seconds=21)


def test_the_queue_needs_an_account() -> None:
    for method in ("GET", "POST", "DELETE"):
        assert Program().send(method, "queue/").status_code == 401


def test_what_is_no_json_enters_nobody() -> None:
    anna = new_program()
    answer = anna.post("queue/", b"{")
    assert (answer.status_code, answer.json()["code"]) == (400, "parse_error")
    assert anna.get("queue/").json()["status"] == "none"


def test_get_is_always_the_same_object() -> None:
    anna = new_program()
    answer = anna.get("queue/")
    assert answer.status_code == 200
    assert set(answer.json()) == MEMBERS
    assert answer.json() == {**dict.fromkeys(MEMBERS), "status": "none", "waiting": 0}


def test_one_enters_and_leaves() -> None:
    anna = new_program()
    entered = anna.post("queue/")
    assert (entered.status_code, entered.json()["status"]) == (200, "waiting")
    assert entered.json()["since"].endswith("Z")
    assert entered.json()["waiting"] == 1
    assert set(entered.json()) == MEMBERS
    own = anna.get("players/me/").json()
    assert (own["queue"]["status"], own["penalty"]) == ("waiting", None)
    left = anna.send("DELETE", "queue/")
    assert (left.status_code, left.content) == (204, b"")
    assert anna.send("DELETE", "queue/").status_code == 204
    assert anna.get("queue/").json()["status"] == "none"
    assert anna.get("players/me/").json()["queue"] is None


def test_all_accept_and_find_the_match() -> None:
    anna, bert = new_program(), new_program()
    searching(anna, bert)
    waves.run_wave()
    asked = anna.get("queue/").json()
    assert asked["status"] == "ready_check"
    check = asked["ready_check"]
    assert set(check) == {"id", "deadline", "size", "accepted", "answered"}
    assert (check["size"], check["accepted"], check["answered"]) == (2, 0, False)
    assert check["deadline"].endswith("Z")
    first = anna.post("queue/accept/", {"ready_check": check["id"]})
    assert (first.status_code, first.json()["status"]) == (200, "ready_check")
    assert first.json()["ready_check"]["accepted"] == 1
    second = bert.post("queue/accept/")
    assert (second.status_code, second.json()["status"]) == (200, "matched")
    match = second.json()["match"]
    assert anna.get("queue/").json()["match"] == match
    assert anna.get("players/me/").json()["match"] == match
    seen = anna.get(f"matches/{match}/").json()
    assert (seen["kind"], seen["rules"]["turn_seconds"]) == ("ranked", 30)
    again = bert.post("queue/accept/", {"ready_check": check["id"]})
    assert (again.status_code, again.json()["code"]) == (409, "ready_check_over")
    assert bert.post("queue/").json()["code"] == "in_match"
    anna.post(f"matches/{match}/leave/")
    assert anna.get("queue/").json()["status"] == "none"
    assert anna.get("queue/").json()["match"] is None


def test_an_accept_that_is_sent_again_gives_the_same_answer() -> None:
    anna, bert = new_program(), new_program()
    searching(anna, bert)
    waves.run_wave()
    anna.post("queue/accept/")
    first = bert.post("queue/accept/", idempotency_key="only-once")
    again = bert.post("queue/accept/", idempotency_key="only-once")
    assert first.status_code == again.status_code == 200
    assert first.json() == again.json()
    assert Seat.objects.filter(live=True).count() == 2
    assert bert.get("queue/").json()["status"] == "matched"


def test_declining_says_what_it_costs() -> None:
    anna, bert = new_program(), new_program()
    for expected in (None, 60):
        searching(anna, bert)
        assert anna.get("queue/cost/").json() == {"seconds": expected or 0}
        waves.run_wave()
        bert.post("queue/accept/")
        declined = anna.post("queue/decline/")
        assert (declined.status_code, declined.json()["status"]) == (200, "none")
        penalty = declined.json()["penalty"]
        assert (penalty is None) is (expected is None)
        assert bert.get("queue/").json()["status"] == "waiting"
    assert penalty["reason"] == "declined"
    assert anna.get("queue/cost/").json() == {"seconds": 300}
    assert bert.get("queue/cost/").json() == {"seconds": 0}
    assert anna.get("players/me/").json()["penalty"] == penalty
    refused = anna.post("queue/")
    assert (refused.status_code, refused.json()["code"]) == (403, "penalty")
    assert refused.json()["until"] == penalty["until"]
    notices = anna.get("players/me/notices/").json()["results"]
    assert [notice["kind"] for notice in notices] == ["penalty"]


def test_deleting_the_ticket_in_a_ready_check_declines() -> None:
    anna, bert = new_program(), new_program()
    searching(anna, bert)
    waves.run_wave()
    assert anna.send("DELETE", "queue/").status_code == 204
    assert Penalty.objects.get().player_id == UUID(anna.id)


@pytest.mark.parametrize("answer", ["accept", "decline"])
@pytest.mark.parametrize("named", [{}, {"ready_check": str(uuid4())}])
def test_an_old_ready_check_is_over(answer: str, named: dict[str, str]) -> None:
    anna = new_program()
    anna.post("queue/")
    refused = anna.post(f"queue/{answer}/", named)
    assert (refused.status_code, refused.json()["code"]) == (409, "ready_check_over")


def test_a_ready_check_is_named_by_an_id() -> None:
    refused = new_program().post("queue/accept/", {"ready_check": "first"})
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid")


def test_a_party_searches_through_its_host() -> None:
    anna, bert, carl = new_program(), new_program(), new_program()
    code = anna.post("parties/").json()["code"]
    bert.post(f"parties/{code}/join/")
    assert anna.post("queue/").json()["code"] == "not_everyone_ready"
    bert.post(f"parties/{code}/ready/", {"ready": True})
    refused = bert.post("queue/")
    assert (refused.status_code, refused.json()["code"]) == (403, "not_host")
    assert anna.post("queue/").json()["party"] == code
    assert bert.get("queue/").json()["status"] == "waiting"
    joined = carl.post(f"parties/{code}/join/")
    assert (joined.status_code, joined.json()["code"]) == (409, "searching")
    assert carl.get(f"parties/{code}/").json()["can_join"] == {"ok": False, "code": "searching"}
    bert.send("DELETE", "queue/")
    assert carl.post(f"parties/{code}/join/").status_code == 200


def test_six_are_too_many() -> None:
    host, *others = [new_program() for _ in range(6)]
    code = host.post("parties/").json()["code"]
    for other in others:
        other.post(f"parties/{code}/join/")
        other.post(f"parties/{code}/ready/", {"ready": True})
    refused = host.post("queue/")
    assert (refused.status_code, refused.json()["code"]) == (409, "party_too_large")


@override_settings(RATE_QUEUE=(0.01, 3))
def test_nobody_floods_the_queue() -> None:
    anna = new_program()
    answers = [anna.post("queue/").status_code for _ in range(4)]
    assert answers == [200, 200, 200, 429]
    assert Ticket.objects.count() == 1


def test_one_browser_with_two_accounts_is_not_paired_with_itself() -> None:
    first = new_program()
    second = new_program()
    browser = Device.objects.get(player=first.id).browser
    Device.objects.filter(player=second.id).update(browser=browser)
    searching(first, second)
    wait(UUID(first.id), UUID(second.id), seconds=600)
    assert waves.run_wave() == 0
