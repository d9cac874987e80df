"""Join codes: how a party is named to people, and how what they type is read (api.md)."""

import secrets
import unicodedata
from typing import Final

ALPHABET: Final = "ACDEFHJKMNPRTWXY34679"
"""Capitals and digits of which no two look alike, in print or by hand: of 0 O Q, 1 I L, 2 Z, 5 S,
8 B, 6 G and U V none or one is left."""

LENGTH: Final = 6

_SEPARATORS: Final = frozenset("-_.")


def new_code() -> str:
    """Draw a code from the system's secure source; whether it is free the database says."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def read_code(text: str) -> str | None:
    """Give the code that somebody typed, in any case and width, with spaces or hyphens.

    None if it is no code. Text that is far too long is not looked at.
    """
    if len(text) > LENGTH * 8:
        return None
    wide = unicodedata.normalize("NFKC", text).upper()
    code = "".join(sign for sign in wide if not sign.isspace() and not _separates(sign))
    if len(code) != LENGTH or any(sign not in ALPHABET for sign in code):
        return None
    return code


def _separates(sign: str) -> bool:
    """Hyphens and dashes of every script, and what cannot be seen at all."""
    return sign in _SEPARATORS or unicodedata.category(sign) in {"Pd", "Cf"}
