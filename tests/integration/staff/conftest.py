"""Staff of every role, and orders that they give."""

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.contrib.auth.models import Group, User
from django.utils import timezone

from staff.services.orders import Order
from staff.services.roles import create_roles


@pytest.fixture
def staff_of(db: None) -> Callable[[str], User]:
    """Makes somebody of the staff with one role."""

    def made(role: str) -> User:
        create_roles()
        user, new = User.objects.get_or_create(
            username=role.replace(" ", "-"), defaults={"is_staff": True}
        )
        if new:
            user.set_password("correct horse battery staple")
            user.save()
            user.groups.add(Group.objects.get(name=role))
        return user

    return made


@pytest.fixture
def order(staff_of: Callable[[str], User]) -> Callable[..., Order]:
    """Makes orders, by an administrator unless another role is said."""

    def made(role: str = "administrator", reason: str = "because", **more: object) -> Order:
        given = {"request": uuid4(), "now": timezone.now()} | more
        return Order(actor=staff_of(role), reason=reason, **given)  # type: ignore[arg-type]

    return made
