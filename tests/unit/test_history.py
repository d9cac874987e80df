"""Bulk replay gives, bit for bit, what live play gives."""

import itertools
from random import Random
from struct import pack
from uuid import UUID

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings import elo
from ratings.copying import Matches, read_matches
from ratings.elo import Pace, Standing
from ratings.history import Replay

PACES = {1: Pace(), 2: Pace(k=24, provisional_k=48, provisional_matches=3)}
Played = tuple[int, int, bool, tuple[int, ...], tuple[int, ...], tuple[int, ...]]
"""Sequence, season, whether it counts, players, places, parties."""


def array(element: bytes, values: list[bytes]) -> bytes:
    items = b"".join(pack(">i", len(value)) + value for value in values)
    content = pack(">ii", 1, 0) + element + pack(">ii", len(values), 1) + items
    return pack(">i", len(content)) + content


def copied(played: list[Played]) -> bytes:
    """The binary COPY of these matches, as PostgreSQL sends it."""
    rows = [b"PGCOPY\n\xff\r\n\0" + bytes(8)]
    for seq, season, counted, players, places, parties in played:
        rows += [
            pack(">h", 7),
            pack(">iq", 8, seq),
            pack(">ii", 4, season),
            pack(">iq", 8, seq * 1000 - 500),
            pack(">i?", 1, counted),
            array(pack(">i", 2950), [UUID(int=player).bytes for player in players]),
            array(pack(">i", 21), [pack(">h", place) for place in places]),
            array(pack(">i", 21), [pack(">h", party) for party in parties]),
        ]
    return b"".join([*rows, b"\xff\xff"])


def replayed(played: list[Played], cuts: tuple[int, ...] = ()) -> Replay:
    replay = Replay(PACES)
    matches = read_matches([copied(played)])
    edges = [0, *[cut for cut in cuts if cut <= len(played)], len(played)]
    for start, stop in itertools.pairwise(edges):
        replay.advance(matches.take(np.arange(start, stop)))
    return replay


def live(played: list[Played]) -> dict[int, dict[int, tuple[int, int, int]]]:
    """Rating, matches and peak by season and player, by the interpreted arithmetic."""
    ended: dict[int, dict[int, tuple[int, int, int]]] = {1: {}, 2: {}}
    for _, season, counted, players, places, parties in played:
        if not counted:
            continue
        for player in players:
            if player not in ended[season]:
                rating = elo.START
                if season == 2 and player in ended[1]:
                    rating = elo.next_season(ended[1][player][0])
                ended[season][player] = (rating, 0, rating)
        rows = [ended[season][player] for player in players]
        standings = [
            Standing(row[0], row[1], place, party)
            for row, place, party in zip(rows, places, parties, strict=True)
        ]
        moved = elo.transfers(standings, PACES[season])
        changes = elo.changes(len(players), moved)
        for player, row, change in zip(players, rows, changes, strict=True):
            rating = row[0] + change
            ended[season][player] = (rating, row[1] + 1, max(row[2], rating))
    return ended


def by_season(replay: Replay) -> dict[int, dict[int, tuple[int, int, int]]]:
    while replay.season < 2:
        replay.change_season()
    found = {}
    for season, rows in (replay.closed | {2: replay.standings()}).items():
        ids = (replay.high[rows.players].tolist(), replay.low[rows.players].tolist())
        values = (rows.rating.tolist(), rows.matches.tolist(), rows.peak.tolist())
        found[season] = {
            (high << 64) | low: row
            for high, low, row in zip(*ids, zip(*values, strict=True), strict=True)
        }
    return found


def season_of_play(random: Random, count: int, crowd: int) -> list[Played]:
    """Random matches over two seasons, some of which do not count."""
    played = []
    for number in range(count):
        size = random.randint(2, 6)
        players = tuple(random.sample(range(1, crowd + 1), size))
        played.append(
            (
                number + 1,
                1 if number < count * 2 // 3 else 2,
                random.random() > 0.1,
                tuple((player << 64) | (player * 7919) for player in players),
                tuple(random.randint(1, size) for _ in range(size)),
                tuple(random.choice([0, 0, 1, 2]) for _ in range(size)),
            )
        )
    return played


def test_ra_09_ten_thousand_matches_are_what_live_play_made() -> None:
    played = season_of_play(Random(5), 10_000, 300)
    assert by_season(replayed(played)) == live(played)


@settings(max_examples=40, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, 60), st.integers(6, 30))
def test_replay_in_pieces_is_replay_at_once(random: Random, count: int, crowd: int) -> None:
    played = season_of_play(random, count, crowd)
    whole = by_season(replayed(played))
    assert whole == by_season(replayed(played, cuts=(count // 3, count // 2))) == live(played)


@settings(max_examples=40, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 60))
def test_void_is_never_played_and_restore_is_always_played(random: Random, count: int) -> None:
    played = season_of_play(random, count, 12)
    chosen = random.randrange(count)
    seq, season, _, *rest = played[chosen]
    void = [*played[:chosen], (seq, season, False, *rest), *played[chosen + 1 :]]
    never = [*played[:chosen], *played[chosen + 1 :]]
    assert by_season(replayed(void)) == by_season(replayed(never))  # type: ignore[arg-type]
    restored = [*played[:chosen], (seq, season, True, *rest), *played[chosen + 1 :]]
    assert by_season(replayed(restored)) == live(restored)  # type: ignore[arg-type]


def test_rows_in_any_order_and_any_pieces_are_read_alike() -> None:
    played = season_of_play(Random(9), 200, 20)
    text = copied(played[::-1])
    pieces = [text[at : at + 37] for at in range(0, len(text), 37)]
    whole, torn = read_matches([copied(played)]), read_matches(pieces)
    for name in Matches.__slots__:
        assert (getattr(whole, name) == getattr(torn, name)).all()
    assert whole.finished[0] == 500


def test_negative_numbers_are_read() -> None:
    (match,) = [read_matches([copied([(-1, 1, True, (1, 2), (1, 2), (0, 0))])])]
    assert (match.seq[0], match.finished[0]) == (-1, -1500)


def test_ratings_of_one_season_sum_up_to_its_surplus() -> None:
    played = season_of_play(Random(3), 3_000, 50)
    replay = replayed(played)
    rows = by_season(replay)
    assert sum(row[0] - elo.START for row in rows[1].values()) == 0
    carried = {player: elo.next_season(row[0]) for player, row in rows[1].items()}
    now = carried | {player: row[0] for player, row in rows[2].items()}
    assert sum(rating - elo.START for rating in now.values()) == replay.surplus[2]


def test_quality_of_a_coin_is_that_of_a_coin() -> None:
    coin = [(1, 1, True, (1, 2), (1, 2), (0, 0))]
    quality = replayed(coin).quality()
    assert (quality.pairs, quality.decided, quality.accuracy) == (1, 1, 0.5)
    assert quality.log_loss == np.log(2)
