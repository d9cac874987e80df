"""Tables as a viewer may see them, one for each phase worth looking at."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

View = dict[str, Any]

NAMES = {
    "ja": [
        "あなた",
        "みかん色のきつね",
        "藍色のかめ",
        "若葉色のたぬき",
        "桜色のうさぎ",
        "灰色のねこ",
    ],
    "en": ["You", "Amber Fox", "Indigo Turtle", "Leaf Raccoon", "Blossom Rabbit", "Grey Cat"],
}
RULES = {
    "decks": 6,
    "soft17": "stand",
    "blackjack_pays": "3:2",
    "double_after_split": True,
    "surrender": "late",
    "insurance": True,
    "hole_card": "american",
    "split_by": "rank",
    "max_hands": 4,
    "resplit_aces": False,
    "initial_chips": 1000,
    "max_bet": 200,
    "rounds": 10,
    "rebuys": 0,
    "turn_seconds": 30,
}
MATCH = "0192f0c1-7b7e-7d3a-8a54-0d2f6c1b9a11"


def at(seconds: float) -> str:
    """A time so many seconds from now, as the API writes it."""
    moment = datetime.now(UTC) + timedelta(seconds=seconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def count(cards: list[str | None]) -> tuple[int | None, bool | None]:
    """Total and softness of the open cards (rules.md R6.1)."""
    ranks = [card[0] for card in cards if card]
    if not ranks:
        return None, None
    total = sum(1 if r == "A" else 10 if r in "TJQK" else int(r) for r in ranks)
    soft = "A" in ranks and total <= 11
    return (total + 10 if soft else total), soft


def hand(cards: str, bet: int, status: str = "waiting", **more: Any) -> dict[str, Any]:
    """A hand from `"8H 8D"`."""
    dealt = cards.split()
    total, soft = count(list(dealt))
    return {
        "cards": dealt,
        "bet": bet,
        "total": total,
        "soft": soft,
        "status": status,
        "outcome": None,
        "returned": None,
    } | more


def dealer(cards: str) -> dict[str, Any]:
    """The dealer from `"AS ??"`."""
    dealt = [None if card == "??" else card for card in cards.split()]
    total, soft = count(dealt)
    return {"cards": dealt, "total": total, "soft": soft}


def table(language: str, hands: list[list[dict[str, Any]]], **members: Any) -> View:
    """A view with a seat for each list of hands; seat 1 is the viewer."""
    chips = [940, 840, 1120, 960, 700, 1000]
    seats = [
        {
            "seat": index + 1,
            "player": {
                "id": f"0192f0c1-0000-7000-8000-00000000000{index}",
                "display_name": NAMES[language][index],
                "tag": "0042",
            },
            "controller": "human",
            "connected": True,
            "away_since": None,
            "takeover_at": None,
            "chips": chips[index],
            "bet": held[0]["bet"] if held else 0,
            "insurance": 0,
            "rebuys": 0,
            "out": False,
            "hands": held,
        }
        for index, held in enumerate(hands)
    ]
    return {
        "id": MATCH,
        "version": 12,
        "seq": 96,
        "status": "playing",
        "kind": "solo" if len(seats) == 1 else "party",
        "watchable": False,
        "watchers": 0,
        "server_time": at(0),
        "rules": dict(RULES),
        "round": 3,
        "phase": "playing",
        "dealer": dealer("AS ??"),
        "seats": seats,
        "to_act": None,
        "you": {"seat": 1},
        "shoe": {
            "shoe": 1,
            "commitment": "sha256:00",
            "next_commitment": "sha256:11",
            "remaining": 212,
        },
        "last_round": None,
        "result": None,
    } | members


def turn(
    seat: int,
    phase: str,
    legal: list[str] | list[dict[str, Any]],
    refused: dict[str, str] | None = None,
    hand_index: int | None = None,
    seconds: float | None = 24,
) -> dict[str, Any]:
    """`to_act` with its lists."""
    return {
        "seat": seat,
        "phase": phase,
        "hand": hand_index,
        "version": 12,
        "deadline": None if seconds is None else at(seconds),
        "legal": [one if isinstance(one, dict) else {"action": one} for one in legal],
        "refused": [{"action": action, "code": code} for action, code in (refused or {}).items()],
    }


BET = [{"action": "bet", "min": 10, "max": 200, "step": 10}]
OTHERS = [
    [hand("TS 9H", 50, "stood")],
    [hand("TD 6C 8S", 20, "bust")],
    [hand("AC KD", 100, "blackjack")],
    [hand("7D 5C", 50)],
    [hand("9C 3H", 10)],
]


def first_bet(language: str) -> View:
    """Round 1, alone: nothing has been dealt."""
    view = table(language, [[]], round=1, phase="betting", dealer=dealer(""))
    view["rules"] |= {"turn_seconds": None, "surrender": "none"}
    view["seats"][0]["chips"] = 1000
    return view | {"to_act": turn(1, "betting", BET, seconds=None)}


def betting(language: str) -> View:
    """My bet is asked while the settled round still lies there."""
    return settled(language) | {"to_act": turn(1, "betting", BET)}


def ahead(language: str) -> View:
    """Others bet before me."""
    view = settled(language)
    for seat in view["seats"][1:3]:
        seat["bet"] = 50
    return view | {"to_act": turn(4, "betting", BET)}


def insurance(language: str) -> View:
    """The dealer shows an ace and asks me."""
    view = table(language, [[hand("TS 8H", 50)], *OTHERS[:3]], phase="insurance")
    for seat in view["seats"][1:]:
        seat["hands"] = [one | {"status": "waiting"} for one in seat["hands"]]
    view["seats"][2]["hands"] = [hand("TD 6C", 20)]
    view["seats"][1]["insurance"] = 25
    return view | {"to_act": turn(1, "insurance", ["insure", "decline"])}


def playing(language: str) -> View:
    """One soft hand, six at the table, on turn."""
    view = table(language, [[hand("AH 6D", 100, "playing")], *OTHERS])
    refused = {"split": "not_alike"}
    return view | {
        "to_act": turn(1, "playing", ["hit", "stand", "double", "surrender"], refused, 0)
    }


def two_hands(language: str) -> View:
    """A split: the second hand is on turn."""
    view = table(
        language, [[hand("8H TC", 50, "stood"), hand("8D 9S", 50, "playing")], *OTHERS[:3]]
    )
    refused = {"split": "not_alike", "surrender": "after_split"}
    return view | {"to_act": turn(1, "playing", ["hit", "stand", "double"], refused, 1)}


def four_hands(language: str) -> View:
    """As many as there can be."""
    hands = [
        hand("8H TC", 50, "stood"),
        hand("8D 5S 4H AC", 50, "playing"),
        hand("8C 3S TH", 100, "doubled"),
        hand("8S 6D", 50),
    ]
    view = table(language, [hands, *OTHERS[:3]])
    refused = {"double": "not_first_two", "split": "not_alike", "surrender": "after_split"}
    return view | {"to_act": turn(1, "playing", ["hit", "stand"], refused, 1)}


def other_turn(language: str) -> View:
    """Somebody else thinks; my hand is done."""
    view = table(language, [[hand("AH 6D 3C", 100, "stood")], *OTHERS])
    view["seats"][4]["hands"] = [hand("7D 5C", 50, "playing")]
    return view | {"to_act": turn(5, "playing", ["hit", "stand", "double"], {}, 0, seconds=4)}


def dealer_bust(language: str) -> View:
    """The dealer drew five cards and is over; nobody else is there."""
    view = table(language, [[]], round=4, phase="betting", dealer=dealer(""))
    won = hand("AH 6D 3C", 50, outcome="win", returned=100)
    del won["soft"], won["status"]
    view["last_round"] = {
        "round": 3,
        "dealer": {"cards": ["2S", "3D", "6C", "5D", "TH"], "total": 26, "blackjack": False},
        "seats": [
            {
                "seat": 1,
                "bet": 50,
                "insurance": 0,
                "insurance_returned": 0,
                "chips": 1000,
                "hands": [won],
            }
        ],
    }
    return view | {"to_act": turn(1, "betting", BET)}


def long_dealer(language: str) -> View:
    """The dealer drew eight cards and is over, while others bet."""
    view = settled(language)
    cards = ["2S", "2D", "AC", "3D", "2H", "AH", "4S", "TC"]
    view["last_round"]["dealer"] = {"cards": cards, "total": 25, "blackjack": False}
    return view


def long_names(language: str) -> View:
    """The longest names that are generated."""
    view = waiting(language)
    names = {
        "ja": ["やまぶき色のはりねずみ", "まっちゃ色のももんが", "みかん色のあざらし"],
        "en": ["Chestnut Hedgehog", "Chestnut Elephant", "Moonlit Squirrel"],
    }[language]
    for seat, name in zip(view["seats"][1:], names, strict=False):
        seat["player"]["display_name"] = name
    return view


def settled(language: str) -> View:
    """The next betting has begun; the round before lies there with its results."""
    others = [[] for _ in range(3)]
    view = table(language, [[], *others], round=4, phase="betting", dealer=dealer(""))
    results = [
        [hand("AH 6D 3C", 50, outcome="win", returned=100)],
        [hand("TS 9H", 50, outcome="push", returned=50)],
        [hand("TD 6C 8S", 20, outcome="bust", returned=0)],
        [hand("AC KD", 100, outcome="blackjack", returned=250)],
    ]
    for held in results:
        for one in held:
            for name in ("soft", "status"):
                del one[name]
    view["last_round"] = {
        "round": 3,
        "dealer": {"cards": ["AS", "7D", "JC", "AD"], "total": 19, "blackjack": False},
        "seats": [
            {
                "seat": index + 1,
                "bet": held[0]["bet"],
                "insurance": 0,
                "insurance_returned": 0,
                "chips": view["seats"][index]["chips"],
                "hands": held,
            }
            for index, held in enumerate(results)
        ],
    }
    return view | {"to_act": turn(4, "betting", BET)}


def away(language: str) -> View:
    """One is away with the clock running, for another the CPU plays."""
    view = two_hands(language)
    view["seats"][1] |= {"connected": False, "away_since": at(-18), "takeover_at": at(12)}
    view["seats"][3] |= {"controller": "cpu", "connected": False, "away_since": at(-60)}
    return view


def waiting(language: str) -> View:
    """The first round among six: one bets, one is away without a clock, one has no points left."""
    view = table(language, [[] for _ in range(6)], round=1, phase="betting", dealer=dealer(""))
    view["seats"][2] |= {"connected": False, "away_since": at(-70)}
    view["seats"][3] |= {"chips": 0, "out": True}
    view["seats"][4] |= {"bet": 200}
    return view | {"to_act": turn(2, "betting", BET)}


def cpu_has_seat(language: str) -> View:
    """My own seat is held by the CPU."""
    view = playing(language)
    view["seats"][0]["controller"] = "cpu"
    return view


def finished(language: str) -> View:
    """The end among four."""
    view = settled(language)
    for seat, past in zip(view["seats"], view["last_round"]["seats"], strict=True):
        seat["hands"] = [one | {"soft": False, "status": "stood"} for one in past["hands"]]
    return view | {
        "status": "finished",
        "phase": "settled",
        "to_act": None,
        "round": 10,
        "dealer": {"cards": ["AS", "7D", "JC", "AD"], "total": 19, "soft": False},
        "result": [
            {"seat": 1, "place": 3, "outcome": "lose", "chips": 940},
            {"seat": 2, "place": 4, "outcome": "lose", "chips": 840},
            {"seat": 3, "place": 1, "outcome": "win", "chips": 1120},
            {"seat": 4, "place": 2, "outcome": "lose", "chips": 960},
        ],
    }


PHASES: dict[str, Callable[[str], View]] = {
    builder.__name__: builder
    for builder in (
        first_bet,
        betting,
        ahead,
        insurance,
        playing,
        two_hands,
        four_hands,
        other_turn,
        settled,
        dealer_bust,
        long_dealer,
        away,
        waiting,
        long_names,
        cpu_has_seat,
        finished,
    )
}
