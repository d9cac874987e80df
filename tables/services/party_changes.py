"""Holding a party's row, and what goes with every change: a new version, news, the host's role.

Only one change of a party is made at a time; each raises its version by one and is told to its
members once it is committed.
"""

from collections.abc import Collection
from uuid import UUID

from tables.join_codes import read_code
from tables.models import Party, PartyMember
from tables.party_refusals import NotHost, NotInParty, PartyChanged, PartyNotFound, PartyStarted
from tables.party_view import Departure
from tables.queue_view import TicketEnd
from tables.selectors.parties import is_searching, live_match_of_party
from tables.selectors.presence import party_presence
from tables.services import queue
from tables.services.party_news import NOBODY, Departed, announce_on_commit
from tables.services.presence import Place, touch

Versions = Collection[int]
"""The versions of a party that a request was made for (`If-Match`)."""


def locked_party(code: str) -> Party:
    """Hold the row of the party with this code, as somebody typed it. Raises `PartyNotFound`."""
    read = read_code(code)
    held = Party.objects.select_for_update(no_key=True)
    party = None if read is None else held.filter(code=read).first()
    if party is None:
        raise PartyNotFound
    return party


def joined_party(code: str, player_id: UUID, expected: Versions | None = None) -> Party:
    """Hold the party of which the player must be a member; this connects them to it.

    Raises `PartyNotFound`, `NotInParty`, `PartyChanged`.
    """
    party = locked_party(code)
    member_of(party, player_id)
    touch(player_id=player_id, place=Place.PARTY)
    _refuse_changed(party, expected)
    return party


def hosted_party(code: str, player_id: UUID, expected: Versions | None = None) -> Party:
    """Hold the party of which the player must be the host; this connects them to it.

    Raises `PartyNotFound`, `NotHost`, `PartyChanged`.
    """
    party = locked_party(code)
    if party.host_id != player_id:
        raise NotHost
    touch(player_id=player_id, place=Place.PARTY)
    _refuse_changed(party, expected)
    return party


def member_of(party: Party, player_id: UUID) -> PartyMember:
    """The player's place in a held party. Raises `NotInParty`."""
    member = party.members.filter(player=player_id).first()
    if member is None:
        raise NotInParty
    return member


def refuse_started(party: Party) -> None:
    """Raise `PartyStarted` while the match of a held party is played."""
    if live_match_of_party(party.pk) is not None:
        raise PartyStarted


def record_change(party: Party, departed: Departed = NOBODY) -> None:
    """Save a held party that has changed, and have it told."""
    party.version += 1
    party.save()
    announce_on_commit(party.pk, departed)


def take_out(party: Party, member: PartyMember, reason: Departure) -> None:
    """Remove a member of a held party.

    The host's role passes on at once, an empty party disappears, and none goes on searching
    without one of its members.
    """
    party_id, departed = party.pk, {member.player_id: reason}
    if is_searching(party_id):
        at_fault = party.host_id if reason is Departure.KICKED else member.player_id
        queue.leave(player_id=at_fault, reason=TicketEnd.MEMBER_LEFT)
    member.delete()
    if not party.members.exists():
        party.delete()
        announce_on_commit(party_id, departed)
        return
    if party.host_id == member.player_id:
        party.host_id = next_host(party)
    record_change(party, departed)


def next_host(party: Party) -> UUID:
    """Who has been there longest and is connected; if nobody is, who has been there longest."""
    members = list(party.members.values_list("player_id", flat=True))
    presence = party_presence(members)
    return next((player_id for player_id in members if presence[player_id][0]), members[0])


def _refuse_changed(party: Party, expected: Versions | None) -> None:
    if expected is not None and party.version not in expected:
        raise PartyChanged
