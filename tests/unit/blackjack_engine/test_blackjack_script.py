"""Scripts are read strictly: what is no scripted match is refused in one line."""

import json

import pytest

from tables.blackjack.script import MalformedScript, play, read, write

BET = {"seat": 1, "action": "bet", "amount": 10}


def script(**changes: object) -> bytes:
    document = {"rules": {}, "seats": 1, "shoe": ["AS"], "decisions": [BET], **changes}
    return json.dumps({k: v for k, v in document.items() if v is not ...}).encode()


def deciding(**decision: object) -> bytes:
    return script(decisions=[BET, {k: v for k, v in {**BET, **decision}.items() if v is not ...}])


NESTED = b"[" * 100_000
MALFORMED = [
    (b"", "JSON"),
    (b"   \n", "JSON"),
    (b"{", "JSON"),
    (b"{} {}", "JSON"),
    (b"\xff\xfe", "UTF-8"),
    (b'\xef\xbb\xbf{"seats": 1}', "JSON"),
    (NESTED, "nested"),
    (b"null", "object"),
    (b"[]", "object"),
    (b'"seats"', "object"),
    (b'{"seats": NaN}', "NaN"),
    (b'{"seats": -Infinity}', "Infinity"),
    (b'{"seats": 1, "seats": 1, "shoe": [], "decisions": []}', "seats"),
    (b'{"seats": 01, "shoe": [], "decisions": []}', "JSON"),
    (script(seats=...), "seats"),
    (script(shoe=...), "shoe"),
    (script(decisions=...), "decisions"),
    (script(players=2), "players"),
    (script(rules=None), "rules"),
    (script(rules=[]), "rules"),
    (script(rules={"decks": 1.0}), "decks"),
    (script(rules={"decks": True}), "decks"),
    (script(rules={"decks": "6"}), "decks"),
    (script(rules={"decks": None}), "decks"),
    (script(rules={"turn_seconds": 45}), "turn_seconds"),
    (script(rules={"surrender": "late", "hole_card": "european"}), "surrender"),
    (script(rules={"Decks": 6}), "Decks"),
    (script(rules={"ルール": 6}), "ルール"),
    *((script(seats=seats), "seats") for seats in (0, 7, -1, True, 1.0, "1", None, [1], 10**40)),
    (script(shoe={}), "shoe"),
    (script(shoe="ASKD"), "shoe"),
    *(
        (script(shoe=["AS", card]), "shoe[1]")
        for card in ("1S", "10S", "as", "A", "", "SA", "AX", "AS ", None, 5, ["AS"], "🂡")
    ),
    (script(decisions={}), "decisions"),
    (script(decisions=[BET, "hit"]), "decisions[1]"),
    (script(decisions=[BET, None]), "decisions[1]"),
    (deciding(seat=...), "seat"),
    (deciding(action=...), "action"),
    (deciding(amount=...), "amount"),
    (deciding(by="cpu"), "by"),
    *((deciding(seat=seat), "seat") for seat in (0, 2, -1, True, 1.0, "1", None)),
    *((deciding(action=name), "action") for name in ("Bet", "fold", "", None, 1, ["bet"], {})),
    *(
        (deciding(amount=amount), "amount")
        for amount in (10.0, 10.5, 1e3, "10", True, None, [10], {})
    ),
    (deciding(action="hit"), "amount"),
    (deciding(action="hit", amount=None), "amount"),
]


@pytest.mark.parametrize(("document", "named"), MALFORMED)
def test_a_malformed_script_is_refused_in_one_line_that_names_the_fault(
    document: bytes, named: str
) -> None:
    with pytest.raises(MalformedScript) as caught:
        read(document)
    message = str(caught.value)
    assert named in message
    assert message.isprintable()


@pytest.mark.parametrize("key", ["a\nb", "\ud800", "\x1b[31m", "\u2028"])
def test_what_the_message_quotes_breaks_no_line(key: str) -> None:
    for document in (script(**{key: 1}), script(rules={key: 1}), deciding(**{key: 1})):
        with pytest.raises(MalformedScript) as caught:
            read(document)
        assert str(caught.value).isprintable()


def test_a_fault_after_a_refused_decision_still_spoils_the_document() -> None:
    with pytest.raises(MalformedScript):
        read(script(decisions=[{"seat": 1, "action": "hit"}, {"seat": 9, "action": "hit"}]))


@pytest.mark.parametrize("digits", ["0", "-0", "-10", "5", "9" * 31, "9" * 5000, "-" + "9" * 5000])
def test_an_absurd_whole_number_is_a_bad_amount_and_no_malformed_document(digits: str) -> None:
    decision = '[{"seat": 1, "action": "bet", "amount": %s}]' % digits  # noqa: UP031
    document = script(decisions=[]).replace(b"[]", decision.encode())
    transcript = json.loads(write(play(read(document))))
    assert transcript["error"]["code"] == "bad_amount"


def test_rules_may_be_missing_and_a_match_may_have_no_decision() -> None:
    transcript = json.loads(write(play(read(script(rules=..., decisions=[], shoe=[])))))
    assert transcript == {
        "rounds": [],
        "to_act": {"seat": 1, "phase": "betting", "hand": None, "legal": ["bet"]},
        "finished": False,
        "chips": [1000],
        "rebuys": [0],
        "places": None,
        "error": None,
    }


def test_cards_may_stand_in_the_shoe_more_often_than_in_all_its_packs() -> None:
    transcript = json.loads(
        write(play(read(script(rules={"decks": 1}, shoe=["AS"] * 4, decisions=[BET]))))
    )
    assert transcript["to_act"]["phase"] == "insurance"
