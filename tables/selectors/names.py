"""The names under which players sit at a table."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.conf import settings
from django.utils import translation

from accounts.models import Player


def names_of(player_ids: Iterable[UUID]) -> dict[str, tuple[str, str]]:
    """Each player's display name and tag, keyed by their id as text.

    A deleted player's neutral name is in the present language.
    """
    return {
        str(player.pk): (player.shown_name, player.tag)
        for player in Player.objects.filter(pk__in=list(player_ids))
    }


def names_for_all(player_ids: Iterable[UUID]) -> dict[str, tuple[str, str]]:
    """The same for a text that goes to readers of every language: in the site's own."""
    with translation.override(settings.LANGUAGE_CODE):
        return names_of(player_ids)
