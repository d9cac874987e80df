"""Strategies as a service: asked for once, computed by urgency, ready before anybody waits."""

import json
import threading
import time
from datetime import timedelta

import pytest
from celery import current_app
from django.core.management import call_command
from django.db import connection
from django.utils import timezone
from kombu.exceptions import OperationalError

from config.processes import Process
from tables.blackjack.ruleset import RANKED, Ruleset
from tables.blackjack.strategy import KEY_PREFIX, relevant_key, solve
from tables.models import MatchStatus, StoredStrategy, Urgency
from tables.selectors import strategies as reading
from tables.services import parties, party_news, strategies
from tables.services.batch import PlayOut, Wake, apply_one
from tables.tasks import compute_wanted_strategies
from tests.play import a_match, guests

pytestmark = pytest.mark.usefixtures("valkey")

SINGLE = Ruleset(decks=1)
TWO = Ruleset(decks=2, surrender="late", rounds=3)


@pytest.fixture(autouse=True)
def _nothing_known():
    reading.stored.cache_clear()
    yield
    reading.stored.cache_clear()


@pytest.fixture
def sent(monkeypatch):
    """The messages to the strategies' worker, which nobody takes here."""
    messages = []

    def note(name, args=None, **options):
        messages.append((name, args[0]["decks"] if args else None, options["priority"]))

    monkeypatch.setattr(current_app, "send_task", note)
    return messages


def until(reached, seconds=60):
    end = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < end, "not reached in time"
        time.sleep(0.02)


def computed():
    rows = StoredStrategy.objects.filter(strategy__isnull=False).order_by("computed_at")
    return list(rows.values_list("pk", flat=True))


def settle_standing():
    """Have nothing else to compute; nobody looks at what is stored here."""
    strategies.want_standing()
    left = StoredStrategy.objects.filter(strategy__isnull=True)
    left.update(strategy="{}", computed_at=timezone.now())


def asked_at(ruleset, ago):
    """Move a request into the past."""
    at = timezone.now() - ago
    StoredStrategy.objects.filter(pk=relevant_key(ruleset)).update(requested_at=at)


# Asking


@pytest.mark.django_db(transaction=True)
def test_asking_again_sends_nothing_but_what_is_more_urgent(sent):
    assert not strategies.want(SINGLE)
    assert not strategies.want(Ruleset(decks=1, rounds=3))
    assert sent == [("tables.compute_strategy", 1, Urgency.CURIOSITY)]
    assert not strategies.want(SINGLE, Urgency.MATCH)
    assert not strategies.want(SINGLE, Urgency.MATCH)
    assert not strategies.want(SINGLE)
    assert [priority for *_, priority in sent] == [Urgency.CURIOSITY, Urgency.MATCH]
    strategies.compute(SINGLE)
    assert strategies.want(SINGLE, Urgency.MATCH)
    assert len(sent) == 2


@pytest.mark.django_db
def test_a_miss_is_never_remembered():
    with pytest.raises(reading.StrategyMissing):
        reading.ready(SINGLE)
    made = strategies.compute(SINGLE)
    assert reading.ready(SINGLE) == made == solve(SINGLE)


@pytest.mark.django_db(transaction=True)
def test_a_lost_message_is_found_again(monkeypatch):
    def broken(*_, **__):
        raise OperationalError("no broker")

    monkeypatch.setattr(current_app, "send_task", broken)
    strategies.want(SINGLE)
    assert strategies.compute_wanted() == 1
    assert reading.ready(SINGLE)


@pytest.mark.django_db(transaction=True)
def test_one_that_fails_does_not_keep_the_others_waiting(sent, caplog):
    strategies.want(SINGLE)
    wrong = KEY_PREFIX + "decks=99"
    StoredStrategy.objects.create(key=wrong, requested_at=timezone.now(), urgency=Urgency.MATCH)
    assert strategies.compute_wanted() == 1
    assert computed() == [relevant_key(SINGLE)]
    assert wrong in caplog.text


@pytest.mark.django_db(transaction=True)
def test_many_who_ask_at_once_have_it_computed_once(monkeypatch):
    solved = []

    def solve_slowly(ruleset):
        solved.append(ruleset)
        return solve(ruleset)

    monkeypatch.setattr(strategies, "solve", solve_slowly)

    def ask():
        try:
            strategies.compute(SINGLE)
        finally:
            connection.close()

    askers = [threading.Thread(target=ask) for _ in range(5)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert len(solved) == 1
    assert computed() == [relevant_key(SINGLE)]


@pytest.mark.django_db(transaction=True)
def test_a_party_hears_of_its_edge_once_it_is_known(sent, monkeypatch):
    told = []
    monkeypatch.setattr(party_news, "publish", told.extend)
    hosts = guests(2)
    for host, decks in zip(hosts, (1, 2), strict=True):
        parties.create_party(player_id=host, rules={"decks": decks}, now=timezone.now())
    told.clear()
    strategies.compute(Ruleset(decks=1))
    [message] = told
    assert message.player == hosts[0]
    assert json.loads(message.body)["party"]["edge"] == pytest.approx(0.00144, abs=0.00001)


# Versions of the solver


@pytest.mark.django_db
def test_what_an_older_solver_gave_is_not_used_and_goes():
    new = relevant_key(SINGLE)
    old = new.replace(KEY_PREFIX, "solver=0&")
    StoredStrategy.objects.create(
        key=old, strategy="{}", requested_at=timezone.now(), computed_at=timezone.now()
    )
    with pytest.raises(reading.StrategyMissing):
        reading.ready(SINGLE)
    strategies.want_standing()
    assert StoredStrategy.objects.filter(pk=old).exists()  # its processes may still run
    StoredStrategy.objects.filter(pk=old).update(requested_at=timezone.now() - timedelta(days=8))
    strategies.want_standing()
    assert not StoredStrategy.objects.filter(pk=old).exists()


@pytest.mark.django_db(transaction=True)
def test_a_match_whose_strategy_is_gone_has_it_computed_and_goes_on(sent):
    """As after a change of the solver in the middle of a match."""
    match = a_match(guests(1), rounds=1, decks=2)
    StoredStrategy.objects.all().delete()
    sent.clear()
    apply_one(PlayOut(match.pk))
    apply_one(Wake(match.pk))
    assert sent == [("tables.compute_strategy", 2, Urgency.MATCH)]
    strategies.compute_wanted()
    apply_one(Wake(match.pk))
    match.refresh_from_db()
    assert match.status == MatchStatus.FINISHED


# What is there before anybody asks


@pytest.mark.django_db(transaction=True)
def test_presets_are_computed_before_what_options_change(django_assert_max_num_queries, sent):
    assert not reading.presets_are_ready()
    strategies.want_standing()
    assert not sent
    strategies.compute_wanted(most=1)
    assert reading.ready(RANKED)  # before all others
    strategies.compute_wanted(most=3)
    assert not reading.presets_are_ready()
    compute_wanted_strategies()
    assert reading.presets_are_ready()
    assert sent == [("tables.compute_wanted_strategies", None, 9)]  # it goes on
    with django_assert_max_num_queries(5):
        strategies.want_standing()
    assert StoredStrategy.objects.filter(strategy__isnull=True).count() > 10
    settle_standing()
    compute_wanted_strategies()
    assert len(sent) == 1


# Without a worker


@pytest.mark.django_db(transaction=True)
def test_a_web_process_steps_in_only_where_nobody_does_the_work(sent):
    strategies.want(SINGLE)
    assert not reading.is_overdue()
    asked_at(SINGLE, timedelta(seconds=10))
    assert not reading.is_overdue()
    strategies.want(TWO, Urgency.MATCH)
    assert not reading.is_overdue()
    asked_at(TWO, timedelta(seconds=4))
    assert reading.is_overdue()
    settle_standing()
    StoredStrategy.objects.filter(pk__in=map(relevant_key, (SINGLE, TWO))).update(strategy=None)
    call_command("compute_strategies")
    assert not reading.is_overdue()
    assert reading.ready(TWO)


@pytest.mark.django_db(transaction=True)
def test_without_any_worker_a_match_still_gets_its_strategy(service, sent):
    settle_standing()
    strategies.want(TWO, Urgency.MATCH)
    asked_at(TWO, timedelta(seconds=4))
    until(lambda: relevant_key(TWO) in computed())


# With the real worker


@pytest.mark.django_db(transaction=True)
def test_a_starting_match_goes_before_everything_that_waits(service):
    settle_standing()
    service.start(Process.STRATEGY)
    if service.running[Process.STRATEGY].process.poll() is not None:
        service.running[Process.STRATEGY].restart()
    begun = Ruleset(decks=2, max_hands=2)
    strategies.want(begun)  # the worker has begun
    until(lambda: relevant_key(begun) in computed())
    curious = [Ruleset(decks=decks, max_hands=3, soft17="hit") for decks in range(2, 8)]
    for ruleset in curious:
        strategies.want(ruleset)
    strategies.want(TWO, Urgency.MATCH)
    wanted = {relevant_key(ruleset) for ruleset in [*curious, TWO]}
    until(lambda: wanted <= set(computed()))
    order = [key for key in computed() if key in wanted]
    assert order.index(relevant_key(TWO)) <= 1  # at most one was under way
