"""What is stored of each match's transfers, compared with a replay while it streams by."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ratings.compiled import compiled
from ratings.copying import END, START, Ints, joined, number
from ratings.history import Replayed


@compiled
def _same(
    data: NDArray[np.uint8],
    at: int,
    size: int,
    expected: NDArray[np.int32],
    start: int,
    stop: int,
) -> bool:
    """Whether a stored array of integers, `size` bytes at `at`, has exactly these values."""
    count = stop - start
    if count == 0:
        return size == 12 and number(data, at, 4) == 0
    if size != 20 + 8 * count or number(data, at, 4) != 1 or number(data, at + 12, 4) != count:
        return False
    at += 20
    for index in range(start, stop):
        if number(data, at, 4) != 4 or number(data, at + 4, 4) != expected[index]:
            return False
        at += 8
    return True


@compiled
def _compare(
    data: NDArray[np.uint8],
    at: int,
    match: int,
    seq: Ints,
    counted: NDArray[np.bool_],
    first: Ints,
    pairs: Ints,
    before: NDArray[np.int32],
    moved: NDArray[np.int32],
) -> tuple[int, int, int]:
    """Compare whole rows from `at` on with the matches from `match` on: where the rows end, the
    next match, and how many differ, are missing or belong to no match."""
    differing, end = 0, len(data)
    while at + 18 <= end and number(data, at, 2) == 3:
        size = number(data, at + 14, 4)
        if at + 22 + size > end:
            break
        other = number(data, at + 18 + size, 4)
        if at + 22 + size + other > end:
            break
        stored = number(data, at + 6, 8)
        while match < len(seq) and seq[match] < stored:
            match += 1
            differing += 1
        if match == len(seq) or seq[match] > stored:
            differing += 1
        else:
            seat, stop, pair, last = first[match], first[match + 1], pairs[match], pairs[match + 1]
            if not counted[match]:
                stop, last = seat, pair
            if not (
                _same(data, at + 18, size, before, seat, stop)
                and _same(data, at + 22 + size, other, moved, pair, last)
            ):
                differing += 1
            match += 1
        at += 22 + size + other
    return at, match, differing


def differing_transfers(chunks: Iterable[bytes | memoryview], done: Replayed) -> int:
    """How many matches differ in what is stored of them: ratings before, or points of a pair.
    `chunks` are the binary COPY of (seq, before, transfers), each match once, in order."""
    matches = done.matches
    differing = match = 0
    rest, started = b"", False
    for chunk in joined(chunks):
        rest += chunk
        at = 0 if started else len(START)
        started = True
        data = np.frombuffer(rest, dtype=np.uint8)
        at, match, found = _compare(
            data,
            at,
            match,
            matches.seq,
            matches.counted,
            matches.first,
            done.pairs,
            done.before,
            done.moved,
        )
        differing += found
        rest = rest[at:]
    if rest != END:
        raise ValueError("the copy of transfers ends in the middle of a row")
    return differing + len(matches) - match
