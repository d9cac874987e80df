"""The shoe: what lies in it, which seeds order it, and by what it is replaced."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from tables.blackjack.actions import ShoeEmpty
from tables.blackjack.cards import PLACES, packs
from tables.blackjack.ruleset import Ruleset
from tables.blackjack.shuffle import shuffled


class Sealed(msgspec.Struct, frozen=True, gc=False):
    """A value with secrets: however it is printed, they stay inside, since it may end in a log."""

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Give a pretty-printer nothing to show."""
        return []


class SpentShoe(Sealed, frozen=True, gc=False):
    """A shoe that ran out within the round, whose seed is told once the round is settled."""

    number: int
    seed: str

    def __repr__(self) -> str:
        """Name the shoe without its seed."""
        return f"<SpentShoe {self.number}>"


class Shoe(Sealed, frozen=True, gc=False):
    """The shoe in use; it changes only when it is replaced, how far it is dealt stands elsewhere.

    `cards` are two characters each, in dealing order. `seed` and `next_seed` are hex. `tray` holds
    the cards of earlier rounds that came from shoes before this one, `carried` those of the present
    round. A `scripted` shoe is never replaced (`engine-cli.md`).
    """

    number: int
    cards: str
    seed: str
    next_seed: str
    tray: str = ""
    carried: str = ""
    spent: tuple[SpentShoe, ...] = ()
    scripted: bool = False

    @property
    def size(self) -> int:
        """How many cards the shoe began with."""
        return len(self.cards) // 2

    def __repr__(self) -> str:
        """Say which shoe this is, without its seeds and order."""
        return f"<Shoe {self.number} of {self.size}>"


NO_SHOE: Final = Shoe(0, "", "", "")
"""What a match has before its first shoe."""


def scripted(cards: tuple[str, ...]) -> Shoe:
    """Give a shoe that deals exactly these cards, from the left (`engine-cli.md`)."""
    return Shoe(0, "".join(cards), "", "", scripted=True)


def no_seed() -> bytes:
    """Stand where seeds are given, for a scripted shoe, which is never replaced."""
    raise ShoeEmpty


def too_few(ruleset: Ruleset, remaining: int, seats: int) -> bool:
    """Whether a shoe is replaced before a round with so many seats in (`rules.md R3.2`)."""
    return remaining < 13 * ruleset.decks or remaining < 6 * (seats + 1)


def fresh(ruleset: Ruleset, before: Shoe, next_seed: str) -> Shoe:
    """Give a shoe of whole packs, ordered by the seed committed to before (`rules.md R3.2`)."""
    return Shoe(
        before.number + 1,
        _ordered(before.next_seed, packs(ruleset.decks)),
        before.next_seed,
        next_seed,
    )


def refilled(ruleset: Ruleset, before: Shoe, drawn_before: int, next_seed: str) -> Shoe:
    """Give the shoe that takes over when `before` ran out within a round (`rules.md R3.3`).

    In it are the cards of earlier rounds, sorted like a pack before they are shuffled; if there are
    none, whole packs. The cards of this round stay on the table.
    """
    earlier = before.tray + before.cards[: 2 * drawn_before]
    on_table = before.carried + before.cards[2 * drawn_before :]
    cards: Sequence[str] = sorted(_split(earlier), key=PLACES.__getitem__)
    if not cards:
        cards = packs(ruleset.decks)
    return Shoe(
        before.number + 1,
        _ordered(before.next_seed, cards),
        before.next_seed,
        next_seed,
        carried=on_table,
        spent=(*before.spent, SpentShoe(before.number, before.seed)),
    )


def cleared(shoe: Shoe) -> Shoe:
    """Give the shoe with the settled round's cards of earlier shoes put into the tray."""
    return msgspec.structs.replace(shoe, tray=shoe.tray + shoe.carried, carried="", spent=())


def _ordered(seed: str, cards: Sequence[str]) -> str:
    return "".join(shuffled(bytes.fromhex(seed), cards))


def _split(cards: str) -> list[str]:
    return [cards[at : at + 2] for at in range(0, len(cards), 2)]
