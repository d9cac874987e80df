"""`manage.py generate_history`: players and rated matches out of thin air, to measure with."""

from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection, transaction
from django.utils import timezone

from ratings.models import Season
from ratings.services.boards import count_boards
from ratings.services.generations import recompute
from ratings.services.replays import generation_in_force
from ratings.services.seasons import running_season

_SIZES = (2, 3, 4, 5, 6)
_BLOCK = 10_000
_PLAYERS = """
    INSERT INTO accounts_player (id, display_name, name_key, tag, settings, created_at, ban_reason)
    SELECT uuidv7(), 'Generated ' || n, 'generated ' || n,
        upper(left(md5(random()::text), 8)), '{}', %(now)s, ''
    FROM generate_series(1, %(count)s) AS n
    RETURNING id
"""
# A board as wide as a real one, of ratings that follow from no match.
_BOARD = """
    INSERT INTO ratings_rating (generation, season_id, player_id, rating, matches, peak, last_at,
        shown, on_board, barred)
    SELECT (SELECT generation FROM ratings_ratinghead), %(season)s, id, rating, 30, rating,
        %(now)s, round(rating / 1000.0)::int, true, false
    FROM (
        SELECT id, (1500000 + 150000 * random_normal())::int AS rating FROM accounts_player
        WHERE name_key LIKE 'generated %%'
    ) AS drawn
    ON CONFLICT DO NOTHING
"""


class Command(BaseCommand):
    help = "Makes players and rated matches to measure with. Refused in production."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--players", type=int, default=1_000)
        parser.add_argument("--matches", type=int, default=10_000)
        parser.add_argument(
            "--board",
            action="store_true",
            help="put every generated player on the board, without any match; for a season that "
            "has no ratings yet",
        )
        parser.add_argument("--seed", type=int, default=1)

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.PRODUCTION:
            raise CommandError("This is a production instance; nothing was made.")
        if options["players"] < _SIZES[-1] or options["matches"] < 0:
            raise CommandError("At least six players, and no fewer than no matches.")
        now = timezone.now()
        with transaction.atomic():
            season = running_season(now=now)
            with connection.cursor() as cursor:
                cursor.execute(_PLAYERS, {"now": now, "count": options["players"]})
                players = [player for (player,) in cursor]
            self.stderr.write(f"{len(players)} players made")
            if options["board"]:
                self._board(season, now)
            self._matches(season, players, options["matches"], options["seed"], now)
        if options["matches"]:
            recompute(now=now, tell=self.stderr.write)
        with connection.cursor() as cursor:
            # Vacuumed too, as the server would by itself soon after so many rows.
            cursor.execute("ANALYZE" if connection.in_atomic_block else "VACUUM ANALYZE")

    def _board(self, season: Season, now: datetime) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT EXISTS (SELECT FROM ratings_rating)")
            if cursor.fetchone()[0]:
                raise CommandError("There are ratings already.")
            cursor.execute(_BOARD, {"season": season.number, "now": now})
        count_boards(generation_in_force())
        self.stderr.write("all of them put on the board")

    def _matches(
        self, season: Season, players: list[UUID], count: int, seed: int, now: datetime
    ) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT nextval('rating_sequence')")
            first = cursor.fetchone()[0]
            cursor.execute("SELECT setval('rating_sequence', %s)", [first + count])
            with cursor.copy(
                "COPY ratings_ratedmatch (match_id, seq, season_id, finished_at, players, places,"
                " parties, counted) FROM STDIN"
            ) as copy:
                for row in _rows(season.number, players, first, count, seed, now):
                    copy.write(row)
        self.stderr.write(f"{count} matches made")


def _rows(
    season: int, players: list[UUID], first: int, count: int, seed: int, now: datetime
) -> Iterator[str]:
    """Matches of random players, the stronger of whom tend to be placed better, as text.

    One a second until now, under UUIDv7 of that time, as real matches have them.
    """
    random = np.random.default_rng(seed)
    names = [str(player) for player in players]
    skill = random.normal(0.0, 1.0, len(names))
    start = now - timedelta(seconds=count)
    for block in range(0, count, _BLOCK):
        many = min(_BLOCK, count - block)
        sizes = random.choice(_SIZES, many)
        drawn = random.integers(len(names), size=(many, _SIZES[-1]))
        results = np.round(skill[drawn] + random.normal(0.0, 2.0, drawn.shape), 1)
        places = 1 + (results[:, None, :] > results[:, :, None]).sum(axis=2)
        party = (random.random(many) < 0.1) & (sizes > 2)
        ids = random.bytes(9 * many).hex()
        lines = []
        for row, (size, who, ranked, pair) in enumerate(
            zip(sizes.tolist(), drawn.tolist(), places.tolist(), party.tolist(), strict=True)
        ):
            number = block + row
            while len(set(who[:size])) < size:
                who = random.integers(len(names), size=_SIZES[-1]).tolist()
            at = start + timedelta(seconds=number)
            chance = ids[18 * row : 18 * row + 18]
            lines.append(
                f"{int(1000 * at.timestamp()):012x}7{chance[:3]}8{chance[3:]}\t"
                f"{first + number}\t{season}\t{at}\t"
                f"{{{','.join([names[index] for index in who[:size]])}}}\t"
                f"{{{','.join(map(str, ranked[:size]))}}}\t"
                f"{{{','.join(['1' if pair and seat < 2 else '0' for seat in range(size)])}}}"
                "\tt\n"
            )
        yield "".join(lines)
