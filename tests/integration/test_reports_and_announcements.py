"""What players tell staff, and what staff tell everybody."""

from datetime import timedelta
from uuid import UUID

import pytest
from django.utils import timezone
from websockets.sync.client import connect

from accounts.models import AnnouncementLevel
from accounts.services import announcements
from tables.blackjack.events import MatchKind
from tables.blackjack.ruleset import Ruleset
from tables.hub import Poke, poke, publish
from tables.models import Report
from tables.services.matches import start_match
from tests.conftest import Service
from tests.journeys.guests import Invite
from tests.rest import Program, new_program


def pair():
    first, second = new_program(display_name="Anna"), new_program(display_name="Bert")
    return first, second


def refused(answer, status, code):
    assert (answer.status_code, answer.json()["code"]) == (status, code)


def about(player, **more):
    return {"player": player.id, "reason": "stalling", **more}


@pytest.mark.django_db
def test_a_report_is_taken_once_per_match_and_player():
    anna, bert = pair()
    match = str(
        start_match(
            player_ids=[UUID(anna.id), UUID(bert.id)], kind=MatchKind.PARTY, ruleset=Ruleset()
        ).pk
    )
    other = new_program()
    made = anna.post("reports/", about(bert, match=match, text="waits <b>every</b> time"))
    assert made.status_code == 201
    assert made.json()["match"] == match
    refused(anna.post("reports/", about(bert, match=match)), 409, "already_reported")
    assert anna.post("reports/", about(bert)).status_code == 201
    refused(anna.post("reports/", about(bert)), 409, "already_reported")
    assert bert.post("reports/", about(anna, match=match)).status_code == 201
    refused(anna.post("reports/", about(other, match=match)), 404, "player_not_found")
    refused(other.post("reports/", about(bert, match=match)), 404, "match_not_found")
    assert Report.objects.count() == 3


@pytest.mark.django_db
def test_what_is_no_report_is_refused():
    anna, bert = pair()
    refused(anna.post("reports/", about(anna)), 409, "cannot_report_yourself")
    refused(anna.post("reports/", {"player": bert.id, "reason": "ugly"}), 400, "invalid")
    refused(anna.post("reports/", about(bert, text="x" * 501)), 400, "invalid")
    refused(Program().post("reports/", about(bert)), 401, "not_authenticated")
    refused(
        anna.post(
            "reports/", {"player": "0" * 8 + "-0000-4000-8000-" + "0" * 12, "reason": "name"}
        ),
        404,
        "player_not_found",
    )
    assert not Report.objects.exists()


@pytest.mark.django_db
def test_nobody_floods_staff_with_reports():
    anna = new_program()
    others = [new_program() for _ in range(21)]
    for other in others[:20]:
        assert anna.post("reports/", about(other)).status_code == 201
    refused(anna.post("reports/", about(others[20])), 409, "too_many_reports")
    Report.objects.filter(player=others[0].id).update(state="dismissed")
    assert anna.post("reports/", about(others[20])).status_code == 201


def put_up(**more):
    now = timezone.now()
    given = {
        "level": AnnouncementLevel.INFO,
        "text_ja": "お知らせです。",
        "text_en": "Some news.",
        "starts_at": now,
        "ends_at": None,
        "restart_at": None,
        "now": now,
    }
    return announcements.put_up(**(given | more))


@pytest.mark.django_db
def test_announcements_are_listed_in_the_readers_language_while_they_last(client):
    now = timezone.now()
    hour = timedelta(hours=1)
    put_up()
    put_up(text_en="Over.", starts_at=now - 2 * hour, ends_at=now, now=now - hour)
    put_up(text_en="Later.", starts_at=now + hour)
    back = now + hour
    put_up(
        level=AnnouncementLevel.MAINTENANCE,
        text_en="Down.",
        starts_at=now - hour,
        ends_at=now + hour,
        restart_at=back,
    )
    listed = Program().get("announcements/", accept_language="en").json()["results"]
    assert {item["text"] for item in listed} == {"Some news.", "Down."}
    [down] = [item for item in listed if item["level"] == "maintenance"]
    assert set(down) == {"id", "level", "text", "starts_at", "ends_at", "restart_at"}
    assert down["restart_at"]
    listed = Program().get("announcements/", accept_language="ja").json()["results"]
    assert "お知らせです。" in {item["text"] for item in listed}
    page = client.get("/", headers={"accept-language": "en"}).content.decode()
    assert "Some news." in page
    assert "Later." not in page


@pytest.mark.django_db
@pytest.mark.parametrize("fault", ["blank", "over", "restart"])
def test_an_announcement_that_makes_no_sense_is_refused(fault):
    now = timezone.now()
    wrong = {
        "blank": {"text_ja": "  "},
        "over": {"ends_at": now - timedelta(seconds=1)},
        "restart": {"restart_at": now},
    }[fault]
    with pytest.raises(announcements.AnnouncementRefused):
        put_up(**wrong)


@pytest.mark.django_db(transaction=True)
@pytest.mark.timeout(180)
def test_every_socket_is_told_at_once_and_told_of_the_end(service: Service, invite: Invite) -> None:
    anna = invite("Anna")
    anna.open()
    news = put_up(level=AnnouncementLevel.MAINTENANCE, text_en="Down soon.")
    publish([poke(None, Poke.ANNOUNCEMENT)])
    heard = anna.wait_for("notice", id=str(news.pk))
    assert (heard["kind"], heard["level"]) == ("maintenance", "maintenance")
    assert heard["until"] is None
    late = invite("Late")
    late.open()
    assert late.wait_for("notice", id=str(news.pk))["text"] in {"Down soon.", "お知らせです。"}
    announcements.take_down(announcement_id=news.pk, now=timezone.now())
    # Nobody publishes this: the process finds it by itself.
    late.wait_until(lambda: any(one["type"] == "notice" and one["until"] for one in late.heard))


@pytest.mark.django_db(transaction=True)
@pytest.mark.timeout(180)
def test_a_guest_without_an_account_is_told_in_their_language(service: Service) -> None:
    put_up(text_en="For everybody.")
    with connect(
        service.ws_url + "/ws/v1/", additional_headers={"Accept-Language": "en"}
    ) as socket:
        socket.send('{"type": "hello", "language": "en"}')
        texts = []
        while "For everybody." not in "".join(texts):
            texts.append(str(socket.recv(timeout=20)))
