"""The only writer of a match: applies what players, clocks and staff do, many matches at once.

One synchronous function in one transaction: lock the rows, move the tables on in memory, write
state and steps with one statement, commit, publish.
"""

from __future__ import annotations

import functools
import logging
import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import ClassVar, assert_never
from uuid import UUID

from django.db import DatabaseError, IntegrityError, transaction
from msgspec import Struct
from msgspec.structs import replace

from ratings.locks import RatingsBusy, share_ratings
from tables import seating as clockwork
from tables.blackjack import codec
from tables.blackjack.actions import ActionName, Refusal
from tables.blackjack.events import ControlReason
from tables.clocks import clocks
from tables.envelope import By
from tables.match_view import MatchView
from tables.metrics import LATENESS
from tables.models import Match, Outage, Seat, Urgency
from tables.party_refusals import InMatch
from tables.selectors.matches import MatchNotFound
from tables.selectors.names import names_for_all
from tables.selectors.presence import sightings_of
from tables.selectors.strategies import StrategyMissing, ready
from tables.services import finish, match_rows, strategies
from tables.services.match_rows import Batch, LockedMatch, Made
from tables.table import CpuHasSeat, Decided, NotYourSeat, StaleVersion, Table

logger = logging.getLogger(__name__)

RETRY_STRATEGY_AFTER = timedelta(milliseconds=200)
"""How soon a match looks again for a strategy that is still being computed."""


class MatchBusy(Exception):
    """Somebody else is moving this match on; nothing was done, and it may be tried again."""

    code: ClassVar[str] = "match_busy"
    retry_after = 1


class ActionIdReused(Exception):
    """This action id was used for another action of the same player in this match."""

    code: ClassVar[str] = "idempotency_key_reused"


class Decide(Struct, frozen=True):
    """A player's decision; `action_id` never acts twice."""

    match_id: UUID
    player_id: UUID
    action: ActionName
    version: int
    amount: int | None = None
    action_id: str | None = None


class Wake(Struct, frozen=True):
    """Look at presence and clock, and do what is due."""

    match_id: UUID


class Arrive(Struct, frozen=True):
    """A player's new connection: like Wake, and it ends idleness (rules.md R11.4)."""

    match_id: UUID
    player_id: UUID


class Leave(Struct, frozen=True):
    """A player's seat goes to the CPU for a reason that no connection ends."""

    match_id: UUID
    player_id: UUID
    reason: ControlReason = ControlReason.LEFT


class Return(Struct, frozen=True):
    """A player asks for the seat that the CPU holds."""

    match_id: UUID
    player_id: UUID


class PlayOut(Struct, frozen=True):
    """Every seat goes to the CPU, so that the match comes to its end; its players are free, and
    none of them is punished for it."""

    match_id: UUID


class Rename(Struct, frozen=True):
    """A player's name has changed; the table shows the new one."""

    match_id: UUID
    player_id: UUID


Item = Decide | Wake | Arrive | Leave | Return | PlayOut | Rename


class Done(Struct, frozen=True):
    """An item's success: the version that it made (or had made), its seat, and the view now."""

    version: int
    seat: int | None = None
    view: MatchView | None = None


Result = Done | Exception

REFUSALS = (Refusal, StaleVersion, CpuHasSeat, NotYourSeat, InMatch, ActionIdReused)
"""What an item may be refused with: nothing has happened then."""


def apply_batch(items: Sequence[Item], *, wait: bool = False) -> list[Result]:
    """Apply `items`, each by itself, and give their results in the same order.

    Items of one match keep their order. A match that somebody else holds is left alone with
    MatchBusy, unless `wait` is set; a refused item raises nothing, its exception is its result.
    What is due by the clock is done before an item is judged. If the write itself fails, every
    match is tried again alone, so that one bad item fails alone.
    """
    groups: dict[UUID, list[int]] = defaultdict(list)
    for index, item in enumerate(items):
        groups[item.match_id].append(index)
    results: list[Result] = [MatchBusy() for _ in items]
    for match_id in _apply_groups(items, groups, results, wait=wait):
        indexes = groups[match_id]
        try:
            _apply_together(items, {match_id: indexes}, results, wait=True, rated=True)
        except RatingsBusy:  # put back, and the other matches go on
            for index in indexes:
                results[index] = MatchBusy()
    return results


def apply_one(item: Item) -> Done:
    """Apply one item, waiting for the match if somebody holds it, and give its result.

    Raises whatever the item is refused with.
    """
    [result] = apply_batch([item], wait=True)
    if isinstance(result, Exception):
        raise result
    return result


def _apply_groups(
    items: Sequence[Item],
    groups: Mapping[UUID, list[int]],
    results: list[Result],
    *,
    wait: bool,
) -> list[UUID]:
    """Apply all groups together, or, if that fails, each alone; gives those that end rated."""
    try:
        return _apply_together(items, groups, results, wait=wait)
    except DatabaseError:
        if len(groups) == 1:
            raise
        logger.exception("a batch failed and is tried again match by match")
    rated: list[UUID] = []
    for match_id, indexes in groups.items():
        try:
            rated += _apply_together(items, {match_id: indexes}, results, wait=wait)
        except DatabaseError as error:
            for index in indexes:
                results[index] = error
    return rated


def _apply_together(
    items: Sequence[Item],
    groups: Mapping[UUID, list[int]],
    results: list[Result],
    *,
    wait: bool,
    rated: bool = False,
) -> list[UUID]:
    """Apply groups in one transaction; gives those that end rated and were left alone."""
    ends_rated: list[UUID] = []
    with transaction.atomic():
        if rated:
            share_ratings()
        batch = match_rows.lock(list(groups), wait=wait)
        match_rows.read_made(
            batch, (item.action_id for item in items if isinstance(item, Decide) and item.action_id)
        )
        moved: list[tuple[LockedMatch, Table]] = []
        for match_id, indexes in groups.items():
            row = batch.rows.get(match_id)
            if row is None:
                missing = wait or not Match.objects.filter(pk=match_id).exists()
                for index in indexes:
                    results[index] = MatchNotFound() if missing else MatchBusy()
                continue
            table = _table(row, batch, rated=rated)
            try:
                outcomes = _move([items[index] for index in indexes], table, row, batch)
            except finish.EndsRated:
                ends_rated.append(match_id)
                continue
            for index, outcome in zip(indexes, outcomes, strict=True):
                results[index] = outcome
            moved.append((row, table))
        match_rows.store(moved, batch.now)
        views = {row.id: match_rows.view_of(row, table, batch.now) for row, table in moved}
        for match_id in views:
            for index in groups[match_id]:
                result = results[index]
                if isinstance(result, Done):
                    results[index] = replace(result, view=views[match_id])
                elif isinstance(result, StaleVersion):
                    result.show(views[match_id])
        match_rows.announce(moved, views, batch.now)
    return ends_rated


def _table(row: LockedMatch, batch: Batch, *, rated: bool) -> Table:
    seating = clockwork.decode(row.seating)
    if not seating.ranked:
        finisher = finish.plain_result
    elif rated:
        finisher = functools.partial(finish.rated_result, row.id, batch.now)
    else:
        finisher = finish.leave_rated
    return Table(
        version=row.version,
        seq=row.seq,
        state=codec.decode(row.state),
        seating=seating,
        clocks=clocks(),
        finish=finisher,
        new_seed=new_seed,
    )


def new_seed() -> bytes:
    """A shoe's seed: 256 bits from the system's secure source (rules.md R3.4)."""
    return secrets.token_bytes(32)


def _move(
    items: Sequence[Item], table: Table, row: LockedMatch, batch: Batch
) -> list[Done | Exception]:
    """Move one table on by what is due and by its items, in order."""
    now = batch.now
    if not table.over:
        _count_outages(table, batch)
    if batch.attended:
        if row.wake_at is not None and row.wake_at <= now:
            LATENESS.observe((now - row.wake_at).total_seconds())
        _look(items, table, row, now)
        _do_what_is_due(table, now)
    outcomes: list[Done | Exception] = []
    for item in items:
        try:
            outcomes.append(_apply_item(item, table, row, batch))
        except REFUSALS as refusal:
            outcomes.append(refusal)
    if batch.attended:
        _do_what_is_due(table, now)
    return outcomes


def _count_outages(table: Table, batch: Batch) -> None:
    if batch.newest_outage is None or batch.newest_outage <= table.seating.outage:
        return
    deadline = table.seating.deadline
    for outage in Outage.objects.filter(pk__gt=table.seating.outage).order_by("pk"):
        table.seating = clockwork.shift(table.seating, outage.pk, outage.began_at, outage.ended_at)
    if table.seating.deadline != deadline:
        table.tell_clock(batch.now)


def _look(items: Sequence[Item], table: Table, row: LockedMatch, now: datetime) -> None:
    """Bring presence up to date where it may have changed; a decision alone changes none."""
    if table.over:
        return
    newly = {str(item.player_id) for item in items if isinstance(item, Arrive)}
    for item in items:
        if not isinstance(item, Decide):
            break
        seat = table.seating.seat_of(str(item.player_id))
        if seat is not None and not table.seating.hold(seat).connected:
            break
    else:
        if row.wake_at is None or row.wake_at > now:
            return
    players = [UUID(hold.player) for hold in table.seating.seats]
    table.see(sightings_of(players, row.id), now, newly)


def _do_what_is_due(table: Table, now: datetime) -> None:
    if table.over:
        return
    ruleset = table.state.ruleset
    try:
        table.do_what_is_due(lambda: ready(ruleset), now)
    except StrategyMissing:
        # It was asked for when the match began; a new solver makes it missing in the middle.
        transaction.on_commit(
            functools.partial(strategies.want, ruleset, Urgency.MATCH), robust=True
        )
        table.retry_at = now + RETRY_STRATEGY_AFTER


def _apply_item(item: Item, table: Table, row: LockedMatch, batch: Batch) -> Done:
    match item:
        case Wake() | Arrive():
            return Done(table.version)
        case PlayOut():
            table.play_out(batch.now)
            Seat.objects.filter(match_id=row.id).update(live=False)
            table.rename(names_for_all(UUID(hold.player) for hold in table.seating.seats))
            return Done(table.version)
        case Rename():
            if not table.over:  # finished ones are shown under present names anyway
                table.rename(names_for_all([item.player_id]))
            return Done(table.version)
    seat = table.seating.seat_of(str(item.player_id))
    if seat is None:
        raise NotYourSeat
    match item:
        case Decide():
            return _decide(item, seat, table, batch)
        case Leave():
            table.leave(seat, item.reason, batch.now)
            Seat.objects.filter(match_id=row.id, number=seat).update(live=False)
            table.rename(names_for_all([item.player_id]))
            return Done(table.version, seat)
        case Return():
            _take_seat_again(item, seat, row, table)
            table.give_back(seat, batch.now)
            return Done(table.version, seat)
    assert_never(item)


def _decide(item: Decide, seat: int, table: Table, batch: Batch) -> Done:
    key = (item.match_id, seat, item.action_id or "")
    made = batch.made.get(key)
    if made is not None:
        if made.payload != _decided(item, seat):
            raise ActionIdReused
        return Done(made.version, seat)
    table.act(
        seat=seat,
        action=item.action,
        amount=item.amount,
        version=item.version,
        now=batch.now,
        action_id=item.action_id,
    )
    if item.action_id:
        batch.made[key] = Made(table.version, _decided(item, seat))
    return Done(table.version, seat)


def _decided(item: Decide, seat: int) -> Decided:
    return Decided(seat, item.action, By.PLAYER, item.amount, item.version, item.action_id)


def _take_seat_again(item: Return, seat: int, row: LockedMatch, table: Table) -> None:
    """Tie the player to this match again, unless another one has them."""
    if table.over or table.seating.hold(seat).reason is not ControlReason.LEFT:
        return
    try:
        with transaction.atomic():
            Seat.objects.filter(match_id=row.id, number=seat).update(live=True)
    except IntegrityError as error:
        other = Seat.objects.filter(player_id=item.player_id, live=True).first()
        raise InMatch(other.match_id if other else None) from error
