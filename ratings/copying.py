"""Rated matches and ratings in PostgreSQL's binary COPY format, to and from arrays.

Millions of rows pass without ever becoming Python objects.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ratings.compiled import compiled

Ints = NDArray[np.int64]
START: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
END: Final = b"\xff\xff"


@dataclass(frozen=True, slots=True)
class Matches:
    """Rated matches in sequence order. `first` says where each one's seats begin in the arrays by
    seat (one longer than the matches); `high` and `low` are the halves of players' UUIDs;
    `finished` is in microseconds since 2000."""

    seq: Ints
    season: Ints
    finished: Ints
    counted: NDArray[np.bool_]
    first: Ints
    high: NDArray[np.uint64]
    low: NDArray[np.uint64]
    places: NDArray[np.int16]
    parties: NDArray[np.int16]

    def __len__(self) -> int:
        return len(self.seq)

    def take(self, chosen: NDArray[Any]) -> "Matches":
        """Those at the given positions, in that order."""
        seats = self.first[1:] - self.first[:-1]
        lengths = seats[chosen]
        first = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
        index = np.repeat(self.first[:-1][chosen] - first[:-1], lengths) + np.arange(first[-1])
        return Matches(
            self.seq[chosen],
            self.season[chosen],
            self.finished[chosen],
            self.counted[chosen],
            first,
            self.high[index],
            self.low[index],
            self.places[index],
            self.parties[index],
        )


# --- Reading: (seq, season, finished_at, counted, players, places, parties), all not null --------


@compiled
def number(data: NDArray[np.uint8], at: int, size: int) -> int:
    """A signed integer of `size` bytes at `at`, the highest first."""
    value = np.int64(0)
    for index in range(at, at + size):
        value = (value << 8) | np.int64(data[index])
    if size < 8 and value >> (8 * size - 1):
        value -= np.int64(1) << (8 * size)
    return value  # type: ignore[return-value]  # an int to Python, and compiled


@compiled
def _measure(data: NDArray[np.uint8], at: int) -> tuple[int, int, int]:
    """Whole rows from `at` on, their seats, and where they end."""
    rows, seats, end = 0, 0, len(data)
    while at + 80 <= end and number(data, at, 2) == 7:
        count = number(data, at + 55, 4)
        size = 2 + 12 + 8 + 12 + 5 + 3 * 24 + count * (20 + 6 + 6)
        if at + size > end:
            break
        rows, seats, at = rows + 1, seats + count, at + size
    return rows, seats, at


@compiled
def _parse(
    data: NDArray[np.uint8],
    at: int,
    rows: int,
    seq: Ints,
    season: Ints,
    finished: Ints,
    counted: NDArray[np.bool_],
    seats: Ints,
    high: NDArray[np.uint64],
    low: NDArray[np.uint64],
    places: NDArray[np.int16],
    parties: NDArray[np.int16],
) -> None:
    seat = 0
    for row in range(rows):
        seq[row] = number(data, at + 6, 8)
        season[row] = number(data, at + 18, 4)
        finished[row] = number(data, at + 26, 8)
        counted[row] = data[at + 38] != 0
        # An array: its length, then dimensions, flags, type, count, lower bound, the items.
        count = number(data, at + 55, 4)
        seats[row] = count
        here = at + 63
        for index in range(count):
            high[seat + index] = np.uint64(number(data, here + 4, 8))
            low[seat + index] = np.uint64(number(data, here + 12, 8))
            here += 20
        here += 24
        for index in range(count):
            places[seat + index] = number(data, here + 4, 2)
            here += 6
        here += 24
        for index in range(count):
            parties[seat + index] = number(data, here + 4, 2)
            here += 6
        seat += count
        at = here


def read_matches(chunks: Iterable[bytes | memoryview]) -> Matches:
    """Parse the binary COPY of rated matches, in any order, and sort them by sequence."""
    parts: list[tuple[NDArray[Any], ...]] = []
    rest = b""
    started = False
    for chunk in joined(chunks):
        rest += chunk
        at = 0
        if not started:
            at, started = len(START), True
        data = np.frombuffer(rest, dtype=np.uint8)
        rows, seats, end = _measure(data, at)
        part = (
            np.empty(rows, np.int64),
            np.empty(rows, np.int64),
            np.empty(rows, np.int64),
            np.empty(rows, np.bool_),
            np.empty(rows, np.int64),
            np.empty(seats, np.uint64),
            np.empty(seats, np.uint64),
            np.empty(seats, np.int16),
            np.empty(seats, np.int16),
        )
        _parse(data, at, rows, *part)
        parts.append(part)
        rest = rest[end:]
    if rest != END:
        raise ValueError("the copy of rated matches ends in the middle of a row")
    seq, season, finished, counted, sizes, high, low, places, parties = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    first = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
    matches = Matches(seq, season, finished, counted, first, high, low, places, parties)
    order = np.argsort(matches.seq)
    if (order == np.arange(len(order))).all():
        return matches
    return matches.take(order)


_CHUNK: Final = 1 << 23


def joined(chunks: Iterable[bytes | memoryview]) -> Iterable[bytes]:
    """The same bytes in few large pieces. (PostgreSQL's client gives one row at a time.)"""
    held = bytearray()
    for chunk in chunks:
        held += chunk
        if len(held) >= _CHUNK:
            yield bytes(held)
            held.clear()
    yield bytes(held)


# --- Writing -------------------------------------------------------------------------------------

_INT4: Final = 23  # the type's object id, in the head of an array
_ROWS: Final = 100_000


@compiled
def _put(data: NDArray[np.uint8], at: int, value: int, size: int) -> int:
    for index in range(size):
        data[at + index] = (value >> (8 * (size - 1 - index))) & 0xFF
    return at + size


@compiled
def _put_array(
    data: NDArray[np.uint8], at: int, values: NDArray[np.int32], start: int, stop: int
) -> int:
    count = stop - start
    if count == 0:
        at = _put(data, at, 12, 4)
        at = _put(data, at, 0, 8)
        return _put(data, at, _INT4, 4)
    at = _put(data, at, 20 + 8 * count, 4)
    at = _put(data, at, 1, 4)
    at = _put(data, at, 0, 4)
    at = _put(data, at, _INT4, 4)
    at = _put(data, at, count, 4)
    at = _put(data, at, 1, 4)
    for index in range(start, stop):
        at = _put(data, at, 4, 4)
        at = _put(data, at, values[index], 4)
    return at


@compiled
def _put_transfers(
    data: NDArray[np.uint8],
    rows: Ints,
    generation: int,
    seq: Ints,
    counted: NDArray[np.bool_],
    first: Ints,
    pairs: Ints,
    before: NDArray[np.int32],
    moved: NDArray[np.int32],
) -> int:
    at = 0
    for row in rows:
        at = _put(data, at, 4, 2)
        at = _put(data, at, 8, 4)
        at = _put(data, at, seq[row], 8)
        at = _put(data, at, 4, 4)
        at = _put(data, at, generation, 4)
        if counted[row]:
            at = _put_array(data, at, before, first[row], first[row + 1])
            at = _put_array(data, at, moved, pairs[row], pairs[row + 1])
        else:
            at = _put_array(data, at, before, 0, 0)
            at = _put_array(data, at, moved, 0, 0)
    return at


def transfers_rows(
    matches: Matches,
    *,
    before: NDArray[np.int32],
    moved: NDArray[np.int32],
    pairs: Ints,
    generation: int,
    from_seq: int,
) -> Iterator[memoryview]:
    """(seq, generation, before, transfers) of each match from an entry of the sequence on; both
    arrays are empty where the match does not count."""
    chosen = np.flatnonzero(matches.seq >= from_seq)
    yield memoryview(START)
    for start in range(0, len(chosen), _ROWS):
        rows = chosen[start : start + _ROWS]
        seats = matches.first[rows + 1] - matches.first[rows]
        size = 70 * len(rows) + 8 * int(seats.sum() + (pairs[rows + 1] - pairs[rows]).sum())
        data = np.empty(size, np.uint8)
        end = _put_transfers(
            data,
            rows,
            generation,
            matches.seq,
            matches.counted,
            matches.first,
            pairs,
            before,
            moved,
        )
        yield data[:end].data
    yield memoryview(END)


_RATING: Final = np.dtype(
    [
        ("columns", ">i2"),
        *[
            entry
            for name, kind, size in (
                ("generation", ">i4", 4),
                ("season", ">i4", 4),
                ("player", "V16", 16),
                ("rating", ">i4", 4),
                ("matches", ">i4", 4),
                ("peak", ">i4", 4),
                ("last_at", ">i8", 8),
                ("shown", ">i4", 4),
                ("on_board", "u1", 1),
                ("barred", "u1", 1),
            )
            for entry in ((f"{name} size", ">i4"), (name, kind))
        ],
    ]
)
RATING_COLUMNS: Final = tuple(
    name for name in _RATING.names or () if name != "columns" and not name.endswith(" size")
)


STORED_COLUMNS: Final = tuple(
    f"{name}_id" if name in ("season", "player") else name for name in RATING_COLUMNS
)
"""The same columns as the database names them; the first three are the key."""


def rating_rows(columns: dict[str, NDArray[Any]], *, generation: int) -> Iterator[memoryview]:
    """Rating rows of arrays of equal length, by `RATING_COLUMNS` less the generation; players as
    16 bytes, times in microseconds since 2000."""
    count = len(columns["player"])
    yield memoryview(START)
    for start in range(0, count, _ROWS):
        stop = min(start + _ROWS, count)
        rows = np.zeros(stop - start, _RATING)
        rows["columns"] = len(RATING_COLUMNS)
        rows["generation"] = generation
        for name in RATING_COLUMNS:
            rows[f"{name} size"] = _RATING[name].itemsize
            if name != "generation":
                rows[name] = columns[name][start:stop]
        yield memoryview(rows.tobytes())
    yield memoryview(END)


_LIVE: Final = np.dtype(
    [
        ("columns", ">i2"),
        ("season size", ">i4"),
        ("season", ">i4"),
        ("player size", ">i4"),
        ("player", "V16"),
        ("rating size", ">i4"),
        ("rating", ">i4"),
        ("matches size", ">i4"),
        ("matches", ">i4"),
        ("peak size", ">i4"),
        ("peak", ">i4"),
        ("last_at size", ">i4"),
        ("last_at", ">i8"),
        ("shown size", ">i4"),
        ("shown", ">i4"),
        ("on_board size", ">i4"),
        ("on_board", "u1"),
        ("barred size", ">i4"),
        ("barred", "u1"),
    ]
)


def read_ratings(chunks: Iterable[bytes | memoryview]) -> dict[str, NDArray[Any]]:
    """Parse the binary COPY of (season, player, rating, matches, peak, last_at, shown,
    on_board, barred)."""
    data = b"".join(joined(chunks))
    rows = np.frombuffer(data[len(START) : -len(END)], _LIVE)
    return {
        "player": np.ascontiguousarray(rows["player"]),
        **{
            name: rows[name].astype(np.int64)
            for name in (
                *("season", "rating", "matches", "peak", "last_at"),
                *("shown", "on_board", "barred"),
            )
        },
    }


def player_bytes(high: NDArray[np.uint64], low: NDArray[np.uint64]) -> NDArray[np.void]:
    """The halves of UUIDs as their 16 bytes."""
    both = np.empty((len(high), 2), ">u8")
    both[:, 0], both[:, 1] = high, low
    return both.view("V16").reshape(len(high))
