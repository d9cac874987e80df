"""Template tags of the pages: their modules, icons, cards, and what everybody is told."""

from datetime import datetime
from typing import Any, Final

from django import template
from django.templatetags.static import static
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from accounts.models import Device, Player
from accounts.selectors import announcements_in_force, notices_of
from api.modules import ROOT, modules_of
from api.notice_texts import text_of
from api.player_parts import keep_stage

register = template.Library()
MOST_SHOWN: Final = 20
MOST_UNREAD: Final = 3


@register.simple_tag
def modules(entry: str, language: str) -> SafeString:
    """The texts and the page's module, and a preload for everything that they import."""
    texts = f"{ROOT}/texts/{language}.js"
    needed = dict.fromkeys((*modules_of(f"texts/{language}.js"), *modules_of(f"pages/{entry}.js")))
    preloads = format_html_join(
        "\n", '<link rel="modulepreload" href="{}">', ((static(name),) for name in needed)
    )
    scripts = format_html_join(
        "\n",
        '<script type="module" src="{}"></script>',
        ((static(name),) for name in (texts, f"{ROOT}/pages/{entry}.js")),
    )
    return format_html("{}\n{}", preloads, scripts)


@register.simple_tag
def icon(name: str) -> SafeString:
    """A drawing of the sprite, as decoration."""
    return format_html(
        '<svg class="icon" aria-hidden="true"><use href="{}#i-{}"/></svg>',
        static("taku/img/sprite.svg"),
        name,
    )


@register.inclusion_tag("taku/parts/card.html")
def card(name: str) -> dict[str, Any]:
    """A card, as decoration, in the shape that `elements/card.js` draws."""
    rank, suit = name[0], name[1]
    return {
        "rank": "10" if rank == "T" else rank,
        "suit": suit,
        "court": rank in "JQK",
        "sprite": static("taku/img/sprite.svg"),
    }


@register.inclusion_tag("taku/parts/announcements.html")
def announcements(language: str) -> dict[str, Any]:
    """What everybody is told at present."""
    found = announcements_in_force(now=timezone.now()).order_by("-starts_at", "-id")
    return {
        "announcements": [
            {"level": each.level, "text": each.text(language), "restart_at": each.restart_at}
            for each in found[:MOST_SHOWN]
        ]
    }


@register.filter
def grouped(value: float | str) -> str:
    """A number in the language's own form: 1,000; text keeps its places: 1,515.999."""
    return number_format(value, force_grouping=True)


@register.filter
def signed(value: float | str) -> str:
    """With its sign: +50, −50, ±0; of text, as many places as it has."""
    number = float(value)
    places = 0 if isinstance(value, int) else len(str(value).partition(".")[2])
    text = number_format(abs(number), places, force_grouping=True)
    return f"{'+' if number > 0 else '−' if number < 0 else '±'}{text}"


@register.simple_tag
def moment(value: datetime | str, form: str = "DATETIME_FORMAT") -> SafeString:
    """A time in UTC; where scripts run, `times.js` writes the reader's own time over it."""
    value = datetime.fromisoformat(value) if isinstance(value, str) else value
    return format_html(
        '<time datetime="{}" data-form="{}">{} UTC</time>',
        value.isoformat(),
        "day" if form == "DATE_FORMAT" else "time",
        date_format(value, form),
    )


@register.inclusion_tag("taku/parts/keep.html")
def keep_account(player: Player | None) -> dict[str, Any]:
    """The offer of a recovery key to who has something to lose."""
    return {"stage": player and keep_stage(player_id=player.pk)}


@register.inclusion_tag("taku/parts/unread.html")
def unread_notices(device: Device | None) -> dict[str, Any]:
    """What this device's player was told since it was added, and nobody has read: whoever was away
    has to see it somewhere."""
    if device is None:
        return {"unread": []}
    told = notices_of(player_id=device.player_id).filter(created_at__gt=device.created_at)
    unread = told.filter(read_at__isnull=True).order_by("-id")
    return {"unread": [text_of(notice) for notice in unread[:MOST_UNREAD]]}
