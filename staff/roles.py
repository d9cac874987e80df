"""The roles: groups of Django's, each with no more rights than its work needs.

The migrations make them; staff get a role by being put into its group.
"""

from __future__ import annotations

from typing import Final

from staff.models import Kind

READ: Final = (
    *("accounts.player", "accounts.device", "accounts.notice", "accounts.block"),
    "accounts.announcement",
    *("tables.match", "tables.party", "tables.ticket", "tables.penalty", "tables.report"),
    *("ratings.season", "ratings.ratedmatch", "ratings.flag"),
    *("staff.staffaction", "staff.ratingrun"),
)
"""What every role may look at."""

_SUPPORT: Final = frozenset({Kind.NOTE, Kind.SIGN_OUT})
_MODERATOR: Final = _SUPPORT | {
    *(Kind.RENAME, Kind.BAN, Kind.UNBAN, Kind.LIFT_PENALTY, Kind.CLOSE_PARTY, Kind.END_MATCH),
    *(Kind.DECIDE_REPORT, Kind.DECIDE_FLAG),
}
_RATING_KEEPER: Final = frozenset(
    {
        *(Kind.NOTE, Kind.VOID_MATCH, Kind.RESTORE_MATCH),
        *(Kind.CHECK_RATINGS, Kind.RECOMPUTE_RATINGS, Kind.PLAN_SEASON, Kind.CHANGE_SEASON),
    }
)

ROLES: Final[dict[str, frozenset[Kind]]] = {
    "support": _SUPPORT,
    "moderator": frozenset(_MODERATOR),
    "rating keeper": _RATING_KEEPER,
    "administrator": frozenset(Kind),
}
"""What each role may do."""

MANAGE: Final = ("auth.view_user", "auth.add_user", "auth.change_user", "auth.view_group")
"""What an administrator may do besides: give people their roles."""
