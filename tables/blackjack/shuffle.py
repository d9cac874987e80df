"""From a seed to the order of a shoe, by the public algorithm of docs/fairness.md."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import chain, count
from struct import Struct
from typing import Final

SEED_BYTES: Final = 32
ALGORITHM: Final = "fisher-yates/mgf1-sha256/uint16"
"""The name under which docs/fairness.md describes what `shuffled` does."""

_BLOCK: Final = Struct(">16H")
_SPAN: Final = 1 << 16


def commitment(seed: bytes) -> str:
    """What is published before the shoe's first card (`rules.md R3.4`): `sha256:` and the hash."""
    return "sha256:" + sha256(seed).hexdigest()


def numbers(seed: bytes) -> Iterator[int]:
    """Give the seed's endless stream of 16-bit numbers.

    The stream is MGF1 with SHA-256 (RFC 8017, B.2.1): block k = 0, 1, 2 … is the SHA-256 of the
    seed followed by k as four bytes, big-endian. Each block is sixteen numbers of two bytes,
    big-endian.
    """
    return chain.from_iterable(
        _BLOCK.unpack(sha256(seed + block.to_bytes(4, "big")).digest()) for block in count()
    )


def shuffled(seed: bytes, cards: Sequence[str]) -> list[str]:
    """Give the cards in the order in which they are dealt (`rules.md R3.4`).

    Fisher-Yates from the last place down to the second: place i is swapped with place
    `number % (i + 1)`. A number from the stream that would favour some places (at or over the
    greatest multiple of i + 1 in 65536) is passed over, so every order is equally likely.
    """
    order = list(cards)
    # Up to here a number favours no place, however many there are: one comparison for most of them.
    surely_fair = _SPAN - len(order)
    stream = numbers(seed)
    for last, number in zip(range(len(order) - 1, 0, -1), stream, strict=False):
        while number > surely_fair and number >= _SPAN - _SPAN % (last + 1):
            number = next(stream)
        place = number % (last + 1)
        order[last], order[place] = order[place], order[last]
    return order
