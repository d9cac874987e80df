"""Computed strategies: asked for when rules are set, kept for ever, read without waiting."""

from __future__ import annotations

import functools
import logging
from typing import ClassVar

import msgspec
from celery import current_app
from django.db import connection, transaction
from kombu.exceptions import OperationalError

from tables.blackjack.ruleset import Ruleset, as_mapping, ruleset_of
from tables.blackjack.strategy import Strategy, relevant_key, solve
from tables.models import StoredStrategy
from tables.selectors.clock import database_now

logger = logging.getLogger(__name__)

COMPUTE_TASK = "tables.compute_strategy"
FIRST_PRIORITY = 0
LOW_PRIORITY = 6

_decode = msgspec.json.Decoder(Strategy).decode


class StrategyMissing(Exception):
    """The strategy of these rules is not computed yet."""

    code: ClassVar[str] = "strategy_missing"


@functools.lru_cache(maxsize=256)
def _known(key: str) -> Strategy:
    text = (
        StoredStrategy.objects.filter(pk=key, strategy__isnull=False)
        .values_list("strategy", flat=True)
        .first()
    )
    if text is None:
        raise StrategyMissing
    return _decode(text)


def ready(ruleset: Ruleset) -> Strategy:
    """The stored strategy of a rule set; raises StrategyMissing if it is not computed yet."""
    return _known(relevant_key(ruleset))


def want(ruleset: Ruleset, *, first: bool = False) -> bool:
    """Have the strategy of a rule set computed unless it is there; tells whether it is.

    `first` puts a starting match before everything that only wants to know. The request is a row,
    so a lost message is found again by the sweep.
    """
    key = relevant_key(ruleset)
    try:
        _known(key)
    except StrategyMissing:
        StoredStrategy.objects.get_or_create(pk=key, defaults={"requested_at": database_now()})
        transaction.on_commit(lambda: _send(ruleset, first=first))
        return False
    return True


def _send(ruleset: Ruleset, *, first: bool) -> None:
    priority = FIRST_PRIORITY if first else LOW_PRIORITY
    try:
        current_app.send_task(
            COMPUTE_TASK, [as_mapping(ruleset)], queue="strategy", priority=priority, retry=False
        )
    except OperationalError as error:
        logger.warning("a strategy was not asked for, the sweep will: %s", type(error).__name__)


def compute(ruleset: Ruleset) -> Strategy:
    """Compute and store the strategy of a rule set, once however many ask at the same time."""
    key = relevant_key(ruleset)
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [key])
        try:
            return _known(key)
        except StrategyMissing:
            strategy = solve(ruleset)
        now = database_now()
        StoredStrategy.objects.update_or_create(
            pk=key,
            defaults={"strategy": msgspec.json.encode(strategy).decode(), "computed_at": now},
            create_defaults={
                "strategy": msgspec.json.encode(strategy).decode(),
                "computed_at": now,
                "requested_at": now,
            },
        )
    return strategy


def compute_wanted() -> int:
    """Compute what was asked for and is still missing; gives how many were computed."""
    count = 0
    for key in StoredStrategy.objects.filter(strategy__isnull=True).values_list("pk", flat=True):
        compute(_ruleset_of_key(key))
        count += 1
    return count


def _ruleset_of_key(key: str) -> Ruleset:
    options: dict[str, object] = {}
    for part in key.split("&"):
        name, _, word = part.partition("=")
        options[name] = {"true": True, "false": False}.get(
            word, int(word) if word.isdigit() else word
        )
    return ruleset_of(options)
