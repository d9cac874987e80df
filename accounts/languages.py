"""The languages that people are spoken to in."""

from enum import StrEnum
from typing import Final


class Language(StrEnum):
    """A language, by its code."""

    JAPANESE = "ja"
    ENGLISH = "en"


DEFAULT: Final = Language.JAPANESE
_CODES: Final = frozenset(language.value for language in Language)


def preferred(accept_language: str) -> Language:
    """Choose by an `Accept-Language` header (api.md, Conventions).

    Of Japanese and English the one with the higher q, then the earlier; else Japanese. Regions
    count as their language, `*` as neither, and a weight that cannot be read as none.
    """
    best, weight = DEFAULT, 0.0
    for item in accept_language.lower().split(","):
        code, _, parameter = item.partition(";")
        found = code.strip().partition("-")[0]
        q = _weight(parameter.strip())
        if found in _CODES and q > weight:
            best, weight = Language(found), q
    return best


def _weight(parameter: str) -> float:
    if not parameter:
        return 1.0
    name, _, value = parameter.partition("=")
    try:
        q = float(value) if name.strip() == "q" else 0.0
    except ValueError:
        return 0.0
    return q if 0.0 <= q <= 1.0 else 0.0
