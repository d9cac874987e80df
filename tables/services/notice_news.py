"""News of a notice, to whoever it is for (api.md, Notices)."""

from functools import partial

from django.db import transaction

from accounts.models import Notice
from tables.hub import Poke, poke, publish


def bring_on_commit(notice: Notice) -> None:
    """Bring a notice to its player's sockets once it is committed."""
    news = [poke(notice.player_id, Poke.NOTICE, notice.pk)]
    transaction.on_commit(partial(publish, news))
