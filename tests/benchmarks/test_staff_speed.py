"""The staff's pages on a full board: every list, filter, search and object.

Every run opens them all on a small board and counts queries. `BENCHMARK=1` measures with a million
matches and 100,000 players against the promise: 300 ms and 30 queries a page at most.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from time import perf_counter
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Device, Player
from staff.pages import MOST_PAGES, PER_PAGE
from staff.services.roles import create_roles
from tables.models import Match, Party, Seat
from tests.benchmarks.figures import FULL, tell
from tests.benchmarks.large_board import fill

PLAYERS = 100_000 if FULL else 200
MATCHES = 1_000_000 if FULL else 2_000
MOST_QUERIES = 30
LONGEST = 0.3
AS = 3
"""How often a page is opened; what counts is the middle."""


def pages(real: Match, busy: Any) -> Iterator[str]:
    """Every list with its filters and last page, an old and a new object of it, and searches."""
    yield from ("/admin/", "/admin/live/")
    for model, page in admin.site._registry.items():
        base = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        yield base
        full = model._default_manager.count() // PER_PAGE
        yield f"{base}?p={max(1, min(full, MOST_PAGES))}"
        yield f"{base}?q=nobody"
        yield f"{base}?q=00000000-0000-7000-8000-000000000000"
        for name in page.list_filter:
            for value, _ in model._meta.get_field(str(name)).flatchoices or [("1", "")]:
                yield f"{base}?{name}__exact={value}"
        rows = model._default_manager.order_by("pk")
        for row in (rows.first(), rows.last()):
            if row is not None:
                yield f"{base}{row.pk}/change/"
    yield f"/admin/tables/match/{real.pk}/change/"
    yield f"/admin/tables/match/{real.pk}/table/"
    yield f"/admin/accounts/player/{busy}/change/"
    yield f"/admin/accounts/player/{real.seats.first().player_id}/change/"
    some = Player.objects.order_by("-id").first()
    found = Player.objects.get(pk=busy)
    recent = Match.objects.filter(kind="ranked").order_by("-id").first()
    searched = {
        "accounts/player": (
            *("g", "generated", "generated 77", "x", some.display_name, str(some), some.tag),
            *(some.pk, Device.objects.order_by("-id").first().pk, Party.objects.first().code),
            *(str(found), found.pk),
        ),
        "tables/match": (
            *(real.pk, busy, some.pk, Seat.objects.order_by("-id").first().player_id),
            *(f"{recent.started_at:%Y-%m-%d}", "2001-01-01"),
        ),
        "tables/party": (Party.objects.first().code, Party.objects.first().pk),
        "tables/ticket": (some.pk,),
        "tables/penalty": (some.pk,),
        "tables/report": (some.pk, real.pk),
        "accounts/device": (some.pk,),
        "accounts/notice": (some.pk, busy),
        "accounts/block": (some.pk,),
        "ratings/flag": (some.pk, real.pk),
        "ratings/ratedmatch": (real.pk, some.pk),
        "staff/staffaction": (some.pk, real.pk),
    }
    for base, terms in searched.items():
        for term in terms:
            yield f"/admin/{base}/?q={quote(str(term))}"


@pytest.mark.timeout(3000)
@pytest.mark.django_db(transaction=True)
def test_every_page_of_the_staff_is_quick_on_a_full_board(
    capsys: pytest.CaptureFixture[str],
) -> None:
    create_roles()
    user = User.objects.create(username="hana", is_staff=True)
    user.groups.add(Group.objects.get(name="administrator"))
    real, busy = fill(players=PLAYERS, matches=MATCHES, rounds=20 if FULL else 2, actor=user)
    client = Client(headers={"accept-language": "en"})
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    slowest: dict[str, float] = {}
    for address in dict.fromkeys(pages(real, busy)):
        taken = []
        for _ in range(AS if FULL else 1):
            with CaptureQueriesContext(connection) as asked:
                start = perf_counter()
                answer = client.get(address)
                taken.append(perf_counter() - start)
        assert answer.status_code == 200, address
        assert len(asked) <= MOST_QUERIES, (address, len(asked))
        slowest[address] = median(taken)
        if FULL and median(taken) > LONGEST:
            for query in asked:
                if float(query["time"]) > 0.03:
                    print(address, query["time"], query["sql"][:600])
    tell(
        capsys,
        "staff_pages",
        players=Player.objects.count(),
        matches=Match.objects.count(),
        pages=len(slowest),
        median_ms=round(1000 * median(slowest.values()), 1),
        worst_ms=round(1000 * max(slowest.values()), 1),
    )
    late = {page: round(taken, 3) for page, taken in slowest.items() if taken > LONGEST}
    assert not FULL or not late, late
