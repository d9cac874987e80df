"""Making the roles and their permissions, and staff accounts."""

from __future__ import annotations

import secrets
from typing import Any, Final

from django.contrib.auth.models import Group, Permission, User
from django.contrib.contenttypes.models import ContentType

from staff.models import Kind
from staff.roles import MANAGE, READ, ROLES

PASSWORD_BYTES: Final = 12


def create_roles(
    *, group: Any = Group, permission: Any = Permission, content_type: Any = ContentType
) -> None:
    """Make the groups with exactly their permissions; again changes nothing.

    The permissions of a fresh database are made here, before Django's own step after migrating.
    """

    def permitted(model: str, codename: str, name: str) -> Any:
        app, _, model_name = model.partition(".")
        about, _ = content_type.objects.get_or_create(app_label=app, model=model_name)
        return permission.objects.get_or_create(
            content_type=about, codename=codename, defaults={"name": name}
        )[0]

    read = [
        permitted(model, f"view_{model.partition('.')[2]}", f"Can view {model}") for model in READ
    ]
    manage = []
    for right in MANAGE:
        app, _, codename = right.partition(".")
        model_name = codename.partition("_")[2]
        manage.append(permitted(f"{app}.{model_name}", codename, codename.replace("_", " ")))
    acts = {
        kind: permitted("staff.staffaction", kind.value, f"May do: {kind.value}") for kind in Kind
    }
    for name, kinds in ROLES.items():
        role, _ = group.objects.get_or_create(name=name)
        also = manage if name == "administrator" else []
        role.permissions.set([*read, *also, *(acts[kind] for kind in sorted(kinds))])


def create_first_login() -> tuple[str, str] | None:
    """Make an administrator where no staff are yet: their name and password, this once."""
    if User.objects.exists():
        return None
    password = secrets.token_urlsafe(PASSWORD_BYTES)
    user = User.objects.create_user("admin", password=password, is_staff=True)
    user.groups.add(Group.objects.get(name="administrator"))
    return user.username, password
