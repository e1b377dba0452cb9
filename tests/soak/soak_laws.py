"""Thousands of games of self-play for every game, the laws checked on each."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from typing import Any

from sigilpost_engine.core.match import Match
from sigilpost_engine.core.rng import Rng
from tests.laws.census import census
from tests.laws.test_laws import LONGEST, plain
from tests.laws.worlds import WORLDS, World, play

GAMES = int(os.environ.get("SOAK_GAMES", "10000"))
"""For each registered game, shared among its worlds."""

STRETCH = 9
"""Answers between two checks."""


def run() -> str:
    """Play them all; the longest game of each world, in answers."""
    share = Counter(world.game for world in WORLDS)
    lines = []
    for world in WORLDS:
        games = GAMES // share[world.game]
        longest = max(one_game(world, seed) for seed in range(games))
        lines.append(f"{world}: {games} games, the longest {longest} answers")
    return "\n".join(lines)


def one_game(world: World, seed: int) -> int:
    """One whole game: cards conserved, loads as it was saved, hides what is to be hidden."""
    match, rng = world.begin(1_000_000 + seed), world.chance(seed)
    noise = Rng(f"soak noise {seed}".encode())
    deck = census(world.game, match)
    answers = 0
    while match.open:
        for _ in itertools.islice(play(match, rng), STRETCH):
            answers += 1
        assert answers < LONGEST, f"{world} game {seed} does not end"
        assert census(world.game, match) == deck, f"{world} game {seed}: cards"
        _hides(match, noise.below(world.seats), noise)
        match = Match.load(match.game, plain(match.save()))
    assert match.result is not None
    return answers


def _hides(match: Match[Any], seat: int, noise: Rng) -> None:
    other = match.game.blur(match.state, seat, noise)
    assert plain(match.game.view(other, seat)) == plain(match.view(seat))
