"""What notices say, in the reader's language."""

from collections import defaultdict
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.models import Notice, NoticeKind

_TEXTS: Final[dict[NoticeKind, str | Promise]] = {
    NoticeKind.ANNOUNCEMENT: _("There is an announcement."),
    NoticeKind.MAINTENANCE: _("There will be maintenance."),
    NoticeKind.DEVICE_ADDED: _("Your account was added to a device: %(device)s."),
    NoticeKind.DEVICE_SIGNED_OUT: _("A device of your account was signed out."),
    NoticeKind.PENALTY: _("You are out of the ranked queue for a while."),
    NoticeKind.BAN: _("Your account was banned: %(reason)s"),
    NoticeKind.RENAMED: _("Staff changed your display name to %(display_name)s."),
    NoticeKind.MATCH_VOIDED: _("One of your matches was made void and does not count."),
    NoticeKind.MATCH_RESTORED: _("One of your matches counts again."),
    NoticeKind.SEASON: _("A new season has begun."),
}

_LIFTED: Final[dict[NoticeKind, Promise]] = {
    NoticeKind.PENALTY: _("You may enter the ranked queue again."),
    NoticeKind.BAN: _("The ban of your account was lifted."),
}
"""What the kinds say that also tell of their end."""


def text_of(notice: Notice) -> str:
    """Say the notice: staff's own words, or those of its kind."""
    if notice.text:
        return notice.text
    texts = _LIFTED if notice.values.get("lifted") else _TEXTS
    template = str(texts[NoticeKind(notice.kind)])
    said = {name: str(value) for name, value in notice.values.items()}
    return template % defaultdict(str, said)
