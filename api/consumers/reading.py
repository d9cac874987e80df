"""What a socket reads and writes in the database; each function is one piece of work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError
from django.utils import timezone, translation
from msgspec import Raw, Struct

from accounts.languages import Language
from accounts.models import Notice, Player
from accounts.selectors import unread
from accounts.services.devices import Identity, authenticate
from api import authentication
from api.authentication import Carrier, Credential
from api.consumers.frames import Events, NoticeFrame, Snapshot
from api.notice_texts import text_of
from tables.envelope import iso
from tables.hub import Known, PlayerMessage, Poke, poke, publish
from tables.match_view import MatchView
from tables.messages import seconds_until
from tables.models import Connection
from tables.selectors import matches
from tables.selectors.clock import database_now
from tables.services import presence, queue_news
from tables.services.party_news import absolute_links, present_messages
from tables.services.party_upkeep import tell_presence

Scope = Mapping[str, Any]


class NotSignedIn(PermissionError):
    """Only a player can do this; say hello with a token first."""

    code = "not_authenticated"


class TooManyMatches(Exception):
    """A socket follows only so many matches; unsubscribe from one first."""

    code = "too_many_matches"


# Who opens a socket


def header(scope: Scope, name: str) -> str:
    """A header of the handshake, empty if it is not there."""
    wanted = name.encode()
    for key, value in scope["headers"]:
        if key == wanted:
            return str(value.decode("latin-1"))
    return ""


def _is_secure(scope: Scope) -> bool:
    return scope.get("scheme") in {"wss", "https"}


def credential_of_scope(scope: Scope) -> Credential | None:
    """The credential of the handshake, in its `Authorization` header or its cookies."""
    jar = dict(
        part.strip().partition("=")[::2]
        for part in header(scope, "cookie").split(";")
        if "=" in part
    )
    return authentication.credential_of(
        authorization=header(scope, "authorization"), cookie_jar=jar, secure=_is_secure(scope)
    )


def is_bearer(credential: Credential) -> bool:
    """Whether a program brought the credential itself."""
    return credential.carrier is Carrier.BEARER


def is_foreign_page(scope: Scope, credential: Credential | None) -> bool:
    """Whether a browser sends our cookie from a page that is not ours (api.md, Auth)."""
    if credential is None or is_bearer(credential):
        return False
    origin = urlsplit(header(scope, "origin"))
    own = header(scope, "host")
    allowed = origin.netloc == own and origin.scheme in {"http", "https"}
    return not (allowed or f"{origin.scheme}://{origin.netloc}" in settings.CSRF_TRUSTED_ORIGINS)


def identity_of(credential: Credential) -> Identity | None:
    """Whose credential this is, or None if it is nobody's."""
    return authenticate(token=credential.token, now=timezone.now())


def identity_of_token(token: str) -> Identity | None:
    """Whose token this is, or None if it is nobody's."""
    return authenticate(token=token, now=timezone.now())


def person(player: Player) -> dict[str, str]:
    """A player as `welcome` shows them."""
    return {"id": str(player.pk), "display_name": player.shown_name, "tag": player.tag}


class Opened(Struct, frozen=True):
    """What a player finds on opening a socket."""

    match_id: UUID | None
    unread: int
    party: PlayerMessage | None
    queue: PlayerMessage | None


def open_socket(*, socket_id: UUID, process_id: UUID, player: Player, most: int) -> Opened | None:
    """Note a player's socket; the oldest beyond `most` are told to go.

    None where this process does not count as alive: it is stopping.
    """
    try:
        match_id = presence.open_connection(
            connection_id=socket_id, process_id=process_id, player_id=player.pk
        )
    except IntegrityError:
        return None
    newest_first = Connection.objects.filter(player=player).order_by("-opened_at", "-id")
    publish(
        [
            poke(player.pk, Poke.REPLACED, old)
            for old in newest_first.values_list("pk", flat=True)[most:]
        ]
    )
    tell_presence(player_id=player.pk)
    found = present_messages([player.pk]).get(player.pk)
    return Opened(
        match_id,
        unread(player_id=player.pk),
        found[1] if found else None,
        queue_news.opening_message(player.pk),
    )


def close_socket(*, socket_id: UUID, player_id: UUID) -> UUID | None:
    """Note that a player's socket ended; gives their live match if it was the last one."""
    match_id = presence.close_connection(connection_id=socket_id, player_id=player_id)
    tell_presence(player_id=player_id)
    return match_id


def with_origin(body: bytes, scope: Scope) -> bytes:
    """A message with its links completed for whoever opened this socket."""
    scheme = "https" if _is_secure(scope) else "http"
    return absolute_links(body, f"{scheme}://{header(scope, 'host')}")


# What a socket is shown


class Seen(Struct, frozen=True):
    """A match as read for a socket: its view, and the events after the seq that it had."""

    match_id: UUID
    view: MatchView
    known: Known
    wake_in: float | None
    live_here: bool
    events: Raw | None = None

    def snapshot(self) -> Snapshot:
        """The whole view."""
        return Snapshot(
            match=self.match_id, version=self.view.version, seq=self.view.seq, view=self.view
        )

    def missed(self) -> Events | None:
        """The events since, where they lead up to the view without a gap; else None."""
        if self.events is None:
            return None
        return Events(
            match=self.match_id, version=self.view.version, events=self.events, view=self.view
        )


def snapshot(match_id: UUID, viewer_id: UUID | None, after: int | None = None) -> Seen:
    """Read a match for a socket, with what happened after `after`. Raises MatchNotFound."""
    sight = matches.sight_of(match_id=match_id, viewer_id=viewer_id)
    if sight.nameless:
        raise matches.MatchNotFound
    view = matches.view_of(sight)
    events = None
    if after is not None and after <= view.seq:
        events, last = matches.events_after(sight, after)
        if last < view.seq:
            events = None
    return Seen(
        match_id,
        view,
        Known(sight.match.seq, sight.match.news),
        seconds_until(sight.match.wake_at, database_now()),
        sight.seat is not None and view.status == "playing",
        events,
    )


def sight(match_id: UUID, viewer_id: UUID | None) -> None:
    """Raise MatchNotFound unless this viewer may see the match."""
    matches.sight_of(match_id=match_id, viewer_id=viewer_id)


def notice(notice_id: UUID, player_id: UUID, language: Language) -> NoticeFrame | None:
    """A player's notice in their language."""
    found = Notice.objects.filter(pk=notice_id, player_id=player_id).first()
    if found is None:
        return None
    with translation.override(language):
        return NoticeFrame(
            id=found.pk,
            kind=found.kind,
            level=found.level,
            text=text_of(found),
            until=iso(found.until),
        )
