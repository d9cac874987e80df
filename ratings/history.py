"""Bulk replay: rates many matches in sequence order with the arithmetic of `elo`, compiled.

The functions of `elo` that decide a transfer are the very ones that rate a live match.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ratings import elo
from ratings.compiled import compiled
from ratings.copying import Ints, Matches
from ratings.elo import Pace

_expectation = compiled(elo.expectation)
_pair_k = compiled(elo.pair_k)
_transfer = compiled(elo.transfer)
_score = compiled(elo.score)
_next_season = compiled(elo.next_season)


@compiled
def _find(
    slots: NDArray[np.int32],
    known_high: NDArray[np.uint64],
    known_low: NDArray[np.uint64],
    known: int,
    high: NDArray[np.uint64],
    low: NDArray[np.uint64],
    out: NDArray[np.int32],
) -> int:
    """Number players in order of appearance; an open hash table of their UUIDs."""
    mask = np.uint64(len(slots) - 1)
    for seat in range(len(high)):
        mixed = (high[seat] * np.uint64(0x9E3779B97F4A7C15)) ^ low[seat]
        slot = (mixed ^ (mixed >> np.uint64(29))) & mask
        while True:
            player = slots[slot]
            if player < 0:
                player = known
                slots[slot] = player
                known_high[player] = high[seat]
                known_low[player] = low[seat]
                known += 1
                break
            if known_high[player] == high[seat] and known_low[player] == low[seat]:
                break
            slot = (slot + np.uint64(1)) & mask
        out[seat] = player
    return known


@compiled
def _replay(
    start: int,
    stop: int,
    first: Ints,
    counted: NDArray[np.bool_],
    finished: Ints,
    who: NDArray[np.int32],
    places: NDArray[np.int16],
    parties: NDArray[np.int16],
    pace: tuple[int, int, int],
    rating: NDArray[np.int32],
    played: NDArray[np.int32],
    peak: NDArray[np.int32],
    last: Ints,
    before: NDArray[np.int32],
    moved: NDArray[np.int32],
    pair: int,
    quality: NDArray[np.float64],
) -> int:
    """Rate matches `start` to `stop` of one season, and note how well ratings foretold them."""
    k, provisional_k, provisional_matches = pace
    for match in range(start, stop):
        seat, end = first[match], first[match + 1]
        count = end - seat
        if not counted[match]:
            pair += count * (count - 1) // 2
            continue
        for one in range(seat, end):
            before[one] = rating[who[one]]
        for one in range(seat, end):
            for two in range(one + 1, end):
                points = 0
                if parties[one] == 0 or parties[one] != parties[two]:
                    expected = _expectation(before[one], before[two])
                    score = _score(places[one], places[two])
                    points = _transfer(
                        _pair_k(
                            played[who[one]],
                            played[who[two]],
                            k,
                            provisional_k,
                            provisional_matches,
                        ),
                        count,
                        score,
                        expected,
                    )
                    quality[0] += 1.0
                    unlikely = min(max(expected, 1e-15), 1.0 - 1e-15)
                    quality[1] -= score * np.log(unlikely) + (1.0 - score) * np.log(1.0 - unlikely)
                    if score != 0.5:
                        quality[2] += 1.0
                        if expected == 0.5:
                            quality[3] += 0.5
                        elif (expected > 0.5) == (score == 1.0):
                            quality[3] += 1.0
                moved[pair] = points
                rating[who[one]] += points
                rating[who[two]] -= points
                pair += 1
        for one in range(seat, end):
            player = who[one]
            played[player] += 1
            peak[player] = max(peak[player], rating[player])
            last[player] = finished[match]
    return pair


@compiled
def _move_all(rating: NDArray[np.int32]) -> None:
    for player in range(len(rating)):
        rating[player] = _next_season(rating[player])


_shown = compiled(elo.shown)


@compiled
def _shown_all(rating: Ints, out: Ints) -> None:
    for index in range(len(rating)):
        out[index] = _shown(rating[index])


def shown_all(rating: NDArray[np.int32]) -> Ints:
    """`elo.shown` of each."""
    out = np.empty(len(rating), np.int64)
    _shown_all(rating.astype(np.int64), out)
    return out


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a run of matches did: players' numbers and ratings before by seat, transfers by pair
    (`pairs` says where each match's begin). Matches that do not count have zeros."""

    matches: Matches
    who: NDArray[np.int32]
    before: NDArray[np.int32]
    moved: NDArray[np.int32]
    pairs: Ints


@dataclass(frozen=True, slots=True)
class Standings:
    """Everybody's end of one season, by player number; only players with matches in it."""

    players: Ints
    rating: NDArray[np.int32]
    matches: NDArray[np.int32]
    peak: NDArray[np.int32]
    last: Ints


@dataclass(slots=True)
class Quality:
    """How well ratings foretold results: pairs, and for those with a winner how many were called
    right; log loss in natural units."""

    pairs: int
    decided: int
    log_loss: float | None
    accuracy: float | None


@dataclass
class Replay:
    """The ratings of everybody, carried forward by `advance` match by match and season by season,
    exactly as live matches carry them (ratings.md RT3.2)."""

    paces: Mapping[int, Pace]
    """The numbers of every season that began, by its number."""
    season: int = 1
    known: int = 0
    closed: dict[int, Standings] = field(default_factory=dict)
    surplus: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.season = min(self.paces, default=1)
        self._slots = np.full(1 << 10, -1, np.int32)
        self.high = np.zeros(0, np.uint64)
        self.low = np.zeros(0, np.uint64)
        self._rating = np.zeros(0, np.int32)
        self._played = np.zeros(0, np.int32)
        self._peak = np.zeros(0, np.int32)
        self._last = np.zeros(0, np.int64)
        self._quality = np.zeros(4)

    def advance(self, matches: Matches) -> Replayed:
        """Rate more matches. They come after all earlier ones in the rating sequence, or share no
        player with those of a higher number."""
        who = self._numbers(matches)
        sizes = matches.first[1:] - matches.first[:-1]
        pairs = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes * (sizes - 1) // 2)))
        before = np.zeros(int(matches.first[-1]), np.int32)
        moved = np.zeros(int(pairs[-1]), np.int32)
        start = 0
        while start < len(matches):
            season = int(matches.season[start])
            while self.season < season:
                self.change_season()
            stop = start + int(np.searchsorted(matches.season[start:], season, side="right"))
            pace = self.paces[season]
            _replay(
                start,
                stop,
                matches.first,
                matches.counted,
                matches.finished,
                who,
                matches.places,
                matches.parties,
                (pace.k, pace.provisional_k, pace.provisional_matches),
                self._rating,
                self._played,
                self._peak,
                self._last,
                before,
                moved,
                int(pairs[start]),
                self._quality,
            )
            start = stop
        return Replayed(matches, who, before, moved, pairs)

    def change_season(self) -> None:
        """End the present season: keep its standings, and move every rating (RT3.4)."""
        self.closed[self.season] = self.standings()
        _move_all(self._rating)
        self.season += 1
        self.surplus[self.season] = int((self._rating.astype(np.int64) - elo.START).sum())
        self._played[:] = 0
        self._peak[:] = self._rating

    def standings(self) -> Standings:
        """The present season so far."""
        chosen = np.flatnonzero(self._played)
        return Standings(
            chosen,
            self._rating[chosen],
            self._played[chosen],
            self._peak[chosen],
            self._last[chosen],
        )

    def quality(self) -> Quality:
        """How well ratings foretold what was replayed so far."""
        pairs, loss, decided, right = self._quality.tolist()
        return Quality(
            pairs=int(pairs),
            decided=int(decided),
            log_loss=loss / pairs if pairs else None,
            accuracy=right / decided if decided else None,
        )

    def _numbers(self, matches: Matches) -> NDArray[np.int32]:
        """Each seat's player as a number; new players begin at 1500."""
        most = self.known + len(matches.high)
        if len(self._slots) < 2 * most:
            self._slots = np.full(1 << (2 * most).bit_length(), -1, np.int32)
            _find(
                self._slots,
                self.high.copy(),
                self.low.copy(),
                0,
                self.high,
                self.low,
                np.empty(self.known, np.int32),
            )
        who = np.empty(len(matches.high), np.int32)
        high, low = (
            np.concatenate((ids, np.empty(len(matches.high), np.uint64)))
            for ids in (self.high, self.low)
        )
        known = _find(self._slots, high, low, self.known, matches.high, matches.low, who)
        self.high, self.low = high[:known].copy(), low[:known].copy()
        fresh = known - self.known
        start = np.full(fresh, elo.START, np.int32)
        self._rating = np.concatenate((self._rating, start))
        self._peak = np.concatenate((self._peak, start))
        self._played = np.concatenate((self._played, np.zeros(fresh, np.int32)))
        self._last = np.concatenate((self._last, np.zeros(fresh, np.int64)))
        self.known = known
        return who
