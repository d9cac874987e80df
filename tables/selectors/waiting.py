"""What a wave must know of everybody who waits (matchmaking.md 2)."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import connection

from ratings.selectors import ratings_of
from tables.models import TicketMember
from tables.selectors.queue import ranked_matches_of
from tables.tickets import Ticket as Waiting

BLOCKS_COUNTED: Final = 20

_BLOCKS: Final = """
SELECT blocker_id, blocked_id FROM (
    SELECT blocker_id, blocked_id, created_at,
           row_number() OVER (PARTITION BY blocker_id ORDER BY created_at, id) AS number
    FROM accounts_block WHERE blocker_id = ANY(%s)) AS b
WHERE number <= %s AND created_at <= %s
"""
_MET: Final = """
SELECT s.player_id, o.player_id FROM (
    SELECT DISTINCT ON (player_id) player_id, match_id FROM tables_seat
    WHERE player_id = ANY(%s) AND kind = 'ranked' AND started_at > %s
    ORDER BY player_id, started_at DESC) AS s
JOIN tables_seat o ON o.match_id = s.match_id AND o.player_id <> s.player_id
"""
_BARRED: Final = """
SELECT id FROM accounts_player WHERE id = ANY(%s) AND (deleted_at IS NOT NULL
    OR (banned_at IS NOT NULL AND (banned_until IS NULL OR banned_until > %s)))
"""


class Standing(NamedTuple):
    """A ticket that waits, as it is stored."""

    id: UUID
    since: datetime
    front: bool


def as_waiting(tickets: Sequence[Standing], now: datetime) -> list[Waiting]:
    """These tickets as pairing takes them, ratings as they are now.

    They are in no ready check. Left out are those with a member who is banned or gone, or has a
    live ranked match.
    """
    members: dict[UUID, list[UUID]] = {ticket.id: [] for ticket in tickets}
    browsers: dict[UUID, set[UUID]] = {ticket.id: set() for ticket in tickets}
    places = TicketMember.objects.filter(ticket__ready_check__isnull=True)
    for ticket_id, player, theirs in places.values_list("ticket_id", "player_id", "browsers"):
        if ticket_id in members:
            members[ticket_id].append(player)
            browsers[ticket_id].update(theirs)
    players = [player for who in members.values() for player in who]
    ratings = ratings_of(players)
    blocked = _pairs(_BLOCKS, [players, BLOCKS_COUNTED, now - _seconds(settings.BLOCKS_COUNT_FROM)])
    met = _pairs(_MET, [players, now - _seconds(settings.MET_LATELY)])
    out = _barred(players, now) | ranked_matches_of(players).keys()
    return [
        Waiting(
            id=ticket.id,
            players=tuple(who),
            ratings=tuple(ratings[player].rating for player in who),
            waited=max(0.0, (now - ticket.since).total_seconds()),
            front=ticket.front,
            browsers=frozenset(map(str, browsers[ticket.id])),
            blocked=_joined(blocked, who),
            met=_joined(met, who),
        )
        for ticket in tickets
        if (who := members[ticket.id]) and out.isdisjoint(who)
    ]


def _seconds(seconds: float) -> timedelta:
    return timedelta(seconds=seconds)


def _pairs(query: str, values: Sequence[Any]) -> dict[UUID, set[UUID]]:
    found: dict[UUID, set[UUID]] = defaultdict(set)
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        for one, other in cursor.fetchall():
            found[one].add(other)
    return found


def _joined(found: dict[UUID, set[UUID]], players: Iterable[UUID]) -> frozenset[UUID]:
    if not found:
        return frozenset()
    return frozenset().union(*(found[player] for player in players if player in found))


def _barred(player_ids: Sequence[UUID], now: datetime) -> set[UUID]:
    with connection.cursor() as cursor:
        cursor.execute(_BARRED, [list(player_ids), now])
        return {player for (player,) in cursor}
