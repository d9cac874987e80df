"""Secrets that stand for an account: how they are made, read and stored (as digests only)."""

import hashlib
import secrets
import unicodedata
from typing import Final

ALPHABET: Final = "ABCDEFGHJKMNPQRSTUVWXYZ"
"""Capital letters without I, L and O, which are read as digits."""

TRANSFER_CODE_LETTERS: Final = 10
RECOVERY_KEY_LETTERS: Final = 30
_GROUP: Final = 5
_TOKEN_BYTES: Final = 32
_TAG_LETTERS: Final = 4
_LONGEST_READ: Final = 200


def new_token() -> str:
    """Make a device token: 256 random bits, safe in a header and a cookie."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


def new_material() -> bytes:
    """Draw 256 random bits to make a code or key of."""
    return secrets.token_bytes(_TOKEN_BYTES)


def transfer_code_of(material: bytes) -> str:
    """Spell a transfer code: ten letters that can be read out and typed."""
    return _letters(material, TRANSFER_CODE_LETTERS)


def recovery_key_of(material: bytes) -> str:
    """Spell a recovery key: six groups of five letters, about 135 bits."""
    letters = _letters(material, RECOVERY_KEY_LETTERS)
    return "-".join(letters[at : at + _GROUP] for at in range(0, len(letters), _GROUP))


def new_tag() -> str:
    """Make the short tag that tells players of the same name apart. It is no secret."""
    return _letters(new_material(), _TAG_LETTERS)


def read_code(typed: str) -> str:
    """Give a typed code or key its one form: any case or width, with spaces or hyphens."""
    wide = unicodedata.normalize("NFKC", typed[:_LONGEST_READ]).upper()
    return "".join(sign for sign in wide if sign.isalnum())


def digest(secret: str) -> bytes:
    """Give what is stored of a secret: its SHA-256.

    The secrets are random and long, so a plain digest is as good as a slow one, and looking a
    digest up in an index tells nothing about the secret by its timing.
    """
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _letters(material: bytes, count: int) -> str:
    number, spelt = int.from_bytes(material), ""
    for _ in range(count):
        number, letter = divmod(number, len(ALPHABET))
        spelt += ALPHABET[letter]
    return spelt
