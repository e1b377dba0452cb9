"""Games of self-play, and who won the chapters in which each spell was played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import Any, NamedTuple

from sigilpost_engine.bots import BOTS
from sigilpost_engine.bots.players import Bot
from sigilpost_engine.core.match import Run
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.games import find
from sigilpost_engine.games.tome.state import NOBODY, State, side_of

SEATS = ("alice", "bob", "carol", "dan")
PART = 25
"""Games of one piece of work."""


class Table(NamedTuple):
    """What is played: the sets, the mode, the bots."""

    sets: tuple[str, ...]
    mode: str
    bot: str

    @property
    def seats(self) -> tuple[str, ...]:
        return SEATS[: 2 if self.mode == "duel" else 4]


class Count(NamedTuple):
    """For each spell: chapters in which it was played, and those that its side won."""

    played: Counter[str]
    won: Counter[str]

    def share(self, spell: str) -> float:
        """Chapters won, in percent of those played; of a spell never played 0."""
        return 100 * self.won[spell] / self.played[spell] if self.played[spell] else 0.0


def count(table: Table, games: int) -> Count:
    """Play that many games on all cores."""
    total = Count(Counter(), Counter())
    with ProcessPoolExecutor() as pool:
        for part in pool.map(_part, *zip(*_parts(table, games), strict=True)):
            total.played.update(part.played)
            total.won.update(part.won)
    return total


def _parts(table: Table, games: int) -> Iterator[tuple[Table, range]]:
    for first in range(0, games, PART):
        yield table, range(first, min(first + PART, games))


def _part(table: Table, seeds: range) -> Count:
    found = Count(Counter(), Counter())
    for seed in seeds:
        for winner, plays in chapters(table, seed):
            for side, spell in plays:
                found.played[spell] += 1
                found.won[spell] += side == winner
    return found


def chapters(table: Table, seed: int) -> Iterator[tuple[int, list[tuple[int, str]]]]:
    """The chapters of one game: the side that won each, and the sides and spells played."""
    game = find("tome")
    options = game.read_options({"mode": table.mode, "sets": list(table.sets)})
    watched = _Watched(game, game.new(table.seats, options, f"{table}/{seed}".encode()))
    bot: Bot = BOTS[table.bot](Rng(f"players/{table}/{seed}".encode()))
    watched.start()
    while watched.open:
        prompt = watched.open[0]
        view = game.view(watched.state, prompt.seat)
        watched.answer(bot.choose(game, view, prompt))
    yield from watched.found


class _Watched(Run[Any]):
    """A run that writes down each chapter when it has been judged."""

    def __init__(self, game: Any, state: State) -> None:
        super().__init__(game, state)
        self.found: list[tuple[int, list[tuple[int, str]]]] = []
        self._last = (0, 0)

    def on_step(self) -> None:
        s: State = self.state
        here = (s.round, s.chapter)
        if s.phase == "score" and s.strongest != NOBODY and here != self._last:
            self._last = here
            plays = [(side_of(s, spell.by), spell.spell) for spell in s.played]
            self.found.append((side_of(s, s.strongest), plays))
