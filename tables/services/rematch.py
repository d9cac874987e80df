"""Playing once more with the same people under the same rules (api.md, rematch/)."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar
from uuid import UUID

import msgspec
from django.db import connection, transaction
from msgspec import Struct

from tables.blackjack.ruleset import Ruleset
from tables.models import Match, MatchKind, MatchStatus, Party, Seat
from tables.party_refusals import PartyStarted
from tables.selectors.matches import MatchNotOver, Sight, sight_of
from tables.selectors.parties import is_member, live_match_of_party
from tables.selectors.presence import party_presence
from tables.services.parties import create_party, join_party, set_ready
from tables.services.party_start import begin
from tables.services.solo import sit_down_alone
from tables.table import NotYourSeat


class NoRematch(Exception):
    """A ranked match is not played again; search for another one."""

    code: ClassVar[str] = "no_rematch"


class Begun(Struct, frozen=True):
    """The match that has begun, as who pressed sees it, and whether this began it."""

    match: Sight
    is_new: bool


class Waiting(Struct, frozen=True):
    """The party that waits for others to press."""

    party: Party


Pressed = Begun | Waiting


_decode_rules = msgspec.json.Decoder(Ruleset).decode


@transaction.atomic
def press_rematch(*, match_id: UUID, player_id: UUID, now: datetime) -> Pressed:
    """Be ready for another match in the party of one that is over, and begin it if all are.

    All are the host and every connected member; who is away and has not pressed is not seated.
    A party that is gone is made again with the match's rules, and then waits for a second one;
    alone the match begins at once.
    Raises MatchNotFound, NotYourSeat, NoRematch, MatchNotOver, PartyStarted, InMatch, and what
    keeps a player from making or joining a party.
    """
    sight = sight_of(match_id=match_id, viewer_id=player_id)
    if sight.seat is None:
        raise NotYourSeat
    if sight.match.kind == MatchKind.RANKED:
        raise NoRematch
    if sight.match.status == MatchStatus.PLAYING:
        raise MatchNotOver
    _take_turns(match_id)
    party = _party_of(match_id)
    if party is None and sight.match.kind == MatchKind.SOLO:
        ruleset = _decode_rules(sight.match.rules)
        return Begun(sit_down_alone(player_id=player_id, ruleset=ruleset), is_new=True)
    if party is None:
        party = _made_again(sight.match, player_id, now)
        return Waiting(set_ready(code=party.code, player_id=player_id, ready=True))
    return _press(party, player_id, now)


def _take_turns(match_id: UUID) -> None:
    """Let those who press for the same match do so one after the other: one party is made."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [str(match_id)])


def _party_of(match_id: UUID) -> Party | None:
    return Party.objects.select_for_update(no_key=True).filter(matches=match_id).first()


def _made_again(match: Match, player_id: UUID, now: datetime) -> Party:
    rules: dict[str, object] = msgspec.json.decode(match.rules)
    party = create_party(player_id=player_id, rules=rules, watchable=match.watchable, now=now)
    Match.objects.filter(pk=match.pk).update(party=party)
    return party


def _press(party: Party, player_id: UUID, now: datetime) -> Pressed:
    playing = live_match_of_party(party.pk)
    if playing is not None:
        if not Seat.objects.filter(match=playing, player=player_id).exists():
            raise PartyStarted
        return Begun(sight_of(match_id=playing, viewer_id=player_id), is_new=False)
    if not is_member(party_id=party.pk, player_id=player_id):
        join_party(code=party.code, player_id=player_id, now=now)
    party = set_ready(code=party.code, player_id=player_id, ready=True)
    members = list(party.members.all())
    presence = party_presence([member.player_id for member in members])
    awaited = [
        member
        for member in members
        if member.player_id == party.host_id or presence[member.player_id][0]
    ]
    if not all(member.ready for member in awaited):
        return Waiting(party)
    ready = [member for member in members if member.ready]
    match_id = begin(party, ready, asking=player_id)
    return Begun(sight_of(match_id=match_id, viewer_id=player_id), is_new=True)
