"""Who plays their own accounts against each other is flagged for staff, and not punished."""

from datetime import timedelta
from io import StringIO
from uuid import UUID, uuid4

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts.models import Device, Player
from ratings import services
from ratings.models import Flag, FlagKind, FlagState
from ratings.selectors import match_ratings, ratings_of
from ratings.services.fair_play import is_one_sided
from ratings.tasks import look_at_matches_task
from tables.models import Match, Penalty
from tables.services import waves
from tests.integration.queue.conftest import wait
from tests.rated import NOW, finish, players
from tests.rest import Program, new_program

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("valkey")]

DAY = timedelta(days=1)


def browser_of(player: UUID, browser: UUID) -> None:
    Device.objects.create(player_id=player, browser=browser, created_at=NOW, last_used_at=NOW)


def look(at=NOW) -> list[tuple[str, list[UUID], dict]]:
    """What is flagged after a look at everything that finished in the last day."""
    services.look_at_matches(finished_after=at - DAY, now=at)
    return list(Flag.objects.order_by("kind").values_list("kind", "players", "details"))


def test_two_accounts_of_one_browser_that_met_are_flagged():
    one, other, stranger = players(3)
    shared = uuid4()
    browser_of(one, shared)
    browser_of(other, shared)
    browser_of(stranger, uuid4())
    finish([one, stranger, other], [1, 2, 3])
    last = uuid4()
    finish([one, other], [1, 2], match_id=last)
    assert look() == [("same_browser", sorted([one, other]), {"matches": 2})]
    flag = Flag.objects.get()
    assert (flag.match, flag.state, flag.note) == (last, FlagState.OPEN, "")


def test_a_browser_that_was_signed_out_is_remembered():
    one, other = players(2)
    shared = uuid4()
    browser_of(one, shared)
    Device.objects.update(revoked_at=NOW)
    browser_of(other, shared)
    finish([one, other], [1, 2])
    assert [kind for kind, _, _ in look()] == ["same_browser"]


def test_members_of_one_party_are_no_opponents():
    one, other, third = players(3)
    shared, party = uuid4(), uuid4()
    browser_of(one, shared)
    browser_of(other, shared)
    for _ in range(12):
        finish([one, other, third], [1, 3, 2], parties=[party, party, None])
    assert [flag for flag in look() if set(flag[1]) == {one, other}] == []


def test_ra_15_one_persons_accounts_feed_one_of_them():
    fed, feeding = players(2)
    browser_of(fed, uuid4())
    browser_of(feeding, uuid4())
    matches = [uuid4() for _ in range(20)]
    for match_id in matches:
        finish([fed, feeding], [1, 2], match_id=match_id)
    [(kind, pair, details)] = look()
    assert (kind, pair) == ("one_sided", sorted([fed, feeding]))
    assert details["matches"] == 20
    assert sorted(details["won"]) == [0, 20]
    rated = match_ratings(matches)
    gains = [max(rated[match_id].changes) for match_id in matches]
    assert gains == sorted(gains, reverse=True)
    assert gains[-1] < gains[0] / 2  # the same opponent is worth less and less
    assert ratings_of([fed])[fed].rating + ratings_of([feeding])[feeding].rating == 3_000_000
    assert not Player.objects.filter(banned_at__isnull=False).exists()
    assert not Penalty.objects.exists()


@pytest.mark.parametrize(
    ("won", "lost", "flagged"),
    [(9, 0, False), (10, 0, True), (0, 10, True), (10, 1, False), (17, 3, True), (12, 8, False)],
)
def test_luck_alone_flags_nobody(won, lost, flagged):
    assert is_one_sided(won, lost) is flagged


def test_void_and_old_matches_say_nothing():
    one, other = players(2)
    for _ in range(5):
        finish([one, other], [1, 2], at=NOW - 31 * DAY)
    for number in range(10):
        match_id = uuid4()
        finish([one, other], [1, 2], match_id=match_id)
        if number == 0:
            services.void_match(match_id=match_id, now=NOW)
    assert look() == []


def test_what_staff_made_of_a_flag_stays():
    one, other = players(2)
    for _ in range(10):
        finish([one, other], [1, 2])
    look()
    Flag.objects.update(state=FlagState.DISMISSED, note="Two friends")
    before = Flag.objects.get()
    assert look(NOW + timedelta(hours=1)) == [("one_sided", before.players, before.details)]
    assert Flag.objects.get().updated_at == before.updated_at  # nothing new was found
    finish([one, other], [1, 2], at=NOW + timedelta(hours=1))
    look(NOW + timedelta(hours=2))
    flag = Flag.objects.get()
    assert (flag.state, flag.note, flag.details["matches"]) == ("dismissed", "Two friends", 11)


def test_the_job_looks_at_what_has_just_finished():
    one, other = players(2)
    shared = uuid4()
    browser_of(one, shared)
    browser_of(other, shared)
    finish([one, other], [1, 2], at=timezone.now())
    look_at_matches_task("0.1")
    assert Flag.objects.get().kind == FlagKind.SAME_BROWSER


def search(*programs: Program) -> None:
    for program in programs:
        assert program.post("queue/").status_code == 200
    wait(*[UUID(program.id) for program in programs], seconds=60)
    waves.run_wave()


def accept(program: Program, address: str) -> None:
    answer = program.client.post(
        "/api/v1/queue/accept/", "{}", "application/json", REMOTE_ADDR=address, **program.headers
    )
    assert answer.status_code == 200, answer.content


@pytest.mark.parametrize(
    ("addresses", "flagged"),
    [
        (("203.0.113.9", "203.0.113.9"), True),
        (("203.0.113.9", "203.0.113.10"), False),
        (("2001:db8:0:1::1", "2001:db8:0:1::2"), True),
        (("127.0.0.1", "127.0.0.1"), False),
    ],
)
def test_opponents_of_one_network_are_flagged(addresses, flagged):
    pair = new_program(), new_program()
    search(*pair)
    for program, address in zip(pair, addresses, strict=True):
        accept(program, address)
    match = Match.objects.get()
    flags = Flag.objects.filter(kind=FlagKind.SAME_NETWORK)
    found = [(flag.players, flag.match, flag.details) for flag in flags]
    ids = sorted(UUID(program.id) for program in pair)
    assert found == ([(ids, match.pk, {"matches": 1})] if flagged else [])
    assert not Penalty.objects.exists()


def test_matches_of_one_network_are_counted_once_each():
    one, other = players(2)
    matches = [uuid4(), uuid4()]
    for match_id in [matches[0], matches[0], matches[1]]:
        services.flag_networks(groups=[[other, one]], match_id=match_id, now=NOW)
    assert Flag.objects.get().details == {"matches": 2}


def test_no_address_is_stored_or_shown():
    pair = new_program(), new_program()
    search(*pair)
    accept(pair[0], "203.0.113.9")
    dump = StringIO()
    call_command("dumpdata", "tables", "ratings", stdout=dump)
    assert "203.0.113" not in dump.getvalue()
    accept(pair[1], "203.0.113.9")
    exported = pair[0].get("players/me/export/").json()
    assert [flag["kind"] for flag in exported["ratings"]["flags"]] == ["same_network"]
    assert pair[1].id not in str(exported["ratings"]["flags"])
