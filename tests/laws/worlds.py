"""The tables on which the laws are tried, and playing at random on them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from sigilpost_engine.bots.players import random_answer
from sigilpost_engine.core.events import told
from sigilpost_engine.core.game import Game
from sigilpost_engine.core.match import Match
from sigilpost_engine.core.messages import Msg
from sigilpost_engine.core.prompts import Answer
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.games import find, names

SEATS = ("alice", "bob", "carol", "dan", "eve")


class World(NamedTuple):
    """A game, how many sit at the table, and the options."""

    game: str
    seats: int
    options: dict[str, Any]

    def __str__(self) -> str:
        options = "-".join(f"{name}={value}" for name, value in self.options.items())
        return "-".join(filter(None, [self.game, str(self.seats), options]))

    def rules(self) -> Game[Any]:
        return find(self.game)

    def begin(self, seed: int) -> Match[Any]:
        key = f"{self}/{seed}".encode()
        return Match.begin(self.rules(), SEATS[: self.seats], self.options, key)

    def chance(self, seed: int) -> Rng:
        """A stream for the players' choices, apart from the game's own."""
        return Rng(f"players/{self}/{seed}".encode())


VARIANTS: dict[str, list[tuple[int, dict[str, Any]]]] = {
    "weaver": [
        (2, {}),
        (3, {"hidden_cards": "flat"}),
        (4, {"space_match": "once"}),
        (5, {}),
    ],
    "wizards": [
        (2, {}),
        (2, {"beginner": True}),
        (2, {"sets": ["base", "lost-pages", "shifting-sands"], "hand_limit": 10}),
        (2, {"sets": ["lost-pages", "shifting-sands"], "health": 30}),
    ],
    "tome": [
        (4, {}),
        (4, {"sets": ["dusk"], "easy": True}),
        (2, {"mode": "duel", "sets": ["light", "dusk"]}),
        (3, {"mode": "survival"}),
        (4, {"mode": "survival", "sets": ["light", "dusk"]}),
    ],
}
"""For each game, the seats and options that reach all of its rules."""

WORLDS = [World(game, *variant) for game in names() for variant in VARIANTS[game]]
every_world = pytest.mark.parametrize("world", WORLDS, ids=str)


class Turn(NamedTuple):
    """One answer of a game played at random, and what each seat read about it."""

    seat: int
    answer: Answer
    told: tuple[tuple[Msg, ...], ...]


def play(match: Match[Any], rng: Rng) -> Iterator[Turn]:
    """Play on to the end at random, giving each answer as it was given."""
    seats = len(match.state.seats)
    match.take_events()
    while match.open:
        prompt = match.open[rng.below(len(match.open))]
        answer = random_answer(prompt, rng)
        match.apply(prompt.seat, answer)
        events = match.take_events()
        yield Turn(prompt.seat, answer, tuple(tuple(told(events, seat)) for seat in range(seats)))
