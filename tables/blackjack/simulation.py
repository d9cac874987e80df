"""Rounds by the million through the engine that matches are played with."""

import hashlib
from itertools import count
from math import sqrt
from typing import Final

import msgspec

from tables.blackjack.actions import Action, ActionName, IllegalAction, NotEnoughChips
from tables.blackjack.cpu import Playbook
from tables.blackjack.engine import SeedSource, apply, endless
from tables.blackjack.ruleset import Ruleset
from tables.blackjack.state import Phase, SettledRound
from tables.blackjack.strategy import Strategy
from tables.blackjack.turn import MIN_BET


class Tally(msgspec.Struct, frozen=True):
    """What came of some rounds, in chips: seats' results added up within each round."""

    rounds: int = 0
    hands: int = 0
    won: int = 0
    won_squared: int = 0

    def edge(self, seats: int) -> float:
        """Give the mean result per seat and unit of the first bet."""
        return self.won / (MIN_BET * seats * self.rounds)

    def standard_error(self, seats: int) -> float | None:
        """Give the standard error of `edge`, from the rounds; null for a single one."""
        if self.rounds < 2:
            return None
        spread = (self.won_squared - self.won**2 / self.rounds) / (self.rounds - 1)
        return sqrt(max(spread, 0.0) / self.rounds) / (MIN_BET * seats)


class Simulation:
    """An endless match of CPU seats with flat bets of 10 (`engine-cli.md`).

    The same seed deals the same cards. What makes it quick costs this much clarity: ready-made
    actions, and instead of reading `turn` the loop offers the engine the strategy's actions, best
    first, until it accepts one.
    """

    def __init__(self, ruleset: Ruleset, strategy: Strategy, seats: int, seed: int) -> None:
        self._playbook = Playbook(strategy)
        self._seeds = seed_stream(seed)
        self._state = endless(ruleset, seats, self._seeds).state
        numbers = range(seats + 1)
        self._actions = [{name: Action(number, name) for name in ActionName} for number in numbers]
        self._bets = [Action(number, ActionName.BET, MIN_BET) for number in numbers]
        self.tally = Tally()

    def play(self, rounds: int) -> None:
        """Play so many more rounds and add them to `tally`."""
        hands = won = won_squared = 0
        for _ in range(rounds):
            begun = self._state.seats
            settled = self._play_round()
            result = 0
            for before, after in zip(begun, settled.seats, strict=True):
                result += after.chips - before.chips
                hands += len(after.hands)
            won += result
            won_squared += result * result
        tally = self.tally
        self.tally = Tally(
            tally.rounds + rounds,
            tally.hands + hands,
            tally.won + won,
            tally.won_squared + won_squared,
        )

    def _play_round(self) -> SettledRound:
        state = self._state
        before = state.last_round
        seeds = self._seeds
        preference = self._playbook.preference
        while (settled := state.last_round) is before or settled is None:
            number = state.seat
            phase = state.phase
            if phase is _PLAYING:
                hand = state.seats[number - 1].hands[state.hand]
                actions = self._actions[number]
                for name in preference(state.dealer[0], hand):
                    try:
                        state = apply(state, actions[name], seeds).state
                        break
                    except (IllegalAction, NotEnoughChips):
                        continue
            elif phase is _BETTING:
                state = apply(state, self._bets[number], seeds).state
            else:
                state = apply(state, self._actions[number][_DECLINE], seeds).state
        self._state = state
        return settled


# Reading a member off its enum costs as much as a comparison.
_BETTING: Final = Phase.BETTING
_PLAYING: Final = Phase.PLAYING
_DECLINE: Final = ActionName.DECLINE


def seed_stream(seed: int) -> SeedSource:
    """Give the shoe seeds of a simulation: SHA-256 of `SEED:NUMBER`, numbers from 0."""
    numbers = count()
    return lambda: hashlib.sha256(f"{seed}:{next(numbers)}".encode()).digest()
