"""What workers do by the clock or on request; each task makes one call."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from tables.blackjack.ruleset import ruleset_of
from tables.services import party_upkeep, strategies, waves
from tables.services.sweep import sweep as sweep_matches


@shared_task(name="tables.sweep")
def sweep() -> None:
    """Do what is due at every match."""
    sweep_matches()


@shared_task(name="tables.run_wave")
def run_wave() -> None:
    """End ready checks, take out who has gone, and pair those who wait."""
    waves.tick()


@shared_task(name="tables.keep_parties")
def keep_parties() -> None:
    """Pass on the role of hosts who are away, remove members who stay away, tell who is there."""
    party_upkeep.keep_parties(now=timezone.now())


@shared_task(name=strategies.COMPUTE_TASK)
def compute_strategy(rules: dict[str, object]) -> None:
    """Compute and store the strategy of a rule set."""
    strategies.compute(ruleset_of(rules))


@shared_task(name=strategies.WANTED_TASK)
def compute_wanted_strategies() -> None:
    """Compute what is to be known always, and what was asked for and whose message was lost."""
    strategies.compute_in_turn()
