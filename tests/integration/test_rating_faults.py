"""What goes wrong with ratings elsewhere, played out with whole matches here (docs/faults.md)."""

from collections import Counter
from functools import partial
from uuid import UUID

import pytest
from django.conf import settings
from django.db import connections
from django.utils import timezone

from accounts.models import Player
from ratings import selectors, services
from ratings.locks import Lock
from ratings.models import RatedMatch, Rating, Season
from ratings.selectors import page, ranks_of, rating_of, ratings_of
from ratings.services.checks import check
from tables.blackjack.actions import ActionName
from tables.blackjack.events import MatchKind
from tables.blackjack.ruleset import Ruleset
from tables.models import Match, Offence, Penalty
from tables.services import strategies
from tables.services.batch import Decide, Leave, MatchBusy, PlayOut, apply_one
from tests.play import a_match, guests, play_to_the_end
from tests.races import threads
from tests.rated import finish, players

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("valkey"),
    pytest.mark.timeout(300),
]

RANKED = {"kind": MatchKind.RANKED, "rounds": 1, "turn_seconds": 30}


def compute() -> None:
    strategies.compute(Ruleset(rounds=1, turn_seconds=30))


def begun(who: list[UUID]) -> Match:
    """A ranked match in which the first player alone has decided something."""
    match = a_match(who, **RANKED)
    apply_one(Decide(match.pk, who[0], ActionName.BET, 0, 10))
    return match


def points(who: list[UUID]) -> list[int]:
    now = ratings_of(who)
    return [now[player].rating - 1_500_000 for player in who]


def test_ra_10_a_match_that_did_not_end_moves_nothing() -> None:
    who = guests(2)
    begun(who)
    assert not RatedMatch.objects.exists()
    assert points(who) == [0, 0]


def test_ra_12_leaving_avoids_no_loss() -> None:
    compute()
    who = guests(2)
    match = begun(who)
    apply_one(Leave(match.pk, who[1]))
    apply_one(PlayOut(match.pk))
    assert points(who) == [16_000, -16_000]
    assert rating_of(who[1]).matches == 1


def test_ra_14_leaving_early_costs_more_each_time() -> None:
    compute()
    who = guests(2)
    for _ in range(3):
        match = begun(who)
        for player in reversed(who):
            apply_one(Leave(match.pk, player))
        assert Match.objects.get(pk=match.pk).status == "finished"
    penalties = Penalty.objects.filter(player=who[1]).order_by("id")
    assert {penalty.offence for penalty in penalties} == {Offence.CPU_PLAYED}
    lasting = [(penalty.until - penalty.at).total_seconds() for penalty in penalties]
    assert lasting == list(settings.PENALTIES[:3])
    assert lasting == sorted(lasting)
    assert lasting[-1] > 0


def test_ra_17_no_points_come_from_the_cpu() -> None:
    strategies.compute(Ruleset(rounds=1))
    who = guests(2)
    play_to_the_end(a_match(who[:1], rounds=1))
    casual = a_match(who, rounds=1)
    apply_one(PlayOut(casual.pk))
    assert Match.objects.get(pk=casual.pk).status == "finished"
    assert not RatedMatch.objects.exists()
    assert points(who) == [0, 0]


def test_ra_20_a_few_lucky_matches_do_not_lead_the_board() -> None:
    lucky, other = players(2)
    now = timezone.now()
    for _ in range(3):
        finish([lucky, other], [1, 2], at=now)
    assert rating_of(lucky).provisional
    assert ranks_of([lucky]) == {}
    assert page().entries == ()
    _, missing = selectors.standing_of(lucky, now=now)
    assert [(one.code, one.have, one.need) for one in missing] == [("too_few_matches", 3, 20)]


def test_ra_24_a_match_ends_together_with_its_rating_or_not_at_all() -> None:
    compute()
    match = begun(guests(2))
    other = connections["default"].copy()
    try:
        with other.cursor() as cursor:  # ratings are being switched, for longer than one waits
            cursor.execute("SELECT pg_advisory_lock(%s)", [Lock.RATINGS])
        with pytest.raises(MatchBusy):
            apply_one(PlayOut(match.pk))
        match.refresh_from_db()
        assert (match.status, RatedMatch.objects.count()) == ("playing", 0)
    finally:
        other.close()
    apply_one(PlayOut(match.pk))
    match.refresh_from_db()
    assert (match.status, RatedMatch.objects.get().match_id) == ("finished", match.pk)


def test_ld_09_news_of_the_end_comes_after_the_board_knows(valkey) -> None:
    compute()
    who = guests(2)
    services.running_season(now=timezone.now())
    Season.objects.update(provisional_matches=1)
    match = begun(who)
    with valkey.pubsub() as listening, threads(1) as pool:
        listening.psubscribe(f"{settings.REDIS_PREFIX}m:{match.pk}")
        assert listening.get_message(timeout=10)["type"] == "psubscribe"

        def place_at_the_news() -> int:
            while True:
                news = listening.get_message(timeout=20)
                assert news is not None
                if b"match_finished" in news["data"]:
                    return ranks_of(who)[who[0]].rank

        heard = pool.submit(place_at_the_news)
        apply_one(PlayOut(match.pk))
        assert heard.result() == 1


def test_ld_10_the_cpu_is_nobody_on_the_board() -> None:
    compute()
    who = guests(2)
    services.running_season(now=timezone.now())
    Season.objects.update(provisional_matches=1)
    match = begun(who)
    apply_one(PlayOut(match.pk))
    assert set(Rating.objects.values_list("player_id", flat=True)) == set(who)
    assert {entry.player_id for entry in page().entries} == set(who)
    assert Player.objects.count() == 2


def test_the_last_match_of_a_season_against_its_end() -> None:
    compute()
    who = guests(2)
    came: Counter[bool] = Counter()
    with threads(2) as pool:
        for _ in range(200):
            match = begun(who)
            before = services.running_season(now=timezone.now()).number
            ends = pool.submit(apply_one, PlayOut(match.pk))
            turn = pool.submit(partial(services.change_season, now=timezone.now(), closing=before))
            assert turn.result().number == before + 1
            if isinstance(ends.exception(), MatchBusy):  # put back, and tried again
                apply_one(PlayOut(match.pk))
            rated = RatedMatch.objects.get(match_id=match.pk)
            opened = Season.objects.get(number=before + 1).opened_seq
            assert rated.season_id == (before if rated.seq < opened else before + 1)
            came[rated.season_id == before] += 1
    assert sum(came.values()) == 200
    assert RatedMatch.objects.count() == 200
    assert not check(now=timezone.now()).differs
