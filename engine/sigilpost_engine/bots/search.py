"""A bot that searches: it plays on in worlds that it imagines, and takes what went best.

It knows what its seat knows. For each world that agrees with the seat's view
(:meth:`Game.imagine`) every answer on the shortlist is tried and played on with hunches until the
game can judge (:attr:`Game.horizon`); the worse half of the answers is dropped again and again
(sequential halving), so that most playouts go to the answers that are hard to tell apart. All
answers meet the same worlds. The greedy answer is never dropped: what is preferred to it must
surely be better.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sigilpost_engine.bots.players import random_answer
from sigilpost_engine.core import codec
from sigilpost_engine.core.game import Document, Game
from sigilpost_engine.core.match import Run
from sigilpost_engine.core.prompts import Answer, Prompt
from sigilpost_engine.core.rng import Rng

PLAYOUTS = 400
"""Playouts for an answer, unless a clock says when it is enough."""

LONGEST = 400
"""Answers after which a playout counts as undecided."""

CARE = 0.7
"""By so many standard errors an answer must do better than the greedy one to be preferred."""


@dataclass
class Candidate:
    """An answer, and the values of the playouts after it, from 0 (lost) to 1 (won)."""

    answer: Answer
    values: list[float] = field(default_factory=list)

    def gain(self, other: Candidate) -> float:
        """How much better than ``other`` it surely is, by the worlds that both have met."""
        pairs = list(zip(self.values, other.values, strict=False))
        if self is other or len(pairs) < 2:
            return 0.0
        gains = [mine - theirs for mine, theirs in pairs]
        mean = sum(gains) / len(gains)
        spread = sum((one - mean) ** 2 for one in gains) / (len(gains) - 1)
        return mean - CARE * math.sqrt(spread / len(gains))


class SearchBot:
    """Determinised Monte Carlo. ``budget`` makes, for each answer, a function that tells which
    part of the effort is spent, from 0 to 1; without it ``playouts`` are made."""

    def __init__(
        self,
        rng: Rng,
        *,
        playouts: int = PLAYOUTS,
        budget: Callable[[], Callable[[], float]] | None = None,
    ) -> None:
        self._rng = rng
        self._playouts = playouts
        self._budget = budget
        self._made = 0

    def choose(self, game: Game[Any], view: Document, prompt: Prompt) -> Answer:
        """The answer that did best; the greedy one where no world can be entered, as in the
        middle of an effect, or where nothing is surely better."""
        greedy = Candidate(game.greedy(view, prompt))
        others = [one for one in game.shortlist(view, prompt) if one != greedy.answer]
        candidates = [greedy, *map(Candidate, dict.fromkeys(others))]
        if len(candidates) > 1 and self._enter(game, view, prompt) is not None:
            candidates = self._search(game, view, prompt, candidates)
        return max(candidates, key=lambda candidate: candidate.gain(greedy)).answer

    def _search(
        self, game: Game[Any], view: Document, prompt: Prompt, candidates: list[Candidate]
    ) -> list[Candidate]:
        """Try the candidates, dropping the worse half of the others again and again. Returns
        those that are left."""
        spent = self._budget() if self._budget is not None else self._counted()
        greedy, *others = candidates
        stages = len(others).bit_length()
        for stage in range(1, stages + 1):
            while spent() < stage / stages:
                self._try_all(game, view, prompt, [greedy, *others])
            others.sort(key=lambda candidate: -candidate.gain(greedy))
            others = others[: max(1, len(others) // 2)]
        return [greedy, *others]

    def _counted(self) -> Callable[[], float]:
        self._made = 0
        return lambda: self._made / self._playouts

    def _try_all(
        self, game: Game[Any], view: Document, prompt: Prompt, alive: list[Candidate]
    ) -> None:
        """One playout of each candidate, all in the same imagined world."""
        world = self._enter(game, view, prompt)
        self._made += len(alive)
        if world is None:
            return
        for candidate in alive:
            run = Run(game, codec.copy(world))
            run.start()
            run.answer(candidate.answer)
            candidate.values.append(self._value(run, prompt.seat))

    def _enter(self, game: Game[Any], view: Document, prompt: Prompt) -> Any:
        """An imagined world in which the same is asked, or None."""
        world = game.imagine(view, self._rng)
        if world is None:
            return None
        run = Run(game, codec.copy(world))
        run.start()
        return world if run.open == (prompt,) else None

    def _value(self, run: Run[Any], seat: int) -> float:
        """Play on by hunches to the horizon, and judge."""
        game, returns, away = run.game, 0, False
        for _ in range(LONGEST):
            if not run.open:
                break
            asked = {prompt.seat for prompt in run.open}
            away = away or asked != {seat}
            if not game.horizon or (away and seat in asked):
                value = game.worth(run.state, seat)
                if value is not None:
                    returns, away = returns + 1, False
                    if returns >= game.horizon:
                        return value
            run.answer(*[self._hunch(game, run.state, prompt) for prompt in run.open])
        value = game.worth(run.state, seat)
        if value is not None:
            return value
        result = game.result(run.state)
        if result is None:
            return 0.5
        return (run.state.seats[seat] in result.winners) / len(result.winners)

    def _hunch(self, game: Game[Any], state: Any, prompt: Prompt) -> Answer:
        answer = game.hunch(state, prompt, self._rng)
        return random_answer(prompt, self._rng) if answer is None else answer
