"""What a device is called in its owner's list, from what it says of itself."""

from typing import Final

_BROWSERS: Final = (
    *(("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser", "Samsung Internet")),
    *(("FxiOS", "Firefox"), ("Firefox", "Firefox"), ("CriOS", "Chrome"), ("Chrome", "Chrome")),
    ("Safari", "Safari"),
)
_SYSTEMS: Final = (
    *(("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows")),
    *(("CrOS", "ChromeOS"), ("Mac OS X", "Mac"), ("Linux", "Linux")),
)
_LONGEST: Final = 40


def label_of(user_agent: str) -> str:
    """Name browser and system ("Chrome, Android"), or a program by its first word ("curl")."""
    if not user_agent.startswith("Mozilla/"):
        name = user_agent.partition(" ")[0].partition("/")[0][:_LONGEST]
        return name if name.isascii() and name.isprintable() else ""
    found = (
        next((name for sign, name in known if sign in user_agent), "")
        for known in (_BROWSERS, _SYSTEMS)
    )
    return ", ".join(filter(None, found))
