"""What anyone needs to check the shoes of a match, read from its public events."""

from collections.abc import Iterable

import msgspec

from tables.blackjack import events
from tables.blackjack.cards import PLACES
from tables.blackjack.events import Event


class ShoeRecord(msgspec.Struct, frozen=True):
    """One shoe: what was promised, and once its seed is revealed the cards dealt from it in order.

    `refill` are the cards it was made of, sorted like a pack, if it replaced one that ran out
    within a round (`rules.md R3.3`); null stands for `decks` whole packs.
    """

    shoe: int
    decks: int
    commitment: str
    size: int
    refill: tuple[str, ...] | None
    seed: str | None
    cards: tuple[str, ...] | None


class _Dealt:
    """A shoe while the events are read."""

    def __init__(self, started: events.ShoeStarted, refill: tuple[str, ...] | None) -> None:
        self.started = started
        self.refill = refill
        self.cards: list[str | None] = []
        self.seed: str | None = None

    def record(self, decks: int) -> ShoeRecord:
        cards = tuple(card for card in self.cards if card is not None) if self.seed else None
        started = self.started
        return ShoeRecord(
            started.shoe, decks, started.commitment, started.size, self.refill, self.seed, cards
        )


def shoe_records(decks: int, told: Iterable[Event]) -> tuple[ShoeRecord, ...]:
    """Give every shoe of a match from all its events so far, the first one first."""
    shoes: dict[int, _Dealt] = {}
    present: _Dealt | None = None
    hole: tuple[_Dealt, int] | None = None
    tray: list[str] = []
    table: list[str] = []
    in_round = False
    for event in told:
        match event:
            case events.ShoeStarted():
                refill = tuple(sorted(tray, key=PLACES.__getitem__)) if in_round else ()
                tray = []
                present = shoes[event.shoe] = _Dealt(event, refill or None)
            case events.RoundStarted():
                in_round = True
            case events.CardDealt() if present is not None:
                if event.card is None:
                    hole = present, len(present.cards)
                else:
                    table.append(event.card)
                present.cards.append(event.card)
            case events.HoleCardOpened() if hole is not None:
                shoe, place = hole
                shoe.cards[place] = event.card
                table.append(event.card)
            case events.RoundSettled():
                in_round = False
                tray += table
                table = []
            case events.ShoeRevealed():
                shoes[event.shoe].seed = event.seed
            case _:
                pass
    return tuple(shoe.record(decks) for shoe in shoes.values())
