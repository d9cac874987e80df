"""Parties: making one, joining, leaving, removing, the host's role, ready marks and house rules.

Making and joining hold the player's row as well as the party's (after it), so that two devices of
one player take turns.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec
from django.db import IntegrityError, transaction

from accounts.models import Player
from accounts.selectors import PlayerNotFound
from tables.blackjack.ruleset import DEFAULTS, Ruleset, as_mapping, ruleset_of
from tables.join_codes import new_code
from tables.models import Match, MatchStatus, Party, PartyKick, PartyMember
from tables.party_refusals import (
    AlreadyInParty,
    CannotKickYourself,
    NoFreeCode,
    NotAMember,
    PlayerBanned,
    Searching,
)
from tables.party_view import Departure
from tables.queue_view import TicketEnd
from tables.selectors.parties import (
    is_member,
    is_searching,
    refusal_to_join,
    refusal_while_playing,
    rules_of,
)
from tables.services import queue, strategies
from tables.services.party_changes import (
    Versions,
    hosted_party,
    joined_party,
    locked_party,
    member_of,
    record_change,
    refuse_started,
    take_out,
)
from tables.services.party_news import announce_on_commit
from tables.services.presence import Place, touch

CODE_TRIES: Final = 10

Rules = Mapping[str, object]


@transaction.atomic
def create_party(
    *, player_id: UUID, rules: Rules | None = None, watchable: bool = False, now: datetime
) -> Party:
    """Make a party with the player as its host and only member.

    Raises `RulesetError`, `AlreadyInParty`, `InMatch`, `NoFreeCode`, `PlayerBanned`.
    """
    ruleset = ruleset_of(rules or {}, DEFAULTS)
    _lock_player(player_id, now)
    if PartyMember.objects.filter(player=player_id).exists():
        raise AlreadyInParty
    if (refusal := refusal_while_playing(player_id)) is not None:
        raise refusal
    party = _under_a_free_code(
        Party(
            host_id=player_id,
            rules=_as_text(ruleset),
            watchable=watchable,
            version=1,
            created_at=now,
        )
    )
    PartyMember.objects.create(party=party, player_id=player_id, joined_at=now)
    touch(player_id=player_id, place=Place.PARTY)
    strategies.want(ruleset)
    announce_on_commit(party.pk)
    return party


@transaction.atomic
def join_party(*, code: str, player_id: UUID, now: datetime) -> Party:
    """Take a place in a party; once more changes nothing.

    Raises `PartyNotFound` and whatever `refusal_to_join` names.
    """
    party = locked_party(code)
    _lock_player(player_id, now)
    if not is_member(party_id=party.pk, player_id=player_id):
        if (refusal := refusal_to_join(party, player_id)) is not None:
            raise refusal
        PartyMember.objects.create(party=party, player_id=player_id, joined_at=now)
        record_change(party)
    touch(player_id=player_id, place=Place.PARTY)
    return party


@transaction.atomic
def leave_party(*, code: str, player_id: UUID) -> None:
    """Give up the own place; a seat at the party's match is kept. Raises `NotInParty`."""
    party = locked_party(code)
    take_out(party, member_of(party, player_id), Departure.LEFT)


@transaction.atomic
def leave_any_party(*, player_id: UUID) -> None:
    """Take a player out of whatever party they are in: after a ban, before a deletion.

    A banned player cannot join another meanwhile.
    """
    place = PartyMember.objects.filter(player=player_id).first()
    if place is None:
        return
    party = Party.objects.select_for_update(no_key=True).filter(pk=place.party_id).first()
    if party is not None and is_member(party_id=party.pk, player_id=player_id):
        take_out(party, member_of(party, player_id), Departure.LEFT)


@transaction.atomic
def kick_member(
    *, code: str, player_id: UUID, kicked_id: UUID, expected: Versions | None = None, now: datetime
) -> Party:
    """As the host, remove a member, who cannot come back by any way; once more changes nothing.

    Raises `NotHost`, `PartyChanged`, `CannotKickYourself`, `NotAMember`.
    """
    party = hosted_party(code, player_id, expected)
    if kicked_id == player_id:
        raise CannotKickYourself
    member = party.members.filter(player=kicked_id).first()
    if member is not None:
        PartyKick.objects.get_or_create(party=party, player_id=kicked_id, defaults={"at": now})
        take_out(party, member, Departure.KICKED)
    elif not PartyKick.objects.filter(party=party, player=kicked_id).exists():
        raise NotAMember
    return party


@transaction.atomic
def hand_over(
    *, code: str, player_id: UUID, new_host_id: UUID, expected: Versions | None = None
) -> Party:
    """As the host, make another member the host.

    Raises `NotHost`, `PartyChanged`, `NotAMember`.
    """
    party = hosted_party(code, player_id, expected)
    if not is_member(party_id=party.pk, player_id=new_host_id):
        raise NotAMember
    if new_host_id != party.host_id:
        party.host_id = new_host_id
        record_change(party)
    return party


@transaction.atomic
def set_ready(
    *, code: str, player_id: UUID, ready: bool, expected: Versions | None = None
) -> Party:
    """Set or take away the own ready mark; the same once more changes nothing.

    Raises `NotInParty`, `PartyChanged`, and while a match is played `PartyStarted`: whoever takes
    the mark away is told so if the start was first.
    """
    party = joined_party(code, player_id, expected)
    refuse_started(party)
    member = member_of(party, player_id)
    if member.ready is not ready:
        if is_searching(party.pk):
            raise Searching
        member.ready = ready
        member.save(update_fields=["ready"])
        record_change(party)
    return party


@transaction.atomic
def change_party(
    *,
    code: str,
    player_id: UUID,
    rules: Rules | None = None,
    watchable: bool | None = None,
    expected: Versions | None = None,
) -> Party:
    """As the host, change the given house rules, or who may watch, or both; all or nothing.

    Other rules make everybody not ready and are named in `changed` until the next change. What a
    match is played by never changes (`rules.md R2`), and nor do the party's rules meanwhile.
    Watching is allowed or forbidden for that match at once. Raises `NotHost`, `PartyChanged`,
    `RulesetError`, `PartyStarted`, `Searching`.
    """
    party = hosted_party(code, player_id, expected)
    before = rules_of(party)
    after = before if rules is None else ruleset_of(rules, before)
    if after == before and watchable in (None, party.watchable):
        return party
    if after != before:
        refuse_started(party)
        if is_searching(party.pk):
            raise Searching
        old, new = as_mapping(before), as_mapping(after)
        party.rules, party.changed = _as_text(after), [key for key in new if new[key] != old[key]]
        party.members.update(ready=False)
        strategies.want(after)
    if watchable is not None and watchable != party.watchable:
        party.watchable = watchable
        Match.objects.filter(party=party, status=MatchStatus.PLAYING).update(watchable=watchable)
    record_change(party)
    return party


@transaction.atomic
def close_party(*, party_id: UUID) -> None:
    """As staff, end a party; its match goes on. Nothing happens if it is gone."""
    party = Party.objects.select_for_update(no_key=True).filter(pk=party_id).first()
    if party is not None:
        if is_searching(party.pk):
            queue.leave(player_id=party.host_id, reason=TicketEnd.CLOSED, blameless=True)
        members = party.members.values_list("player_id", flat=True)
        departed = dict.fromkeys(members, Departure.CLOSED)
        party.delete()
        announce_on_commit(party_id, departed)


def _lock_player(player_id: UUID, now: datetime) -> None:
    player = Player.objects.select_for_update(no_key=True).filter(pk=player_id).first()
    if player is None or player.deleted_at is not None:
        raise PlayerNotFound
    if player.is_banned(now):
        raise PlayerBanned(until=player.banned_until, reason=player.ban_reason)


def _as_text(ruleset: Ruleset) -> str:
    return msgspec.json.encode(as_mapping(ruleset)).decode()


def _under_a_free_code(party: Party) -> Party:
    """Save a new party under a code that no other has; the database decides."""
    for _ in range(CODE_TRIES):
        party.code = new_code()
        if Party.objects.filter(code=party.code).exists():
            continue
        try:
            with transaction.atomic():
                party.save(force_insert=True)
        except IntegrityError:
            if not Party.objects.filter(code=party.code).exists():
                raise
        else:
            return party
    raise NoFreeCode
