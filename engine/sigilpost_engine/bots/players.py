"""The two plain bots: ``random`` and ``greedy``."""

from __future__ import annotations

from typing import Any, Protocol

from sigilpost_engine.core.game import Document, Game
from sigilpost_engine.core.prompts import Answer, Move, Pick, Prompt
from sigilpost_engine.core.rng import Rng


class Bot(Protocol):
    """Anything that answers questions from a seat's view."""

    def choose(self, game: Game[Any], view: Document, prompt: Prompt) -> Answer:
        """A legal answer to ``prompt``."""


class RandomBot:
    """Any move, then any picks that it allows."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng

    def choose(self, game: Game[Any], view: Document, prompt: Prompt) -> Answer:
        """A legal answer by chance alone."""
        return random_answer(prompt, self._rng)


class GreedyBot:
    """What the game's own reckoning likes best."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng

    def choose(self, game: Game[Any], view: Document, prompt: Prompt) -> Answer:
        """The answer of :meth:`Game.greedy`."""
        return game.greedy(view, prompt)


def random_answer(prompt: Prompt, rng: Rng) -> Answer:
    """A legal answer: each move as likely as any other, then each number and choice of picks."""
    move: Move = rng.choice(prompt.moves)
    if move.pick is None:
        return Answer(move.verb, move.target)
    return Answer(move.verb, move.target, _random_picks(move.pick, rng))


def _random_picks(pick: Pick, rng: Rng) -> tuple[str, ...]:
    low, high = pick.low, min(pick.high, len(pick.items))
    number = low + rng.below(high - low + 1) if high > low else low
    if number == 1:
        return (rng.choice(pick.items),)
    items = list(pick.items)
    rng.shuffle(items)
    return tuple(items[:number])
