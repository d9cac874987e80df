"""How late deadlines are acted on, with the real processes: prints JSON.

`python tests/benchmarks/deadlines.py --per-minute 10000 [--seconds 60]` starts an instance, fills
it with matches whose turns expire at that rate, spread evenly, and reads from the stored steps
when each was acted on. Lateness is counted from the deadline plus its half second.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.instances import Instance

LEAD_SECONDS = 5.0
PATIENCE_SECONDS = 60.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-minute", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="taku-deadlines-") as folder:
        Path(folder).chmod(0o711)
        instance = Instance(Path(folder) / "one")
        instance.start()
        try:
            print(json.dumps(measure(instance, options.per_minute, options.seconds)))
        finally:
            instance.kill()


def measure(instance: Instance, per_minute: int, seconds: float) -> dict[str, object]:
    """Fill the instance with matches that expire, wait, and read how late each was."""
    os.environ["DATA_DIR"] = str(instance.layout.root)
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    import django

    django.setup()
    count = round(per_minute * seconds / 60)
    matches = [_match() for _ in range(count)]
    begin = datetime.now(UTC) + timedelta(seconds=LEAD_SECONDS)
    due = _spread(matches, begin, seconds)
    until = time.monotonic() + LEAD_SECONDS + seconds + PATIENCE_SECONDS
    acted: dict[object, list[datetime]] = {}
    while time.monotonic() < until and len(acted) < count:
        time.sleep(1.0)
        acted = _acted(matches)
    late = sorted(
        (times[0] - due[match_id]).total_seconds() - 0.5 for match_id, times in acted.items()
    )
    return {
        "per_minute": per_minute,
        "deadlines": count,
        "missed": count - len(acted),
        "acted_twice": sum(len(times) > 1 for times in acted.values()),
        "late_seconds": {
            "median": round(statistics.median(late), 3),
            "p99": round(late[int(0.99 * (len(late) - 1))], 3),
            "most": round(late[-1], 3),
        },
    }


def _match() -> object:
    """A match for two in which seat 1 is on turn; both count as connected for an hour."""
    from django.utils import timezone

    from accounts.languages import Language
    from accounts.services.players import make_player
    from tables.blackjack.events import MatchKind
    from tables.blackjack.ruleset import Ruleset
    from tables.models import Presence
    from tables.services.matches import start_match

    now = timezone.now()
    players = [
        make_player(display_name=None, language=Language.ENGLISH, now=now).pk for _ in range(2)
    ]
    ruleset = Ruleset(turn_seconds=60)
    match = start_match(kind=MatchKind.RANKED, ruleset=ruleset, player_ids=players)
    _expires(match.pk, now + timedelta(hours=1))  # not before all are there
    Presence.objects.filter(player__in=players).update(match_seen_at=now + timedelta(hours=1))
    return match.pk


def _spread(matches: list[object], begin: datetime, seconds: float) -> dict[object, datetime]:
    """Put the deadline of each match somewhere evenly within the time."""
    due = {
        match_id: begin + timedelta(seconds=seconds * place / len(matches))
        for place, match_id in enumerate(matches)
    }
    for match_id, deadline in due.items():
        _expires(match_id, deadline)
    return due


def _expires(match_id: object, deadline: datetime) -> None:
    """Put the deadline of a match's turn at a time; nobody is away in it."""
    from msgspec.structs import replace

    from tables import seating as clockwork
    from tables.models import Match

    match = Match.objects.get(pk=match_id)
    seating = replace(clockwork.decode(match.seating), deadline=deadline)
    holds = tuple(replace(hold, rest_until=deadline + timedelta(hours=1)) for hold in seating.seats)
    Match.objects.filter(pk=match_id).update(
        seating=clockwork.encode(replace(seating, seats=holds)),
        wake_at=deadline + timedelta(seconds=0.5),
    )


def _acted(matches: list[object]) -> dict[object, list[datetime]]:
    """When each match's first decision was taken for it; a second one would be a fault."""
    from tables.models import MatchStep

    acted: dict[object, list[datetime]] = {}
    steps = MatchStep.objects.filter(match__in=matches, kind="decision", seat=1)
    for match_id, at in steps.order_by("first_seq").values_list("match_id", "at"):
        acted.setdefault(match_id, []).append(at)
    return acted


if __name__ == "__main__":
    main()
