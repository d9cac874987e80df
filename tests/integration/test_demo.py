"""What `make demo` fills a board with: every page of players and staff has something to show."""

from datetime import timedelta

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from accounts.models import Player
from config.demo import SPREAD, NotEmpty, fill
from ratings.models import RatedMatch
from ratings.services.checks import check
from staff.services.roles import create_first_login, create_roles
from tables.models import Match, MatchStatus, Seat
from tables.services.verification import verify_match

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(240)]
RANKED = 12


def test_every_page_has_content() -> None:
    create_roles()
    create_first_login()
    fill(ranked_matches=RANKED)
    with pytest.raises(NotEmpty):
        fill()

    now = timezone.now()
    over = Match.objects.filter(kind="ranked").exclude(status=MatchStatus.PLAYING)
    days = {match.finished_at.date() for match in over}
    assert over.count() == RatedMatch.objects.count() == RANKED
    assert len(days) == RANKED, "spread over the weeks, none on the day of another"
    assert now - SPREAD - timedelta(days=1) < min(match.started_at for match in over)
    assert max(match.finished_at for match in over) < now
    assert not check(now=now).differs
    for match in over:
        assert verify_match(match.pk).difference is None
        assert match.pk.int >> 80 == pytest.approx(1000 * match.started_at.timestamp(), abs=5000)

    staff = Client(headers={"accept-language": "ja"})
    staff.force_login(User.objects.get(), backend="django.contrib.auth.backends.ModelBackend")
    for model in admin.site._registry:
        base = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        pages = [base] + [f"{base}{row.pk}/change/" for row in model._default_manager.all()]
        assert len(pages) > 1, f"{model} has nothing to show"
        for page in pages:
            assert staff.get(page).status_code == 200, page

    guest = Client(headers={"accept-language": "ja"})
    player = Player.objects.earliest("created_at")
    seat = Seat.objects.filter(match__in=over).latest("started_at")
    for page in (
        *("/", "/ranking/", "/rules/", f"/players/{player.pk}/", f"/players/{seat.player_id}/"),
        *(f"/m/{match.pk}/" for match in over),
        *(f"/m/{seat.match_id}/?v=1", f"/m/{seat.match_id}/verify/"),
    ):
        assert guest.get(page).status_code == 200, page
