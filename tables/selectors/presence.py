"""Who is connected: to a match, to a party, at all (api.md, Version)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from django.db import connection

from tables.clocks import PROCESS_DEAD_AFTER, clocks
from tables.seating import Sighting

_SIGHTINGS = """
SELECT p.id,
       EXISTS (SELECT 1 FROM tables_connection c JOIN tables_webprocess w ON w.id = c.process_id
               WHERE c.player_id = p.id
               AND w.heartbeat_at > clock_timestamp() - make_interval(secs => %s)),
       CASE WHEN s.match_id = %s THEN s.match_seen_at END,
       GREATEST(s.gone_at, (
            SELECT max(w.heartbeat_at) FROM tables_connection c
            JOIN tables_webprocess w ON w.id = c.process_id WHERE c.player_id = p.id))
FROM unnest(%s::uuid[]) AS p(id) LEFT JOIN tables_presence s ON s.player_id = p.id
"""


def sightings_of(player_ids: Sequence[UUID], match_id: UUID | None) -> dict[str, Sighting]:
    """What is known of each player's connection to `match_id`, keyed by the player's id as text.

    Any open socket of a player connects them; so does a REST request for that match within the
    last 30 s. A process without a heartbeat for PROCESS_DEAD_AFTER has no sockets any more.
    """
    window = timedelta(seconds=clocks().rest_window)
    with connection.cursor() as cursor:
        cursor.execute(_SIGHTINGS, [PROCESS_DEAD_AFTER, match_id, list(player_ids)])
        return {
            str(player_id): Sighting(
                socket=socket,
                rest_until=seen_at + window if seen_at is not None else None,
                gone_at=gone_at,
            )
            for player_id, socket, seen_at, gone_at in cursor.fetchall()
        }


_IN_PARTY = """
SELECT p.id,
       EXISTS (SELECT 1 FROM tables_connection c JOIN tables_webprocess w ON w.id = c.process_id
               WHERE c.player_id = p.id
               AND w.heartbeat_at > clock_timestamp() - make_interval(secs => %(dead)s))
       OR s.seen_until > clock_timestamp(),
       GREATEST(s.gone_at, s.seen_until)
FROM unnest(%(players)s::uuid[]) AS p(id) LEFT JOIN (
    SELECT player_id, gone_at,
           GREATEST(party_seen_at, match_seen_at) + make_interval(secs => %(window)s) AS seen_until
    FROM tables_presence) s ON s.player_id = p.id
"""


def party_presence(player_ids: Sequence[UUID]) -> dict[UUID, tuple[bool, datetime | None]]:
    """For each player whether they are connected to their party, and since when not.

    By an open socket, or by a REST request for the party or a match within the last 30 s.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            _IN_PARTY,
            {
                "dead": PROCESS_DEAD_AFTER,
                "window": clocks().rest_window,
                "players": list(player_ids),
            },
        )
        return {
            player_id: (bool(connected), None if connected else gone_at)
            for player_id, connected, gone_at in cursor.fetchall()
        }
