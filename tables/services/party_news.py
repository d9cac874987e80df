"""Telling sockets what became of a party, in the order in which it happened.

Everything is read and sent under the party's row lock, after the change was committed. So no older
state follows a newer one, and who has left hears of it once and of that party never again.
"""

import functools
from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

import msgspec
from django.db import transaction

from tables.hub import PlayerMessage, publish
from tables.models import Party, PartyMember
from tables.party_view import Departure, PartyMessage, PartyView
from tables.selectors.parties import party_view

Departed = Mapping[UUID, Departure]

NOBODY: Final[Departed] = {}
_encode: Final = msgspec.json.Encoder().encode


def announce_on_commit(party_id: UUID, departed: Departed = NOBODY) -> None:
    """Announce the party when the present transaction is committed; a failure breaks nothing."""
    transaction.on_commit(
        functools.partial(announce, party_id=party_id, departed=departed), robust=True
    )


@transaction.atomic
def announce(*, party_id: UUID, departed: Departed = NOBODY) -> None:
    """Tell every member how the party is now, and those who have departed why they are out.

    Who is in a party again by now is told nothing about the old one. A match that starts or ends
    changes what a party shows, too: whoever starts or ends it calls this.
    """
    party = Party.objects.select_for_update(no_key=True).filter(pk=party_id).first()
    back = set(
        PartyMember.objects.filter(player__in=list(departed)).values_list("player_id", flat=True)
    )
    messages = [
        PlayerMessage(player_id, _encode(PartyMessage(party=None, reason=reason)))
        for player_id, reason in departed.items()
        if player_id not in back
    ]
    if party is not None:
        view = party_view(party)
        messages += messages_to_members(view)
        _note_told(party, view)
    publish(messages)


def messages_to_members(view: PartyView) -> list[PlayerMessage]:
    """The party's message to each of its members."""
    body = _encode(PartyMessage(party=view))
    return [PlayerMessage(UUID(member.player.id), body) for member in view.members]


def _note_told(party: Party, view: PartyView) -> None:
    """Store who was said to be connected, so that a change of it is noticed."""
    told = {UUID(member.player.id): member.connected for member in view.members}
    for connected in (True, False):
        differing = [player_id for player_id, shown in told.items() if shown is connected]
        party.members.filter(player__in=differing, connected=not connected).update(
            connected=connected
        )


def absolute_links(body: bytes, origin: str) -> bytes:
    """Complete the join link of an encoded `party` message for a socket of this origin.

    Needed only where `SITE_URL` is not set.
    """
    return body.replace(b'"join_url":"/p/', b'"join_url":"' + origin.encode() + b"/p/", 1)


def present_messages(player_ids: Sequence[UUID]) -> dict[UUID, tuple[int, PlayerMessage]]:
    """The message about the present party of each player who is in one, and its version.

    For a socket that has just opened, or that may have missed one.
    """
    places = PartyMember.objects.filter(player__in=list(player_ids)).select_related("party__host")
    views: dict[UUID, PartyView] = {}
    messages = {}
    for place in places:
        if place.party_id not in views:
            views[place.party_id] = party_view(place.party)
        view = views[place.party_id]
        body = _encode(PartyMessage(party=view))
        messages[place.player_id] = (view.version, PlayerMessage(place.player_id, body))
    return messages
