"""Reading matches: who may see which, as a view, as events, as settled rounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar
from uuid import UUID

import msgspec
from django.db import connection
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet
from django.utils.translation import gettext
from msgspec import Raw, Struct
from msgspec.structs import replace

from tables import seating as clockwork
from tables.blackjack import codec
from tables.blackjack.events import SeatedPlayer
from tables.blackjack.fairness import ShoeRecord, shoe_records
from tables.clocks import clocks
from tables.hub import Known, MatchMessage, Missed
from tables.match_view import MatchView, match_view, presence_of, seen_by
from tables.messages import events_message, joined, presence_message, seconds_until
from tables.models import Match, MatchKind, MatchRound, MatchShare, MatchStatus, MatchStep, Seat
from tables.seating import Seating
from tables.selectors.clock import database_now
from tables.selectors.names import names_of
from tables.selectors.results import result_of

MOST_EVENTS = 5000
"""So many events at most are given at once; whoever wants more asks on from the last."""


class MatchNotFound(LookupError):
    """There is no such match, or this viewer may not watch it."""

    code: ClassVar[str] = "match_not_found"


class MatchNotOver(Exception):
    """The match is still being played."""

    code: ClassVar[str] = "match_not_over"


class Sight(Struct, frozen=True):
    """A match as one viewer may see it: under which id, from which seat, with names or without."""

    match: Match
    shown_id: UUID
    seat: int | None
    nameless: bool


def sight_of(*, match_id: UUID, viewer_id: UUID | None) -> Sight:
    """Find a match, or the share alias of one, for a viewer (api.md, Reading without an account).

    Finished ones are for whoever has the id; live ones for their players, and for everybody where
    they are watchable. Raises MatchNotFound.
    """
    match = Match.objects.filter(pk=match_id).first()
    if match is None:
        share = MatchShare.objects.select_related("match").filter(pk=match_id).first()
        if share is None or not may_be_shown_around(share.match):
            raise MatchNotFound
        return Sight(share.match, share.pk, None, True)
    seat = None
    if viewer_id is not None:
        seat = (
            Seat.objects.filter(match=match, player_id=viewer_id)
            .values_list("number", flat=True)
            .first()
        )
    if seat is None and match.status == MatchStatus.PLAYING and not match.watchable:
        raise MatchNotFound
    return Sight(match, match.pk, seat, False)


def may_be_shown_around(match: Match) -> bool:
    """Whether a match may have an alias: not while it is played unseen by others."""
    return match.status != MatchStatus.PLAYING or match.watchable or match.kind == MatchKind.SOLO


def view_of(sight: Sight) -> MatchView:
    """The view of a match for the viewer of `sight`, `you` included."""
    match = sight.match
    state = codec.decode(match.state)
    seating = _named(clockwork.decode(match.seating), nameless=sight.nameless)
    view = match_view(
        match_id=sight.shown_id,
        kind=match.kind,
        status=match.status,
        version=match.version,
        seq=match.seq,
        watchable=match.watchable,
        watchers=match.watchers,
        state=state,
        seating=seating,
        clocks=clocks(),
        now=database_now(),
        result=result_of(match.pk, match.kind, state),
    )
    return seen_by(view, sight.seat)


def _named(seating: Seating, *, nameless: bool) -> Seating:
    """The seating under the players' present names, or with seats instead of names."""
    if nameless:
        seats = tuple(
            replace(hold, player="", display_name=gettext("Seat %d") % number, tag="")
            for number, hold in enumerate(seating.seats, start=1)
        )
        return replace(seating, seats=seats)
    names = names_of(UUID(hold.player) for hold in seating.seats)
    seats = tuple(
        replace(hold, display_name=names[hold.player][0], tag=names[hold.player][1])
        for hold in seating.seats
    )
    return replace(seating, seats=seats)


def events_after(sight: Sight, seq: int) -> tuple[Raw, int]:
    """The events of a match after `seq` as a JSON array, and the number of the last one given.

    At most MOST_EVENTS, in whole steps, and none past the state in which `sight` has the match.
    """
    steps: list[str] = []
    last = max(seq, 0)
    rows = (
        MatchStep.objects.filter(match=sight.match, last_seq__gt=seq, last_seq__lte=sight.match.seq)
        .order_by("first_seq")
        .values_list("first_seq", "last_seq", "events")
    )
    for first_seq, last_seq, events in rows.iterator(chunk_size=500):
        if last_seq - seq > MOST_EVENTS and steps:
            break
        text = _with_names(events, sight) if first_seq == 1 else events
        if first_seq <= seq:
            text = _cut(text, seq)
        steps.append(text)
        last = last_seq
    return Raw(joined(steps).encode()), last


def _cut(events: str, seq: int) -> str:
    kept = [event for event in msgspec.json.decode(events) if event["seq"] > seq]
    return msgspec.json.encode(kept).decode()


def _with_names(events: str, sight: Sight) -> str:
    """The first step with its players' present names: names are stored nowhere for ever."""
    seating = _named(clockwork.decode(sight.match.seating), nameless=sight.nameless)
    told = msgspec.json.decode(events)
    for seat, hold in zip(told[0]["seats"], seating.seats, strict=True):
        seat["player"] = SeatedPlayer(hold.player or None, hold.display_name, hold.tag)
    return msgspec.json.encode(told).decode()


_STANDS = """
SELECT id, seq, news, extract(epoch FROM wake_at - clock_timestamp())::float
FROM tables_match WHERE id = ANY(%s)
"""


def news_of(known: Mapping[UUID, Known]) -> Missed:
    """What has been missed of matches of which so much was told, and when each is due.

    A message for each of them that has moved on, or where it has changed who is there.
    """
    with connection.cursor() as cursor:
        cursor.execute(_STANDS, [list(known)])
        stands = cursor.fetchall()
    behind = [
        match_id
        for match_id, seq, news, _ in stands
        if seq > known[match_id].seq or news > known[match_id].news
    ]
    messages = []
    for match in Match.objects.filter(pk__in=behind):
        messages.append(_message_after(match, max(0, known[match.pk].seq)))
    return Missed(messages, {match_id: wake_in for match_id, _, _, wake_in in stands})


def _message_after(match: Match, seq: int) -> MatchMessage:
    """What has happened in a match after an event, or, if nothing, who is there now."""
    wake_in = seconds_until(match.wake_at, database_now())
    if match.seq <= seq:
        seats = presence_of(clockwork.decode(match.seating), clocks())
        return presence_message(
            match.pk,
            seats,
            seq=match.seq,
            version=match.version,
            wake_in=wake_in,
            news=match.news,
        )
    sight = Sight(match, match.pk, None, False)
    view = replace(view_of(sight), you=msgspec.UNSET)
    steps = MatchStep.objects.filter(match=match, first_seq__gt=seq, last_seq__lte=match.seq)
    events = list(steps.order_by("first_seq").values_list("events", flat=True))
    if events and seq == 0:
        events[0] = _with_names(events[0], sight)
    return events_message(view, seq + 1, events, wake_in=wake_in, news=match.news)


def took_no_decision(sight: Sight) -> bool:
    """Whether the CPU took every decision of the viewer's seat in a match that is over."""
    seats = sight.match.seats.filter(own_decisions=0)
    return sight.seat is not None and seats.filter(number=sight.seat).exists()


def rounds_of(match: Match) -> list[Raw]:
    """The settled rounds of a match, as `rounds` of engine-cli.md."""
    records = MatchRound.objects.filter(match=match).order_by("number")
    return [Raw(record.encode()) for record in records.values_list("record", flat=True)]


# The public record


def told_until_now(sight: Sight, after: int) -> Raw:
    """The events of a match from `after` up to those of the row that was read, as a JSON array.

    All of them: a match has some thousand at most.
    """
    steps = MatchStep.objects.filter(
        match=sight.match, last_seq__gt=after, last_seq__lte=sight.match.seq
    )
    texts: list[str] = []
    for first_seq, events in steps.order_by("first_seq").values_list("first_seq", "events"):
        text = _with_names(events, sight) if first_seq == 1 else events
        texts.append(_cut(text, after) if first_seq <= after else text)
    return Raw(joined(texts).encode())


def shoes_of(match: Match) -> tuple[ShoeRecord, ...]:
    """Every shoe of a match, from its public events alone (rules.md R3.4)."""
    steps = MatchStep.objects.filter(match=match).order_by("first_seq")
    told = (
        event
        for text in steps.values_list("events", flat=True)
        for event in codec.decode_events(text)
    )
    decks: int = msgspec.json.decode(match.rules)["decks"]
    return shoe_records(decks, told)


# Lists


def live_matches(*, viewer_id: UUID | None) -> QuerySet[Match]:
    """The live matches that this viewer may watch, with who sits there."""
    seen = Q(watchable=True)
    if viewer_id is not None:
        seen |= Q(Exists(Seat.objects.filter(match=OuterRef("pk"), player=viewer_id)))
    return Match.objects.filter(seen, status=MatchStatus.PLAYING).prefetch_related(
        Prefetch("seats", Seat.objects.order_by("number").select_related("player"))
    )


def live_match_id(player_id: UUID) -> UUID | None:
    """The live match that a player has a seat at and has not left."""
    return (
        Seat.objects.filter(player_id=player_id, live=True)
        .values_list("match_id", flat=True)
        .first()
    )
