"""A player's own news: what sockets were told of party, queue and match, and what they missed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from uuid import UUID

import msgspec
from django.utils import timezone
from msgspec import Struct

from accounts.models import Device, Player
from api.consumers.database import in_database
from tables.hub import PlayerMessage, Poke, match_poke, poke
from tables.models import Seat
from tables.party_view import Departure, PartyMessage
from tables.queue_view import QueueMessage, QueueStatus, QueueView
from tables.queue_view import told as queue_told
from tables.services import queue_news
from tables.services.party_news import present_messages


class Told(NamedTuple):
    """What a player was last told: their party by code and version, their live match, and what
    counts of their place in the queue (None: nothing yet)."""

    party: str | None = None
    version: int = 0
    match: UUID | None = None
    queue: tuple[object, ...] | None = None


class _Party(Struct):
    code: str
    version: int


class _Known(Struct, tag_field="type", tag="party"):
    party: _Party | None


_decode = msgspec.json.Decoder(_Known).decode
_decode_queue = msgspec.json.Decoder(QueueMessage).decode
_QUEUE = b'{"type":"queue"'
_NOWHERE = queue_told(QueueView(status=QueueStatus.NONE, waiting=0))


class PersonalNews:
    """Compares what each local player was told with what is stored (Valkey may lose news)."""

    def __init__(self) -> None:
        self._told: dict[UUID, Told] = {}
        self._devices: dict[UUID, set[UUID]] = {}

    def note(self, player_id: UUID, body: bytes) -> None:
        """Remember a `party` or `queue` message that went to a player; others are passed over."""
        if body.startswith(_QUEUE):
            told = self._told.get(player_id, Told())
            self._told[player_id] = told._replace(queue=queue_told(_decode_queue(body)))
            return
        try:
            party = _decode(body).party
        except msgspec.DecodeError:
            return
        told = self._told.get(player_id, Told())
        code, version = (party.code, party.version) if party is not None else (None, 0)
        self._told[player_id] = told._replace(party=code, version=version)

    def note_device(self, player_id: UUID, device_id: UUID) -> None:
        """Remember by which device a player has a socket here."""
        self._devices.setdefault(player_id, set()).add(device_id)

    def note_match(self, player_id: UUID, match_id: UUID | None) -> None:
        """Remember the match that a player's sockets follow."""
        self._told[player_id] = self._told.get(player_id, Told())._replace(match=match_id)

    def forget(self, player_id: UUID) -> None:
        """A player has no socket here any more."""
        self._told.pop(player_id, None)
        self._devices.pop(player_id, None)

    def _ended(self, player_ids: Sequence[UUID]) -> list[PlayerMessage]:
        """Devices that were signed out, and players who were banned, while they had a socket."""
        now = timezone.now()
        local = [device for player in player_ids for device in self._devices.get(player, ())]
        signed_out = Device.objects.filter(pk__in=local, revoked_at__isnull=False)
        banned = Player.objects.filter(pk__in=player_ids, banned_at__isnull=False)
        return [
            *(poke(row.player_id, Poke.SIGNED_OUT, row.pk) for row in signed_out),
            *(poke(player.pk, Poke.BANNED) for player in banned if player.is_banned(now)),
        ]

    async def read(self, player_ids: Sequence[UUID]) -> Iterable[PlayerMessage]:
        """The news that these players have missed."""
        return await in_database(self._missed, player_ids)

    def _missed(self, player_ids: Sequence[UUID]) -> list[PlayerMessage]:
        now_in = present_messages(player_ids)
        places = queue_news.present_messages(player_ids)
        rows = Seat.objects.filter(player__in=player_ids, live=True)
        matches = dict(rows.values_list("player_id", "match_id"))
        gone = set(
            Player.objects.filter(pk__in=player_ids, deleted_at__isnull=False).values_list(
                "pk", flat=True
            )
        )
        missed: list[PlayerMessage] = self._ended(player_ids)
        for player_id in player_ids:
            told = self._told.get(player_id, Told())
            if player_id in gone:
                missed.append(poke(player_id, Poke.DELETED))
                continue
            if player_id in now_in:
                _, message = now_in[player_id]
                known = _decode(message.body).party
                if known is not None and (known.code, known.version) != told[:2]:
                    missed.append(message)
            elif told.party is not None:
                body = msgspec.json.encode(PartyMessage(party=None, reason=Departure.LEFT))
                missed.append(PlayerMessage(player_id, body))
            place = places[player_id]
            if queue_told(_decode_queue(place.body)) != (told.queue or _NOWHERE):
                missed.append(place)
            match_id = matches.get(player_id)
            if match_id is not None and match_id != told.match:
                missed.append(match_poke(player_id, match_id))
        return missed
