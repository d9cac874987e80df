"""Computing strategies: asked for when rules are set, once each, and kept (rules.md R12)."""

from __future__ import annotations

import functools
import logging
from datetime import timedelta
from typing import Final

import msgspec
from celery import current_app
from django.db import connection, transaction
from kombu.exceptions import OperationalError

from tables.blackjack.ruleset import Ruleset, as_mapping
from tables.blackjack.strategy import KEY_PREFIX, Strategy, relevant_key, ruleset_of_key, solve
from tables.models import Party, StoredStrategy, Urgency
from tables.selectors.clock import database_now
from tables.selectors.edges import single_changes
from tables.selectors.parties import rules_of
from tables.selectors.strategies import StrategyMissing, next_wanted, presets, stored
from tables.services.party_news import announce

logger = logging.getLogger(__name__)

COMPUTE_TASK: Final = "tables.compute_strategy"
WANTED_TASK: Final = "tables.compute_wanted_strategies"
LAST: Final = 9
"""The priority of messages for which nobody waits."""

KEPT_FOR: Final = timedelta(days=7)
"""How long what an older solver gave is kept, for processes of the older version."""


def want(ruleset: Ruleset, urgency: Urgency = Urgency.CURIOSITY) -> bool:
    """Have the strategy of a rule set computed unless it is there; tells whether it is.

    Asking again sends no second message unless it is more urgent now. The request is a row, so a
    lost message is found again by `compute_wanted`.
    """
    key = relevant_key(ruleset)
    try:
        stored(key)
    except StrategyMissing:
        pass
    else:
        return True
    row, created = StoredStrategy.objects.get_or_create(
        pk=key, defaults={"requested_at": database_now(), "urgency": urgency}
    )
    if not created and row.strategy is None and row.urgency > urgency:
        raised = StoredStrategy.objects.filter(pk=key, urgency__gt=urgency)
        created = bool(raised.update(urgency=urgency, requested_at=database_now()))
    if created:
        transaction.on_commit(lambda: _send(ruleset, urgency))
    return row.strategy is not None


def _send(ruleset: Ruleset, urgency: Urgency) -> None:
    try:
        current_app.send_task(
            COMPUTE_TASK,
            [as_mapping(ruleset)],
            queue="strategy",
            priority=urgency.value,
            retry=False,
        )
    except OperationalError as error:
        logger.warning("a strategy was not asked for, the sweep will: %s", type(error).__name__)


def want_standing() -> None:
    """Ask for what is to be known always, without a message; cheap where it is there already.

    That is the presets, and what each option changes by itself. What an older solver gave is
    dropped after a while.
    """
    standing = {relevant_key(ruleset): Urgency.PRESET for ruleset in presets()}
    for ruleset in single_changes().values():
        standing.setdefault(relevant_key(ruleset), Urgency.CURIOSITY)
    asked = set(StoredStrategy.objects.filter(pk__in=standing).values_list("pk", flat=True))
    now = database_now()
    missing = [
        # One after the other: ranked rules first.
        StoredStrategy(key=key, urgency=urgency, requested_at=now + timedelta(microseconds=place))
        for place, (key, urgency) in enumerate(standing.items())
        if key not in asked
    ]
    if missing:
        StoredStrategy.objects.bulk_create(missing, ignore_conflicts=True)
    old = StoredStrategy.objects.exclude(pk__startswith=KEY_PREFIX)
    old.filter(requested_at__lt=now - KEPT_FOR).delete()


def compute(ruleset: Ruleset) -> Strategy:
    """Compute and store the strategy of a rule set, once however many ask at the same time."""
    key = relevant_key(ruleset)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [key])
        return _computed(key)


def compute_wanted(most: int | None = None) -> int:
    """Compute what was asked for and is still missing, the most urgent first.

    Gives how many were computed, at most `most`. What somebody else computes just now is left to
    them, and one that fails goes behind all others.
    """
    count = 0
    tried: set[str] = set()
    while (most is None or count < most) and (key := next_wanted(tried)) is not None:
        tried.add(key)
        try:
            with transaction.atomic():
                with connection.cursor() as cursor:
                    cursor.execute(
                        "SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))", [key]
                    )
                    [mine] = cursor.fetchone()
                if mine:
                    _computed(key)
                    count += 1
        except Exception:
            logger.exception("the strategy %s could not be computed", key)
            failed = StoredStrategy.objects.filter(pk=key, strategy__isnull=True)
            failed.update(urgency=Urgency.CURIOSITY, requested_at=database_now())
    return count


def compute_in_turn() -> None:
    """Compute one that is missing, and go on with the next in another task.

    So a match that starts meanwhile does not wait for all of them, nor does the worker's end.
    """
    want_standing()
    if compute_wanted(most=1):
        current_app.send_task(WANTED_TASK, queue="strategy", priority=LAST, retry=False)


def _computed(key: str) -> Strategy:
    """The strategy of a key, computed and stored unless it was meanwhile; under the key's lock."""
    try:
        return stored(key)
    except StrategyMissing:
        strategy = solve(ruleset_of_key(key))
    now = database_now()
    written = {"strategy": msgspec.json.encode(strategy).decode(), "computed_at": now}
    StoredStrategy.objects.update_or_create(
        pk=key, defaults=written, create_defaults={**written, "requested_at": now}
    )
    transaction.on_commit(functools.partial(_tell_parties, key), robust=True)
    return strategy


def _tell_parties(key: str) -> None:
    """Tell the members of parties by whose rules this is the strategy: `edge` is known now."""
    for party in Party.objects.only("rules").iterator(chunk_size=1000):
        if relevant_key(rules_of(party)) == key:
            announce(party_id=party.pk)
