"""Which role may do what, proven by doing all of it, and that the record cannot be changed."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.db import DatabaseError, transaction
from django.utils import timezone

from accounts.models import AnnouncementLevel, Player
from ratings.elo import Pace
from ratings.models import FlagState
from staff.models import Kind, RunKind, StaffAction
from staff.roles import ROLES
from staff.services import matches, players, ratings, words
from staff.services.orders import NothingToDo, NotPermitted, Order, ReasonMissing
from tables.models import ReportState
from tables.party_refusals import PartyNotFound

SUPPORT = {Kind.NOTE, Kind.SIGN_OUT}
MODERATOR = SUPPORT | {
    *(Kind.RENAME, Kind.BAN, Kind.UNBAN, Kind.LIFT_PENALTY, Kind.CLOSE_PARTY, Kind.END_MATCH),
    *(Kind.DECIDE_REPORT, Kind.DECIDE_FLAG),
}
RATING_KEEPER = {
    *(Kind.NOTE, Kind.VOID_MATCH, Kind.RESTORE_MATCH, Kind.CHECK_RATINGS),
    *(Kind.RECOMPUTE_RATINGS, Kind.PLAN_SEASON, Kind.CHANGE_SEASON),
}
EXPECTED = {
    "support": SUPPORT,
    "moderator": MODERATOR,
    "rating keeper": RATING_KEEPER,
    "administrator": set(Kind),
}
NOBODY = UUID(int=7)


def call(kind: Kind, order: Order) -> object:
    """Order one action of this kind, of somebody and something that is not there."""
    now = timezone.now()
    said = {"text_ja": "あ", "text_en": "a", "starts_at": now, "ends_at": None, "restart_at": None}
    calls = {
        Kind.NOTE: lambda: players.note(order, player_id=NOBODY),
        Kind.SIGN_OUT: lambda: players.sign_out(order, player_id=NOBODY),
        Kind.RENAME: lambda: players.rename(order, player_id=NOBODY, display_name=None),
        Kind.BAN: lambda: players.ban(order, player_id=NOBODY, until=None),
        Kind.UNBAN: lambda: players.unban(order, player_id=NOBODY),
        Kind.LIFT_PENALTY: lambda: players.lift_penalty(order, player_id=NOBODY),
        Kind.CLOSE_PARTY: lambda: matches.close_party(order, party_id=NOBODY),
        Kind.END_MATCH: lambda: matches.end_match(order, match_id=NOBODY),
        Kind.DECIDE_REPORT: lambda: words.decide_report(
            order, report_id=NOBODY, state=ReportState.DISMISSED
        ),
        Kind.DECIDE_FLAG: lambda: words.decide_flag(
            order, flag_id=NOBODY, state=FlagState.DISMISSED
        ),
        Kind.VOID_MATCH: lambda: matches.void_match(order, match_id=NOBODY),
        Kind.RESTORE_MATCH: lambda: matches.restore_match(order, match_id=NOBODY),
        Kind.CHECK_RATINGS: lambda: ratings.start_run(order, kind=RunKind.CHECK, send=int),
        Kind.RECOMPUTE_RATINGS: lambda: ratings.start_run(order, kind=RunKind.RECOMPUTE, send=int),
        Kind.PLAN_SEASON: lambda: ratings.plan_season(
            order, starts_at=now + timedelta(days=1), ends_at=None, pace=Pace()
        ),
        Kind.CHANGE_SEASON: lambda: ratings.change_season(order, closing=99),
        Kind.ANNOUNCE: lambda: words.announce(order, level=AnnouncementLevel.INFO, **said),
        Kind.WITHDRAW: lambda: words.withdraw(order, announcement_id=NOBODY),
        Kind.CLOSE_QUEUE: lambda: matches.close_queue(order),
        Kind.OPEN_QUEUE: lambda: matches.open_queue(order),
    }
    return calls[kind]()


SERVED = list(Kind)


@pytest.mark.django_db
@pytest.mark.parametrize("role", ROLES)
def test_each_role_may_do_what_it_is_for_and_nothing_else(role, order):
    assert EXPECTED[role] == ROLES[role]
    for kind in SERVED:
        refused = False
        try:
            with transaction.atomic():
                call(kind, order(role))
                transaction.set_rollback(True)
        except NotPermitted:
            refused = True
        except (LookupError, NothingToDo, PartyNotFound):  # it was let in, and found nobody
            pass
        assert refused is (kind not in EXPECTED[role]), kind


@pytest.mark.django_db
def test_the_migrations_have_made_the_roles():
    """As the database is after migrating, before anything else has run."""
    for name, kinds in EXPECTED.items():
        given = set(
            Group.objects.get(name=name)
            .permissions.filter(content_type__app_label="staff")
            .exclude(codename__startswith="view_")
            .values_list("codename", flat=True)
        )
        assert given == {kind.value for kind in kinds}
    changing = Permission.objects.filter(group__isnull=False).exclude(
        content_type__app_label__in=["staff", "auth"]
    )
    assert all(one.codename.startswith("view_") for one in changing)


@pytest.mark.django_db
@pytest.mark.parametrize("what", ["no staff", "inactive", "superuser without staff"])
def test_who_is_no_staff_may_do_nothing(what, order, staff_of):
    user = staff_of("administrator")
    if what == "inactive":
        user.is_active = False
    else:
        user.is_staff = False
        user.is_superuser = what.startswith("superuser")
    user.save()
    given = Order(
        actor=User.objects.get(pk=user.pk), request=uuid4(), reason="x", now=timezone.now()
    )
    for kind in SERVED:
        with pytest.raises(NotPermitted):
            call(kind, given)
    assert not StaffAction.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("reason", ["", "   ", "x" * 301])
def test_every_action_needs_a_reason(reason, order):
    for kind in SERVED:
        with pytest.raises(ReasonMissing):
            call(kind, order(reason=reason))


@pytest.mark.django_db
def test_the_database_refuses_to_change_or_delete_what_was_done(order):
    """AD audit: append-only also for whoever goes round every page."""
    action = matches.close_queue(order())
    for change in (
        lambda: StaffAction.objects.filter(pk=action.pk).update(reason="another"),
        lambda: StaffAction.objects.filter(pk=action.pk).delete(),
        lambda: action.delete(),
    ):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            change()
    assert StaffAction.objects.get(pk=action.pk).reason == "because"


@pytest.mark.django_db
def test_a_player_is_never_staff():
    player = Player(display_name="admin")
    assert not player.is_staff
    assert not issubclass(Player, User)
    assert not hasattr(player, "groups")
