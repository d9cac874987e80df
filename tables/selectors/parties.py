"""What there is to read about parties: who is in which, how it looks, and who may join."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec
from django.conf import settings
from django.db.models import Max

from accounts.models import Player
from accounts.selectors import is_blocked
from tables.blackjack.ruleset import Ruleset, as_mapping
from tables.join_codes import read_code
from tables.models import (
    MAX_MEMBERS,
    Match,
    MatchStatus,
    Party,
    PartyKick,
    PartyMember,
    Seat,
    Ticket,
)
from tables.party_refusals import (
    AlreadyInParty,
    BlockedByHost,
    InMatch,
    Kicked,
    PartyFull,
    PartyNotFound,
    PartyRefusal,
    PartyStarted,
    Searching,
)
from tables.party_view import (
    CanJoin,
    Counts,
    MemberView,
    PartyPreview,
    PartyStatus,
    PartyView,
    Person,
)
from tables.selectors.edges import edge_of
from tables.selectors.presence import party_presence

_RULES: Final = msgspec.json.Decoder(Ruleset)


def party_by_code(code: str) -> Party:
    """Find the party of a code as somebody typed it. Raises `PartyNotFound`."""
    read = read_code(code)
    party = None if read is None else Party.objects.filter(code=read).first()
    if party is None:
        raise PartyNotFound
    return party


def party_of(player_id: UUID) -> Party | None:
    """The party that the player is in."""
    return Party.objects.filter(members__player=player_id).first()


def is_member(*, party_id: UUID, player_id: UUID | None) -> bool:
    """Tell whether the player is in the party; nobody in particular is in none."""
    return PartyMember.objects.filter(party=party_id, player=player_id).exists()


def live_match_of_party(party_id: UUID) -> UUID | None:
    """The party's match while it is played, whoever of the party still sits there."""
    return (
        Match.objects.filter(party=party_id, status=MatchStatus.PLAYING)
        .values_list("pk", flat=True)
        .first()
    )


def live_matches_of(player_ids: Iterable[UUID]) -> dict[UUID, UUID]:
    """The live match of each player who has one, keyed by the player."""
    seats = Seat.objects.filter(player__in=list(player_ids), live=True)
    return dict(seats.values_list("player_id", "match_id"))


def last_match_ended_at(party_ids: Iterable[UUID]) -> dict[UUID, datetime]:
    """When the last match of each party that has played ended, keyed by the party."""
    ended = Match.objects.filter(party__in=list(party_ids), finished_at__isnull=False)
    return dict(
        ended.values("party_id").annotate(at=Max("finished_at")).values_list("party_id", "at")
    )


def is_searching(party_id: UUID) -> bool:
    """Tell whether the party is in the ranked queue, where nobody joins it (api.md, queue/)."""
    return Ticket.objects.filter(party=party_id).exists()


def rules_of(party: Party) -> Ruleset:
    """The house rules in force."""
    return _RULES.decode(party.rules)


def refusal_to_join(party: Party, player_id: UUID | None) -> PartyRefusal | None:
    """Say what keeps a player, or a visitor without an account, from joining; None: nothing does.

    The one table for what is offered (`can_join`) and what is accepted (api.md, parties/).
    """
    if player_id is not None and (refusal := _refusal_of_player(party, player_id)) is not None:
        return refusal
    if live_match_of_party(party.pk) is not None:
        return PartyStarted()
    if is_searching(party.pk):
        return Searching()
    if party.members.count() >= MAX_MEMBERS:
        return PartyFull()
    return None


def _refusal_of_player(party: Party, player_id: UUID) -> PartyRefusal | None:
    if PartyKick.objects.filter(party=party, player=player_id).exists():
        return Kicked()
    if is_blocked(blocker_id=party.host_id, player_id=player_id):
        return BlockedByHost()
    if PartyMember.objects.filter(player=player_id).exclude(party=party).exists():
        return AlreadyInParty()
    return refusal_while_playing(player_id, party_id=party.pk)


def refusal_while_playing(player_id: UUID, *, party_id: UUID | None = None) -> InMatch | None:
    """Say that the player has a live match, unless it is that of `party_id`."""
    seat = (
        Seat.objects.filter(player=player_id, live=True)
        .only("match__party")
        .select_related("match")
        .first()
    )
    if seat is None or (party_id is not None and seat.match.party_id == party_id):
        return None
    return InMatch(seat.match_id)


def join_path(code: str) -> str:
    """The path of the page on which a party is joined."""
    return f"/p/{code}/"


def join_url(code: str, origin: str | None) -> str:
    """The join link: absolute by `SITE_URL`, else by the origin of whoever asks.

    Where neither is known, as in a message to sockets of many origins, it is the path, which a
    browser completes by itself.
    """
    return f"{settings.SITE_URL or origin or ''}{join_path(code)}"


def party_view(party: Party, *, origin: str | None = None) -> PartyView:
    """The party as its members see it; `origin` is that of the request, without a slash."""
    members = list(party.members.select_related("player"))
    presence = party_presence([member.player_id for member in members])
    match = live_match_of_party(party.pk)
    people = {member.player_id: _person(member.player) for member in members}
    rules = rules_of(party)
    return PartyView(
        code=party.code,
        join_url=join_url(party.code, origin),
        status=_status(match),
        host=people.get(party.host_id) or _person(party.host),
        members=[
            MemberView(
                player=people[member.player_id],
                ready=member.ready,
                connected=presence[member.player_id][0],
                joined_at=member.joined_at,
            )
            for member in members
        ],
        max_members=MAX_MEMBERS,
        rules=as_mapping(rules),
        changed=party.changed,
        edge=edge_of(rules),
        watchable=party.watchable,
        match=None if match is None else str(match),
        version=party.version,
    )


def party_preview(
    party: Party, *, viewer_id: UUID | None, origin: str | None = None
) -> PartyPreview:
    """The party as somebody sees it who is not in it: no members, no match."""
    marks = list(party.members.values_list("ready", flat=True))
    refusal = refusal_to_join(party, viewer_id)
    return PartyPreview(
        code=party.code,
        join_url=join_url(party.code, origin),
        status=_status(live_match_of_party(party.pk)),
        host=_person(party.host),
        counts=Counts(members=len(marks), ready=sum(marks)),
        max_members=MAX_MEMBERS,
        rules=as_mapping(rules_of(party)),
        can_join=CanJoin(refusal is None, None if refusal is None else refusal.code),
    )


def _status(live_match: UUID | None) -> PartyStatus:
    return PartyStatus.OPEN if live_match is None else PartyStatus.PLAYING


def _person(player: Player) -> Person:
    return Person(id=str(player.pk), display_name=player.shown_name, tag=player.tag)
