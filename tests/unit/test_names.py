"""What a display name may be (faults.md AC-07 to AC-14)."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from accounts.generated_names import ANIMALS, COLOURS, generated_name
from accounts.languages import Language
from accounts.names import LONGEST, LONGEST_STORED, NameFault, NameRefused, clean, name_key

FAMILY = "👨‍👩‍👧"
ENGLAND = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    "name",
    [
        *(
            "Taro",
            "太郎",
            "太郎Taro",
            "ゆき",
            "カタカナ",
            "한글",
            "محمد",
            "Владимир",
            "Ελένη",
            "नमस्ते",
        ),
        *(FAMILY, "🇯🇵", "❤️‍🔥", "1️⃣", "👋🏽", ENGLAND, "☺️", "\U0001fae9", "🇬🇲"),
        *("A・B", "は゜", "々", "ー", "<b>hi</b>", "O'Neil & co", "x" * 20, "が" * 20, FAMILY * 20),
        *("Badminton", "Falstaff", "サポーター", "Modesto", "エコシステム", "0", "Å", "1234"),
    ],
)
def test_ordinary_names_are_kept_as_they_are(name):
    assert clean(name) == name


@pytest.mark.parametrize(
    ("raw", "stored"),
    [
        ("  ｔａｒｏ　 山田 ", "taro 山田"),
        ("ｶﾞｷﾞ", "ガギ"),
        ("か\u3099", "が"),
        ("e\u0301", "é"),
        ("a\u200b", "a"),
        ("a\u200db", "ab"),
        ("\u202eabc\u202c", "abc"),
        ("a\u2066b\u2069", "ab"),
        ("a\u3164", "a"),
        ("a\u2800b", "a b"),
        ("葛\U000e0100", "葛"),
        ("a\u00ad\ufeff\u034fb", "ab"),
        ("x\ufe0f", "x"),
        ("a \u200b  \u200b b", "a b"),
    ],
)
def test_what_cannot_be_seen_is_taken_out(raw, stored):
    assert clean(raw) == stored


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        *[
            (raw, NameFault.BLANK)
            for raw in ("", "   ", "\u200b" * 15, "\u3164", "\u2800", "\u3000")
        ],
        *[(raw, NameFault.BLANK) for raw in ("\u115f\u1160", "\uffa0", "\u202e", "\U000e0041")],
        *[(raw, NameFault.CONTROL) for raw in ("a\nb", "a\tb", "a\x00", "\x1b[31m", "a\u2028b")],
        *[(raw, NameFault.TOO_LONG) for raw in ("x" * 21, "が" * 21, FAMILY * 21, "x" * 200)],
        *[(raw, NameFault.TOO_LONG) for raw in ("<img src=x onerror=alert(1)>", "㍿" * 11)],
        *[
            (raw, NameFault.CHARACTER)
            for raw in ("\ud800", "a\ue000", "\ufffd", "z" + "\u0337" * 9)
        ],
        *[(raw, NameFault.CHARACTER) for raw in (" \u0301a", "\u0301\u0301x")],
        *[(raw, NameFault.MIXED_SCRIPTS) for raw in ("Tаro", "Ωmega", "Αlice", "ОΩ")],
    ],
)
def test_other_names_are_refused_with_the_reason(raw, fault):
    with pytest.raises(NameRefused) as refused:
        clean(raw)
    assert refused.value.fault is fault


@pytest.mark.parametrize(
    "raw",
    [
        *("admin", "ADMIN", "Ádmin", "adm1n", "@dmin", "a d m i n", "a.d.m.i.n", "xXadminXx"),
        *("admin123", "adrnin", "admln", "ᴀᴅᴍɪɴ", "ɑdmin", "🅰🅳🅼🅸🅽", "🇦🇩🇲🇮🇳", "ⓐⓓⓜⓘⓝ", "𝐚𝐝𝐦𝐢𝐧"),
        *("Moderator", "moderat0r", "mod", "Staff Taro", "GameStaff", "staff_1", "0fficial", "GM"),
        *(
            "運営",
            "運営チーム",
            "管理者",
            "管理 者",
            "公式",
            "スタッフ",
            "ス夕ッフ",
            "すたっふ",
            "ｽﾀｯﾌ",
        ),
        *("サポート", "サポート係", "モデレーター", "ｱﾄﾞﾐﾝ", "ウンエイ", "システム", "аԁmіп"),
        *(" \u200b" * 20 + "admin", "ad\u200bmin", "\u202eadmin"),
    ],
)
def test_nobody_can_pass_for_staff(raw):
    with pytest.raises(NameRefused) as refused:
        clean(raw)
    assert refused.value.fault in (NameFault.STAFF, NameFault.MIXED_SCRIPTS)


@given(st.text(max_size=40))
def test_a_cleaned_name_is_clean(raw):
    try:
        name = clean(raw)
    except NameRefused:
        return
    assert clean(name) == name
    assert 1 <= len(regex.findall(r"\X", name)) <= LONGEST
    assert len(name) <= LONGEST_STORED
    assert len(name_key(name)) <= LONGEST_STORED * 3
    assert not regex.search(
        r"[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069\u200b\u2060]", name
    )
    assert name == name.strip()


@given(st.lists(st.sampled_from([*"aдω1ー・が゛ﾟ\u200b\u200d\ufe0f\u3164\u2800 ☺❤🔥", "🇯", "👩"])))
def test_pieces_of_emoji_and_unseen_signs_never_break_the_rule(pieces):
    try:
        name = clean("".join(pieces))
    except NameRefused:
        return
    assert clean(name) == name


@pytest.mark.parametrize("language", list(Language))
def test_every_generated_name_is_allowed(language):
    names = {
        generated_name(language, lambda pairs, a=a, c=c: c if pairs is COLOURS else a)
        for a in ANIMALS
        for c in COLOURS
    }
    assert len(names) == len(ANIMALS) * len(COLOURS)
    assert all(clean(name) == name for name in names)


def test_names_that_read_the_same_have_the_same_key():
    assert name_key("Taro") == name_key("TARO")
    assert name_key("Taro") != name_key("Jiro")
