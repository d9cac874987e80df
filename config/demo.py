"""Demo content for an empty board alone: of everything that players and staff can see, a little."""

import random
import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID, uuid4

import msgspec
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.utils import timezone

from accounts.languages import Language
from accounts.models import AnnouncementLevel, Device, Player
from accounts.services.blocks import block
from accounts.services.devices import add_device
from accounts.services.players import make_player
from ratings.elo import Pace
from ratings.services import running_season
from ratings.services.fair_play import look_at_matches
from staff.models import RunKind
from staff.services import matches as staff_matches
from staff.services import players as staff_players
from staff.services import ratings as staff_ratings
from staff.services import words as staff_words
from staff.services.orders import Order
from tables.blackjack.events import MatchKind
from tables.blackjack.ruleset import Ruleset
from tables.models import Match, MatchStep, Offence, Report, ReportReason, ReportState
from tables.selectors.matches import sight_of, view_of
from tables.services import queue
from tables.services.batch import Decide, apply_one
from tables.services.matches import start_match
from tables.services.parties import create_party
from tables.services.penalties import punish
from tables.services.reports import report

NAMES: Final = (
    *("さくら", "Taro", "みなと", "Hana", "ゆき", "Ken", "あおい", "Mika"),
    *("そら", "Jun", "ひなた", "Emi"),
)
RANKED_MATCHES: Final = 60
"""So many that most of the players have played the 20 that a board asks for."""
SPREAD: Final = timedelta(weeks=4)
"""Over so long the ranked matches were played."""
RULES: Final = Ruleset(rounds=2, turn_seconds=30)


class NotEmpty(Exception):
    """There are players already: a real board never gets demo content."""


def fill(*, ranked_matches: int = RANKED_MATCHES, seed: int = 1) -> None:
    """Make players and have them play over the last weeks, and staff look after them, all through
    the services. Staff must be there. Raises `NotEmpty`.
    """
    if Player.objects.exists():
        raise NotEmpty
    dice = random.Random(seed)  # noqa: S311  (no secret)
    now = timezone.now()
    running_season(now=now - SPREAD - timedelta(days=1))
    players = _make_players(dice, now)
    for number in range(ranked_matches):
        table = [
            players[(number * 5 + seat * (1 + number % 3)) % len(players)] for seat in range(4)
        ]
        match_id = _play(list(dict.fromkeys(table)), MatchKind.RANKED, dice)
        _move_back(match_id, SPREAD * (1 - number / ranked_matches))
    look_at_matches(finished_after=now - SPREAD, now=now)
    last = _play(players[:3], MatchKind.PARTY, dice)
    _play(players[:1], MatchKind.SOLO, dice)
    for by, whom, text in ((1, 2, "毎回待たされました。"), (0, 2, "Very slow.")):
        report(
            reporter_id=players[by],
            player_id=players[whom],
            match_id=last,
            reason=ReportReason.STALLING,
            text=text,
            now=now,
        )
    start_match(player_ids=players[5:8], kind=MatchKind.RANKED, ruleset=RULES)
    start_match(player_ids=players[8:10], kind=MatchKind.PARTY, ruleset=RULES)
    create_party(player_id=players[4], now=now)
    queue.enter(player_id=players[3], now=now)
    for _ in range(2):  # the first is only counted
        punish(player_ids=[players[2]], offence=Offence.DECLINED, now=now)
    block(player=Player.objects.get(pk=players[1]), blocked_id=players[2], now=now)
    _have_staff_act(players, now)


def _make_players(dice: random.Random, now: datetime) -> list[UUID]:
    browsers = [uuid4() for _ in NAMES]
    browsers[1] = browsers[0]  # which is flagged
    players = []
    for name, browser in zip(NAMES, browsers, strict=True):
        since = now - SPREAD - timedelta(days=dice.randrange(1, 30))
        player = make_player(display_name=name, language=Language.JAPANESE, now=since)
        device = add_device(player=player, browser=browser, label="Firefox, Linux", now=since)
        Device.objects.filter(pk=device.pk).update(last_used_at=now)
        players.append(player.pk)
    return players


def _have_staff_act(players: Sequence[UUID], now: datetime) -> None:
    """Some of what staff do, so that the audit and the players' notices have content."""
    actor = User.objects.filter(is_staff=True).earliest("pk")

    def order(reason: str) -> Order:
        return Order(actor=actor, request=uuid4(), reason=reason, now=now)

    staff_words.announce(
        order("デモの説明"),
        level=AnnouncementLevel.INFO,
        text_ja="これはデモです。対戦の記録は作りものです。",
        text_en="This is a demo: its matches are made up.",
        starts_at=now,
        ends_at=None,
        restart_at=None,
    )
    staff_players.note(order("問い合わせあり。様子を見る。"), player_id=players[2])
    staff_players.ban(
        order("Stalls on purpose"), player_id=players[-1], until=now + timedelta(days=7)
    )
    rated = Match.objects.filter(kind=MatchKind.RANKED, finished_at__isnull=False)
    staff_matches.void_match(order("サーバーの不具合のため"), match_id=rated.latest("id").pk)
    confirmed = Report.objects.earliest("id")
    staff_words.decide_report(
        order("記録を確認した。"), report_id=confirmed.pk, state=ReportState.CONFIRMED
    )
    staff_ratings.start_run(order("週の点検"), kind=RunKind.CHECK, send=int)
    staff_ratings.plan_season(
        order("Next month"), starts_at=now + timedelta(days=30), ends_at=None, pace=Pace()
    )


_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")
_MOVES: Final = (
    "UPDATE tables_match SET id = %(new)s, started_at = started_at - %(by)s,"
    " finished_at = finished_at - %(by)s WHERE id = %(old)s",
    "UPDATE tables_seat SET match_id = %(new)s, started_at = started_at - %(by)s,"
    " finished_at = finished_at - %(by)s WHERE match_id = %(old)s",
    "UPDATE tables_matchstep SET match_id = %(new)s WHERE match_id = %(old)s",
    "UPDATE tables_matchround SET match_id = %(new)s WHERE match_id = %(old)s",
    "UPDATE tables_presence SET match_id = %(new)s WHERE match_id = %(old)s",
    "UPDATE ratings_rating SET last_at = last_at - %(by)s WHERE player_id IN"
    " (SELECT player_id FROM tables_seat WHERE match_id = %(new)s)",
    "UPDATE ratings_ratedmatch SET match_id = %(new)s, finished_at = finished_at - %(by)s"
    " WHERE match_id = %(old)s",
)


def _move_back(match_id: UUID, by: timedelta) -> None:
    """Let a match that has just ended have been played earlier, its id included, which sorts by
    time. Matches play by the database's clock, so that this is how they come to be spread."""
    low = match_id.int & ((1 << 80) - 1)
    made = (match_id.int >> 80) - by // timedelta(milliseconds=1)
    given: dict[str, Any] = {"old": match_id, "new": UUID(int=made << 80 | low), "by": by}
    with transaction.atomic(), connection.cursor() as cursor:
        for move in _MOVES:
            cursor.execute(move, given)
        steps = list(MatchStep.objects.filter(match=given["new"]))
        for step in steps:
            step.at -= by
            step.events = _TIME.sub(lambda time: _earlier(time[0], by), step.events)
        MatchStep.objects.bulk_update(steps, ["at", "events"])


def _earlier(time: str, by: timedelta) -> str:
    """A time as events have it, moved back."""
    return msgspec.json.encode(datetime.fromisoformat(time) - by).decode().strip('"')


def _play(players: Sequence[UUID], kind: MatchKind, dice: random.Random) -> UUID:
    """Play a match to its end with decisions by chance."""
    match = start_match(player_ids=list(players), kind=kind, ruleset=RULES)
    view = view_of(sight_of(match_id=match.pk, viewer_id=players[0]))
    while view.to_act is not None:
        turn = view.to_act
        offer = dice.choice(turn.legal)
        amount = None
        if offer.min is not None and offer.max is not None:
            amount = dice.randrange(offer.min, min(offer.max, 200) + 1, offer.step or 1)
        seated = view.seats[turn.seat - 1].player
        decision = Decide(match.pk, UUID(seated.id), offer.action, view.version, amount)
        after = apply_one(decision).view
        if after is None:
            break
        view = after
    return match.pk
