"""Starting a match: for a party, alone, or from the ranked queue."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from datetime import timedelta
from uuid import UUID

import msgspec
from django.db import IntegrityError, transaction

from accounts.ids import new_id
from tables.blackjack import codec
from tables.blackjack.events import MatchKind
from tables.blackjack.ruleset import Ruleset, as_mapping
from tables.clocks import clocks
from tables.hub import match_poke, publish
from tables.models import Match, MatchStep, Outage, Party, Presence, Seat, Urgency
from tables.party_refusals import InMatch
from tables.seating import SeatHold, encode
from tables.selectors.clock import database_now
from tables.selectors.names import names_for_all
from tables.selectors.presence import sightings_of
from tables.services import finish, strategies
from tables.services.batch import new_seed
from tables.table import open_table


@transaction.atomic
def start_match(
    *,
    kind: MatchKind,
    ruleset: Ruleset,
    player_ids: Sequence[UUID],
    party: Party | None = None,
    came_with: Mapping[UUID, UUID] | None = None,
    watchable: bool = False,
    quality: float | None = None,
) -> Match:
    """Begin a match; `player_ids` are in seat order, `came_with` the parties of a ranked match.

    Whoever calls for a party holds the party's row. Raises InMatch if a player has another live
    match; the database decides, so it holds however many start at once.
    """
    now = database_now()
    names = names_for_all(player_ids)
    sightings = sightings_of(player_ids, None)
    window = now + timedelta(seconds=clocks().rest_window)
    holds = []
    for player_id in player_ids:
        name, tag = names[str(player_id)]
        socket = sightings[str(player_id)].socket
        holds.append(SeatHold(str(player_id), name, tag, rest_until=None if socket else window))
    outage = Outage.objects.order_by("-pk").values_list("pk", flat=True).first()
    table = open_table(
        kind=kind,
        ruleset=ruleset,
        holds=holds,
        outage=outage or 0,
        clocks=clocks(),
        finish=finish.plain_result,
        new_seed=new_seed,
        now=now,
    )
    match = Match(
        id=new_id(),
        kind=kind.value,
        version=table.version,
        seq=table.seq,
        rules=msgspec.json.encode(as_mapping(ruleset)).decode(),
        state=codec.encode(table.state),
        seating=encode(table.seating),
        wake_at=table.wake_at,
        party=party,
        watchable=watchable or kind is MatchKind.RANKED,
        quality=quality,
        started_at=now,
    )
    match.save(force_insert=True)
    parties = came_with or (dict.fromkeys(player_ids, party.pk) if party else {})
    in_lock_order = sorted(enumerate(player_ids, start=1), key=lambda numbered: numbered[1])
    try:
        with transaction.atomic():
            Seat.objects.bulk_create(
                Seat(
                    match=match,
                    number=number,
                    player_id=player_id,
                    party_id=parties.get(player_id),
                    kind=kind.value,
                    started_at=now,
                )
                for number, player_id in in_lock_order
            )
    except IntegrityError as error:
        other = Seat.objects.filter(player__in=player_ids, live=True).first()
        raise InMatch(other.match_id if other else None) from error
    # Who has no socket counts as seen at the start, like after any request for the match.
    by_rest = [player_id for player_id in player_ids if not sightings[str(player_id)].socket]
    Presence.objects.bulk_create(
        (Presence(player_id=each, match=match, match_seen_at=now) for each in sorted(by_rest)),
        update_conflicts=True,
        unique_fields=["player"],
        update_fields=["match", "match_seen_at"],
    )
    for step in table.steps:
        MatchStep.objects.create(match=match, **msgspec.structs.asdict(step))
    strategies.want(ruleset, Urgency.MATCH)
    news = [match_poke(player_id, match.pk) for player_id in player_ids]
    transaction.on_commit(functools.partial(publish, news))
    return match
