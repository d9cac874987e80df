"""Parties whose people go away: the host's role passes on, and members do not stay for ever."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import transaction

from tables.models import Party, PartyMember
from tables.party_view import Departure
from tables.selectors.parties import last_match_ended_at, live_match_of_party, live_matches_of
from tables.selectors.presence import party_presence
from tables.services.party_changes import record_change, take_out
from tables.services.party_news import announce
from tables.services.presence import Place, is_attended, touch


class _Seen(NamedTuple):
    """A member and whether they are connected, or since when they are not."""

    member: PartyMember
    connected: bool
    away_since: datetime

    def away_for(self, seconds: float, now: datetime) -> bool:
        return not self.connected and now - self.away_since >= timedelta(seconds=seconds)


def see_member(*, party: Party, player_id: UUID) -> None:
    """Note that a member has asked for the party, and tell the others if they were away."""
    touch(player_id=player_id, place=Place.PARTY)
    if party.members.filter(player=player_id, connected=False).exists():
        announce(party_id=party.pk)


def tell_presence(*, player_id: UUID) -> None:
    """Tell a player's party that the player has come or gone: their socket opened or closed."""
    place = PartyMember.objects.filter(player=player_id).first()
    if place is not None and party_presence([player_id])[player_id][0] is not place.connected:
        announce(party_id=place.party_id)


def keep_parties(*, now: datetime) -> None:
    """Do what is due in every party; safe to run at any time, and several at once.

    Changed presence is told; a host who is away for HOST_AWAY_AFTER gives the role to the member
    who has been there longest and is connected, if any is; a member who is away for
    MEMBER_AWAY_AFTER, not counting the time of a match, is removed. While no web process lives
    nobody could be connected, and nothing is done.
    """
    if not is_attended():
        return
    members = PartyMember.objects.select_related("party").order_by("id")
    parties: dict[UUID, list[_Seen]] = {}
    for seen in _seen(members):
        parties.setdefault(seen.member.party_id, []).append(seen)
    for party_id, everybody in parties.items():
        host_id = everybody[0].member.party.host_id
        if _new_host(host_id, everybody, now) or _gone(everybody, now):
            _keep(party_id=party_id, now=now)
        elif any(seen.connected is not seen.member.connected for seen in everybody):
            announce(party_id=party_id)


@transaction.atomic
def _keep(*, party_id: UUID, now: datetime) -> None:
    """Do what is due in one party, judged anew under its lock."""
    party = Party.objects.select_for_update(no_key=True).filter(pk=party_id).first()
    if party is None:
        return
    everybody = _seen(party.members.all())
    new_host = _new_host(party.host_id, everybody, now)
    if new_host is not None:
        party.host_id = new_host
        record_change(party)
    if live_match_of_party(party_id) is None:
        for seen in _gone(everybody, now):
            take_out(party, seen.member, Departure.LEFT)


def _seen(members: Iterable[PartyMember]) -> list[_Seen]:
    rows = list(members)
    presence = party_presence([member.player_id for member in rows])
    seen = []
    for member in rows:
        connected, gone_at = presence[member.player_id]
        since = max(gone_at, member.joined_at) if gone_at is not None else member.joined_at
        seen.append(_Seen(member, connected, since))
    return seen


def _new_host(host_id: UUID, everybody: list[_Seen], now: datetime) -> UUID | None:
    """Whose the role is from now on, if the host has been away for too long."""
    for seen in everybody:
        if seen.member.player_id == host_id and seen.away_for(settings.HOST_AWAY_AFTER, now):
            return next((other.member.player_id for other in everybody if other.connected), None)
    return None


def _gone(everybody: list[_Seen], now: datetime) -> list[_Seen]:
    """The members who have been away for too long outside a match."""
    limit = settings.MEMBER_AWAY_AFTER
    away = [seen for seen in everybody if seen.away_for(limit, now)]
    if not away:
        return []
    playing = live_matches_of(seen.member.player_id for seen in away)
    ended = last_match_ended_at({seen.member.party_id for seen in away})
    return [
        seen
        for seen in away
        if seen.member.player_id not in playing
        and seen._replace(
            away_since=max(seen.away_since, ended.get(seen.member.party_id, seen.away_since))
        ).away_for(limit, now)
    ]
