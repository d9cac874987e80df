"""Ratings in bulk and boards at size.

Every run measures at a small size with room for a busy machine. `BENCHMARK=1` measures at full
size against the promises themselves: a million matches in 20 s, a million players in 5 ms.
"""

from collections.abc import Callable
from resource import RUSAGE_SELF, getrusage
from time import perf_counter, process_time

import numpy as np
import pytest
from django.core.management import call_command
from django.utils import timezone

from ratings import selectors
from ratings.copying import Matches
from ratings.elo import Pace
from ratings.history import Replay
from ratings.models import Rating
from ratings.selectors.boards import Key
from ratings.services.checks import check
from ratings.services.generations import recompute
from tests.benchmarks.figures import FULL, tell

MATCHES = 1_000_000 if FULL else 5_000
PLAYERS = 1_000_000 if FULL else 5_000


def random_matches(count: int, players: int) -> Matches:
    random = np.random.default_rng(1)
    sizes = random.integers(2, 7, count)
    first = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
    seats = int(first[-1])
    # Neighbouring numbers are different players, so nobody sits at a table twice.
    start = np.repeat(random.integers(0, players, count), sizes)
    who = (start + np.arange(seats) - np.repeat(first[:-1], sizes)) % players
    return Matches(
        np.arange(1, count + 1),
        np.ones(count, np.int64),
        np.arange(count),
        np.ones(count, np.bool_),
        first,
        (who * 2_654_435_761).astype(np.uint64),
        who.astype(np.uint64),
        random.integers(1, 7, seats).astype(np.int16),
        np.zeros(seats, np.int16),
    )


def test_arithmetic_rates_300_000_matches_a_second(capsys: pytest.CaptureFixture[str]) -> None:
    Replay({1: Pace()}).advance(random_matches(100, 50))  # compiles
    matches = random_matches(200_000, 20_000)
    taken = []
    for _ in range(3):
        start = process_time()
        Replay({1: Pace()}).advance(matches)
        taken.append(process_time() - start)
    tell(capsys, "rating_arithmetic", matches_per_second=round(len(matches) / min(taken)))
    assert not FULL or len(matches) / min(taken) >= 300_000


@pytest.mark.timeout(1200)
@pytest.mark.django_db(transaction=True)
def test_history_is_replayed_from_and_to_the_database_in_time(
    capsys: pytest.CaptureFixture[str],
) -> None:
    call_command("generate_history", f"--players={MATCHES // 10}", f"--matches={MATCHES}")
    start = perf_counter()
    done = recompute(now=timezone.now())
    taken = perf_counter() - start
    memory = getrusage(RUSAGE_SELF).ru_maxrss // 1024
    tell(capsys, "recompute", matches=MATCHES, seconds=round(taken, 2), peak_mib=memory)
    assert done.matches == MATCHES
    assert not check(now=timezone.now()).differs
    assert not FULL or taken <= 20


@pytest.mark.timeout(1200)
@pytest.mark.django_db(transaction=True)
def test_ld_04_board_is_read_in_time(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("generate_history", f"--players={PLAYERS}", "--matches=0", "--board")
    some = list(Rating.objects.filter(on_board=True).order_by("player_id")[:1000])
    reads: dict[str, Callable[[Rating], object]] = {
        "top": lambda row: selectors.page(most=100),
        "page": lambda row: selectors.page(after=Key(row.shown, row.player_id), most=100),
        "rank": lambda row: selectors.ranks_of([row.player_id]),
        "around": lambda row: selectors.around(row.player_id, each_side=20),
    }
    slowest = 0.0
    for what, read in reads.items():
        taken = []
        for row in some[-100:]:  # as read as it is by day
            read(row)
        for row in some:
            start = perf_counter()
            assert read(row)
            taken.append(perf_counter() - start)
        taken.sort()
        middle, slow = taken[len(taken) // 2], taken[int(len(taken) * 0.99)]
        tell(
            capsys,
            f"board_{what}",
            players=PLAYERS,
            median_ms=round(1000 * middle, 3),
            p99_ms=round(1000 * slow, 3),
        )
        slowest = max(slowest, slow)
    assert not FULL or slowest <= 0.005
