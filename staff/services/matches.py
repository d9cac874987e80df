"""What staff do to matches, parties and the queue."""

from __future__ import annotations

from contextlib import suppress
from uuid import UUID

from staff.models import Kind, StaffAction
from staff.services.orders import Change, NothingToDo, Order, carry_out
from tables.blackjack.actions import MatchOver
from tables.models import Match, MatchStatus, Party, QueueState, Seat
from tables.party_refusals import PartyNotFound
from tables.selectors.matches import MatchNotFound
from tables.services import parties, queue, verdicts
from tables.services.batch import PlayOut, apply_one


def void_match(order: Order, *, match_id: UUID) -> StaffAction:
    """Let a finished match count no more; its players are told (ratings.md RT3.1).

    Raises `MatchNotFound`, `NotFinished`, `RatingsBusy`, `NothingToDo` if it is void.
    """

    def change(reason: str) -> Change:
        if not verdicts.void_match(
            match_id=match_id, reason=reason, actor=order.actor.get_username(), now=order.now
        ):
            raise NothingToDo
        return _status(match_id, MatchStatus.FINISHED, MatchStatus.VOID)

    return carry_out(order, Kind.VOID_MATCH, change)


def restore_match(order: Order, *, match_id: UUID) -> StaffAction:
    """Let a void match count again, as if it always had; its players are told.

    Raises `MatchNotFound`, `NotFinished`, `RatingsBusy`, `NothingToDo` if it counts.
    """

    def change(reason: str) -> Change:
        if not verdicts.restore_match(
            match_id=match_id, reason=reason, actor=order.actor.get_username(), now=order.now
        ):
            raise NothingToDo
        return _status(match_id, MatchStatus.VOID, MatchStatus.FINISHED)

    return carry_out(order, Kind.RESTORE_MATCH, change)


def end_match(order: Order, *, match_id: UUID) -> StaffAction:
    """Give every seat of a live match to the CPU, which plays it to its end; the players are free
    at once, and none is punished for what the CPU decides. A ranked match is rated as it ends
    (rules.md R11.6): whether it shall count is a second decision, `void_match`.

    Raises `MatchNotFound`, `NothingToDo` if it is over.
    """
    seats = Seat.objects.filter(match=match_id).order_by("number")

    def change(_: str) -> Change:
        match = Match.objects.filter(pk=match_id).only("status", "version").first()
        if match is None:
            raise MatchNotFound
        if match.status != MatchStatus.PLAYING:
            raise NothingToDo
        still = list(seats.filter(live=True).values_list("number", flat=True))
        return Change(
            target=str(match_id),
            match=match_id,
            before={"version": match.version, "seats": still},
            after={"seats": []},
        )

    action = carry_out(order, Kind.END_MATCH, change)
    with suppress(MatchOver):  # it has ended meanwhile, as it was to
        apply_one(PlayOut(match_id))
    return action


def close_party(order: Order, *, party_id: UUID) -> StaffAction:
    """End a party; its members are told, its match goes on. Raises `PartyNotFound`."""

    def change(_: str) -> Change:
        party = Party.objects.filter(pk=party_id).first()
        if party is None:
            raise PartyNotFound
        members = [str(member.player_id) for member in party.members.all()]
        code = party.code
        parties.close_party(party_id=party_id)
        return Change(
            target=code, before={"party": str(party_id), "members": members}, after={"members": []}
        )

    return carry_out(order, Kind.CLOSE_PARTY, change)


def close_queue(order: Order) -> StaffAction:
    """Let nobody into the ranked queue, and send everybody home with the reason."""
    action = carry_out(order, Kind.CLOSE_QUEUE, lambda _: _queue(closed=True))
    if QueueState.objects.filter(closed=True).exists():
        queue.close_queue()
    return action


def open_queue(order: Order) -> StaffAction:
    """Let people search again."""

    def change(_: str) -> Change:
        changed = _queue(closed=False)
        queue.open_queue()
        return changed

    return carry_out(order, Kind.OPEN_QUEUE, change)


def _queue(*, closed: bool) -> Change:
    state, _ = QueueState.objects.get_or_create(id=1)
    if state.closed is closed:
        raise NothingToDo
    QueueState.objects.filter(id=1).update(closed=closed)
    return Change(target="queue", before={"closed": not closed}, after={"closed": closed})


def _status(match_id: UUID, before: MatchStatus, after: MatchStatus) -> Change:
    return Change(
        target=str(match_id),
        match=match_id,
        before={"status": before.value},
        after={"status": after.value},
    )
