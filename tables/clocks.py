"""The durations of a table as settings give them, already multiplied by TIME_SCALE."""

from __future__ import annotations

import functools

from django.conf import settings

from tables.seating import Clocks

HEARTBEAT_SECONDS = 5.0
PROCESS_DEAD_AFTER = 15.0
"""Seconds without a heartbeat after which a web process is taken for dead; never scaled."""

SILENT_AFTER = 10.0
"""Seconds without a heartbeat of any web process after which nobody can play: two were missed."""


NOTES_IN_WINDOW = 15
"""REST presence is written at most so often in the time that a request connects its player."""


def noted_every(window: float) -> float:
    """Seconds for which a note of a request is good enough, of the `window` that it connects."""
    return window / NOTES_IN_WINDOW


def note_lasts(window: float) -> float:
    """Seconds for which a note connects a player whose requests each do so for `window`.

    Longer by what the newest request may be younger than its note: so nobody who asks in time
    is away.
    """
    return window + noted_every(window)


@functools.cache
def clocks() -> Clocks:
    """The clocks of rules.md R11 and R12 in force."""
    return Clocks(
        takeover_grace=settings.TAKEOVER_GRACE,
        abandon_after=settings.ABANDON_AFTER,
        solo_abandon_after=settings.SOLO_ABANDON_AFTER,
        cpu_pause=settings.CPU_PAUSE,
        late=settings.LATE_TOLERANCE,
        rest_window=note_lasts(settings.MATCH_PRESENCE),
        turn_scale=settings.TIME_SCALE,
    )
