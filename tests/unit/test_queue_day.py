"""The synthetic day of the queue keeps its books, and answers what an operator asks of it."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tables.queue_day import Crowd, percentile, simulate
from tables.tickets import STANDARD, Policy

BUSY = Crowd(per_minute=30.0, hours=0.5)


def test_every_ticket_is_matched_or_gave_up_or_waits() -> None:
    day = simulate(crowd=BUSY, policy=STANDARD, wave=2.0, seed=7)
    assert day.tickets > 500
    assert day.matched + day.gave_up + day.still_waiting == day.tickets
    assert len(day.waits) == sum(size * count for size, count in day.sizes.items())
    assert set(day.sizes) <= {2, 3, 4, 5, 6}


def test_same_seed_is_the_same_day() -> None:
    days = [simulate(crowd=BUSY, policy=STANDARD, wave=2.0, seed=seed) for seed in (3, 3, 4)]
    assert days[0] == days[1] != days[2]


def test_wider_windows_shorten_waits_and_widen_spreads() -> None:
    quiet = Crowd(per_minute=4.0, hours=4.0, party_sizes={1: 1.0})
    strict = Policy(first_window=10_000, window_growth=2_000, unlimited_after=600.0)
    narrow = simulate(crowd=quiet, policy=strict, wave=2.0, seed=1)
    wide = simulate(crowd=quiet, policy=STANDARD, wave=2.0, seed=1)
    assert sum(wide.waits) / len(wide.waits) < sum(narrow.waits) / len(narrow.waits)
    assert sum(wide.spreads) / len(wide.spreads) > sum(narrow.spreads) / len(narrow.spreads)


def test_lone_ticket_gives_up() -> None:
    day = simulate(
        crowd=Crowd(per_minute=0.02, hours=6.0, patience=60.0), policy=STANDARD, wave=2.0, seed=2
    )
    assert (day.matched, day.tickets) == (0, day.gave_up + day.still_waiting)


def test_percentile_is_a_value_that_occurred() -> None:
    assert percentile([], 0.5) is None
    assert percentile([3.0, 1.0, 2.0, 4.0], 0.5) == 2.0
    assert percentile([3.0, 1.0, 2.0, 4.0], 0.95) == 4.0


def test_command_prints_for_people_and_for_machines() -> None:
    out = StringIO()
    call_command("simulate_queue", "--hours=0.2", "--json", stdout=out)
    figures = json.loads(out.getvalue())
    assert figures["tickets_matched"] > 0
    assert figures["wait_median_s"] <= figures["wait_95_s"]
    text = StringIO()
    call_command("simulate_queue", "--hours=0.2", stdout=text)
    assert "wait median s" in text.getvalue()


@pytest.mark.parametrize("wrong", ["--party-sizes=6:1", "--party-sizes=a", "--arrivals=0"])
def test_command_refuses_nonsense(wrong: str) -> None:
    with pytest.raises(CommandError):
        call_command("simulate_queue", wrong)
