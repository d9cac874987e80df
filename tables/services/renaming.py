"""Changing the own account, where its name is on tables and in a party."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from accounts.models import Player
from accounts.services import players
from tables.selectors.parties import party_of
from tables.services.party_news import announce
from tables.services.removal import show_name


def change_player(
    *,
    player_id: UUID,
    display_name: str | None = None,
    settings: Mapping[str, object] | None = None,
) -> Player:
    """Rename the player, change some of their settings, or both; a new name shows everywhere.

    Raises NameRefused, PreferencesRefused, PlayerGone.
    """
    player = players.change_player(
        player_id=player_id, display_name=display_name, settings=settings
    )
    if display_name is not None:
        show_new_name(player_id)
    return player


def show_new_name(player_id: UUID) -> None:
    """Show the player's present name at their tables and in their party."""
    show_name(player_id)
    party = party_of(player_id)
    if party is not None:
        announce(party_id=party.pk)
