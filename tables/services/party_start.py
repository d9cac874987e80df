"""Starting a party's match: once, however often and fast it is asked for."""

from uuid import UUID

from django.db import transaction
from msgspec import Struct

from accounts.models import Player
from tables.blackjack.events import MatchKind
from tables.models import Party, PartyMember
from tables.party_refusals import InMatch, NotEveryoneReady
from tables.selectors.parties import live_match_of_party, live_matches_of, rules_of
from tables.services.matches import start_match
from tables.services.party_changes import hosted_party, record_change


class Started(Struct, frozen=True):
    """The party's match, and whether this call made it."""

    match_id: UUID
    is_new: bool


@transaction.atomic
def start_party(*, code: str, player_id: UUID) -> Started:
    """As the host, begin the match, or give the one that is being played.

    All others must be ready; alone one may always start. Seats are in the order of joining
    (`rules.md R1.1`), and all ready marks are taken away. Raises `PartyNotFound`, `NotHost`,
    `NotEveryoneReady`, `InMatch`.
    """
    party = hosted_party(code, player_id)
    live = live_match_of_party(party.pk)
    if live is not None:
        return Started(live, is_new=False)
    members = list(party.members.all())
    if not all(member.ready or member.player_id == player_id for member in members):
        raise NotEveryoneReady
    return Started(begin(party, members, asking=player_id), is_new=True)


def begin(party: Party, members: list[PartyMember], *, asking: UUID) -> UUID:
    """Begin the match of a held party that has none. Raises `InMatch`."""
    player_ids = [member.player_id for member in members]
    list(Player.objects.select_for_update(no_key=True).filter(pk__in=player_ids).order_by("pk"))
    playing = live_matches_of(player_ids)
    if playing:
        raise InMatch(playing.get(asking))
    match = start_match(
        kind=MatchKind.PARTY if len(members) > 1 else MatchKind.SOLO,
        ruleset=rules_of(party),
        player_ids=player_ids,
        party=party,
        watchable=party.watchable,
    )
    party.members.update(ready=False)
    record_change(party)
    return match.pk
