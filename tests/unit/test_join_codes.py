"""Join codes as people type them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables.join_codes import ALPHABET, LENGTH, new_code, read_code

codes = st.text(ALPHABET, min_size=LENGTH, max_size=LENGTH)


def test_a_new_code_is_six_characters_that_can_be_read() -> None:
    drawn = {new_code() for _ in range(200)}
    assert len(drawn) == 200
    assert all(len(code) == 6 and read_code(code) == code for code in drawn)


def test_no_two_characters_look_alike() -> None:
    for look_alikes in ("0OQD", "1ILJ", "2Z", "5S", "8B", "6G", "UV"):
        left = [sign for sign in look_alikes if sign in ALPHABET]
        assert len(left) <= 1, look_alikes


@given(code=codes)
def test_a_code_is_read_in_any_case_and_width_with_spaces(code: str) -> None:
    wide = "".join(chr(ord(sign) + 0xFEE0) for sign in code)
    for typed in (code.lower(), wide, wide.lower(), f" {code[:3]} {code[3:]}\n", "　".join(code)):
        assert read_code(typed) == code
    assert read_code(f"{code[:3]}-{code[3:]}") == code
    assert read_code(f"{code[:3]}－{code[3:]}") == code
    assert read_code(f"\u200b{code}\u202e") == code


@pytest.mark.parametrize(
    "typed", ["", "ACD", "ACDEFHJ", "ACDEF0", "ACDEF/", "あいうえおか", "A" * 5000]
)
def test_what_is_no_code_is_none(typed: str) -> None:
    assert read_code(typed) is None


@given(typed=st.text())
def test_reading_never_fails(typed: str) -> None:
    read = read_code(typed)
    assert read is None or read_code(read) == read
