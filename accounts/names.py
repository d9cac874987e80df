"""What a display name may be: one rule for every path by which a name can enter."""

import unicodedata
from enum import StrEnum
from functools import cache
from typing import Final

import regex
from confusable_homoglyphs import confusables
from precis_i18n import get_profile

LONGEST: Final = 20
"""Visible characters (grapheme clusters) that a name may have."""

LONGEST_STORED: Final = 240
"""Code points that a stored name may have: twenty of the longest emoji sequences fit."""

_LONGEST_READ: Final = 400
_MOST_MARKS: Final = 4

_TAGGED: Final = r"(?:[\U000E0020-\U000E007E]+\U000E007F)?"
_PICTURE: Final = rf"(?!\p{{Cn}})\p{{Extended_Pictographic}}(?:\uFE0F|\p{{EMod}})?{_TAGGED}"
_EMOJI: Final = rf"\p{{RI}}\p{{RI}}|[0-9#*]\uFE0F?\u20E3|{_PICTURE}(?:\u200D{_PICTURE})*"
# The middle dot and the two free-standing kana marks are ordinary in Japanese names, but PRECIS
# refuses the first between Latin letters and takes the others apart, so they are set aside too.
_SET_ASIDE: Final = regex.compile(rf"{_EMOJI}|[\u30FB\u309B\u309C]")
_PLACEHOLDER: Final = "\u263a"  # a pictograph, so any in the name itself is set aside as well

_CONTROL: Final = regex.compile(r"[\p{Cc}\p{Zl}\p{Zp}]")
_NEVER: Final = regex.compile(r"[\p{Cs}\p{Co}\p{Cn}\uFFFC\uFFFD]")
_UNSEEN: Final = regex.compile(r"[\p{Cf}\p{Default_Ignorable_Code_Point}\U0001D159]")
_BLANK: Final = regex.compile(r"[\u2800\s]+")
_STRAY_MARK: Final = regex.compile(rf"(?:^|\s)\p{{M}}|\p{{M}}{{{_MOST_MARKS + 1}}}")
_VISIBLE: Final = regex.compile(r"[\p{L}\p{N}\p{P}\p{S}]")
_LOOKALIKE_SCRIPTS: Final = tuple(
    regex.compile(rf"\p{{Script={script}}}") for script in ("Latin", "Greek", "Cyrillic")
)
_PROFILE: Final = get_profile("NicknameCasePreserved")


class NameFault(StrEnum):
    """Why a name is refused."""

    BLANK = "name_blank"
    TOO_LONG = "name_too_long"
    CONTROL = "name_control_character"
    CHARACTER = "name_character"
    MIXED_SCRIPTS = "name_mixed_scripts"
    STAFF = "name_like_staff"


class NameRefused(ValueError):
    """The name breaks the rule named by `fault`."""

    code = "bad_name"

    def __init__(self, fault: NameFault) -> None:
        super().__init__(fault.value)
        self.fault = fault


def clean(raw: str) -> str:
    """Give the name as it is stored and shown: NFKC, spaces joined, nothing unseen in it.

    Format and zero-width characters are taken out (emoji sequences keep theirs), control
    characters and line breaks are refused. Raises `NameRefused`.
    """
    if len(raw) > _LONGEST_READ:
        raise NameRefused(NameFault.TOO_LONG)
    if _CONTROL.search(raw):
        raise NameRefused(NameFault.CONTROL)
    if _NEVER.search(raw):
        raise NameRefused(NameFault.CHARACTER)
    name = raw
    while (once := _normalised(name)) != name:
        name = once
    if not _VISIBLE.search(name):
        raise NameRefused(NameFault.BLANK)
    if _STRAY_MARK.search(name):
        raise NameRefused(NameFault.CHARACTER)
    if len(regex.findall(r"\X", name)) > LONGEST or len(name) > LONGEST_STORED:
        raise NameRefused(NameFault.TOO_LONG)
    if sum(bool(script.search(name)) for script in _LOOKALIKE_SCRIPTS) > 1:
        raise NameRefused(NameFault.MIXED_SCRIPTS)
    if is_like_staff(name):
        raise NameRefused(NameFault.STAFF)
    return name


def name_key(name: str) -> str:
    """Fold a cleaned name so that names which read the same have the same key."""
    return unicodedata.normalize("NFKC", name.casefold())


def _normalised(name: str) -> str:
    aside = _SET_ASIDE.findall(name)
    text = _UNSEEN.sub("", _SET_ASIDE.sub(_PLACEHOLDER, name))
    text = _BLANK.sub(" ", text).strip()
    if not text:
        raise NameRefused(NameFault.BLANK)
    try:
        text = _PROFILE.enforce(text)
    except UnicodeEncodeError as refused:
        raise NameRefused(NameFault.CHARACTER) from refused
    kept = iter(aside)
    return "".join(next(kept) if part == _PLACEHOLDER else part for part in text)


# --- names that look like staff ---------------------------------------------------------------

_STAFF_ANYWHERE: Final = (
    *("admin", "moderator", "gamemaster", "sysop", "webmaster", "customersupport"),
    *("運営", "運營", "管理者", "管理人", "管理員", "公式", "事務局", "開発者", "運営者"),
    *("退会した", "退会済"),
    *("スタッフ", "サポート", "モデレーター", "モデレータ", "アドミン", "ゲームマスター"),
)
_STAFF_AS_WORD: Final = (
    *("mod", "mods", "staff", "staffs", "support", "official", "system", "operator", "operators"),
    *("gm", "root", "owner", "developer", "helpdesk", "システム", "ウンエイ", "カンリシャ"),
    *("コウシキ", "カンリニン", "オペレーター", "デベロッパー"),
    *("cpu", "dealer", "deletedplayer", "ディーラー", "タイカイシタプレイヤー"),
)
_INNOCENT: Final = ("badminton",)

_DIGITS_AS_LETTERS: Final = str.maketrans("0134578@$!|€", "oieastbasiie")
# Kanji that pass for katakana, and the many strokes that pass for the long-vowel mark.
_KANJI_AS_KANA: Final = str.maketrans("夕卜力二口工八", "タトカニロエハ", "ー一-–—‐−ｰ〜~")


def is_like_staff(name: str) -> bool:
    """Tell whether a cleaned name could be taken for one of the operator's people."""
    return any(_names_staff(_as_letters(name, wide)) for wide in (False, True))


def _names_staff(letters: str) -> bool:
    words = regex.findall(r"\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}]+|\p{Lu}+|[\p{L}]+", letters)
    words += regex.findall(r"\p{L}+", letters)
    whole = "".join(regex.findall(r"\p{L}", letters))
    folded = _folded(whole)
    for innocent in _INNOCENT:
        folded = folded.replace(_folded(innocent), " ")
    anywhere, as_word = _staff_words()
    return any(word in folded for word in anywhere) or any(
        _folded(word) in as_word for word in (*words, whole)
    )


@cache
def _staff_words() -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(map(_folded, _STAFF_ANYWHERE)), frozenset(map(_folded, _STAFF_AS_WORD))


def _as_letters(name: str, digits_are_letters: bool) -> str:
    """Read each sign as the Latin letter that it looks like, if it looks like one."""
    if digits_are_letters:
        name = name.translate(_DIGITS_AS_LETTERS)
    name = _SPELT_BY_FLAGS.sub(lambda run: "".join(map(_pictured, run[0])), name)
    plain = "".join(_latin(sign) for sign in name)
    decomposed = unicodedata.normalize("NFKD", plain)
    return unicodedata.normalize(
        "NFC", "".join(sign for sign in decomposed if not _is_latin_mark(sign))
    )


def _is_latin_mark(sign: str) -> bool:
    return unicodedata.combining(sign) != 0 and sign not in "\u3099\u309a"


def _folded(letters: str) -> str:
    folded = letters.casefold().translate(_KANJI_AS_KANA)
    katakana = "".join(chr(ord(c) + 0x60) if "ぁ" <= c <= "ゖ" else c for c in folded)
    return katakana.replace("l", "i").replace("rn", "m").replace("vv", "w")


# Regional indicators: two are a flag, more may spell a word.
_SPELT_BY_FLAGS: Final = regex.compile(r"\p{RI}{3,}")
_FIRST_FLAG_LETTER: Final = 0x1F1E6
# Letters in black circles and squares, which no normalisation turns into letters.
_FIRST_PICTURED_LETTERS: Final = (0x1F150, 0x1F170)
_NAMED_LATIN: Final = regex.compile(
    r"LATIN (?:(?:SMALL|CAPITAL) LETTER|LETTER SMALL CAPITAL) ([A-Z])\b"
)


def _pictured(sign: str, first: int = _FIRST_FLAG_LETTER) -> str:
    return chr(ord("a") + ord(sign) - first)


@cache
def _latin(sign: str) -> str:
    for first in _FIRST_PICTURED_LETTERS:
        if 0 <= ord(sign) - first < 26:
            return _pictured(sign, first)
    if sign.isascii() or not regex.match(r"\p{L}", sign):
        return sign
    if named := _NAMED_LATIN.match(unicodedata.name(sign, "")):
        return str(named[1]).lower()
    if regex.match(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]", sign):
        return sign
    for found in confusables.is_confusable(sign, greedy=True, preferred_aliases=[]) or ():
        for twin in found["homoglyphs"]:
            if len(twin["c"]) == 1 and twin["c"].isascii() and twin["c"].isalpha():
                return str(twin["c"])
    return sign
