"""All that is stored here about one player: matches, party, ticket, and when they were there."""

from __future__ import annotations

from collections import defaultdict
from typing import Any
from uuid import UUID

import msgspec
from django.db.models import F, Q
from django.forms.models import model_to_dict

from tables.models import (
    Connection,
    MatchStep,
    PartyKick,
    PartyMember,
    Penalty,
    Presence,
    Report,
    Seat,
    SeatStatistics,
    StepKind,
    TicketMember,
)


def export_of(player_id: UUID) -> dict[str, Any]:
    """Give it as plain values, in a number of queries that does not grow with the matches.

    Of a match it is the player's own seat: how it ended, its figures, and what was decided there.
    """
    return {
        "party": _party(player_id),
        "parties_kicked_from": list(
            PartyKick.objects.filter(player_id=player_id).order_by("id").values("party_id", "at")
        ),
        "ticket": TicketMember.objects.filter(player_id=player_id)
        .values("ticket_id", "ticket__since", "ticket__party_id", "browsers", "accepted")
        .first(),
        "penalties": list(
            Penalty.objects.filter(player_id=player_id)
            .order_by("id")
            .values("offence", "at", "until")
        ),
        "reports_made": list(
            Report.objects.filter(reporter=player_id)
            .order_by("id")
            .values("match_id", "reason", "text", "created_at")
        ),
        "reports_about": list(
            Report.objects.filter(player=player_id)
            .order_by("id")
            .values("match_id", "reason", "created_at")
        ),
        "presence": Presence.objects.filter(player_id=player_id)
        .values("gone_at", "match_id", "match_seen_at", "party_seen_at", "queue_seen_at")
        .first(),
        "connections": list(
            Connection.objects.filter(player_id=player_id).order_by("opened_at").values("opened_at")
        ),
        "matches": _matches(player_id),
    }


def _party(player_id: UUID) -> dict[str, Any] | None:
    member = PartyMember.objects.filter(player_id=player_id).select_related("party").first()
    if member is None:
        return None
    return {
        "id": member.party_id,
        "code": member.party.code,
        "host": member.party.host_id == player_id,
        "joined_at": member.joined_at,
        "ready": member.ready,
        "connected": member.connected,
    }


def _matches(player_id: UUID) -> list[dict[str, Any]]:
    decisions = _decisions(player_id)
    figures = {
        row.seat_id: model_to_dict(row, exclude=("seat", "player"))
        for row in SeatStatistics.objects.filter(player_id=player_id)
    }
    seats = Seat.objects.filter(player_id=player_id).order_by("started_at", "match_id")
    return [
        {
            "id": seat.match_id,
            "kind": seat.kind,
            "status": seat.match.status,
            "seat": seat.number,
            "party": seat.party_id,
            "started_at": seat.started_at,
            "finished_at": seat.finished_at,
            "place": seat.place,
            "outcome": seat.outcome,
            "chips": seat.chips,
            "own_decisions": seat.own_decisions,
            "cpu_decisions": seat.cpu_decisions,
            "statistics": figures.get(seat.pk),
            "steps": decisions[seat.match_id],
        }
        for seat in seats.select_related("match").defer("match__state", "match__seating")
    ]


def _decisions(player_id: UUID) -> dict[UUID, list[dict[str, Any]]]:
    """By match: every decision at the player's seat, with the version that it was made for, and
    every change of who decides there."""
    found: dict[UUID, list[dict[str, Any]]] = defaultdict(list)
    steps = MatchStep.objects.filter(
        Q(kind=StepKind.DECISION) | Q(kind=StepKind.CONTROL),
        match__seats__player=player_id,
        match__seats__number=F("seat"),
    ).order_by("match_id", "first_seq")
    for match_id, version, at, payload in steps.values_list(
        "match_id", "version", "at", "payload"
    ).iterator():
        done = msgspec.json.decode(payload)
        done.pop("seat")
        made_for = done.pop("version", None)
        found[match_id].append({"version": version, "at": at, **done, "made_for": made_for})
    return found
