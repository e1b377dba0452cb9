"""Plays what the tests play: every scenario, and games of self-play.

As a program it does just that, for whoever measures what was reached:
``coverage run -m tests.engine.wizards.exercise``.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from pathlib import Path

from sigilpost_engine.bots.players import random_answer
from sigilpost_engine.core.match import Run
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.core.scenario import play
from sigilpost_engine.games import find
from sigilpost_engine.texts import Texts

SCENARIOS = sorted((Path(__file__).parents[2] / "scenarios" / "wizards").glob("*.toml"))
ALL_SETS = {"sets": ["base", "lost-pages", "shifting-sands"]}
GAMES = 120


def play_scenarios() -> None:
    """Every scenario file of the game."""
    render = Texts("en").render
    for file in SCENARIOS:
        outcome = play(tomllib.loads(file.read_text("utf-8")), find, render)
        assert outcome.faults == [], file


def play_games(games: int = GAMES) -> Counter[str]:
    """Random games with all sets. Returns how often each spell was cast."""
    game = find("wizards")
    options = game.read_options(ALL_SETS)
    rng = Rng(b"players")
    casts: Counter[str] = Counter()
    for number in range(games):
        run = Run(game, game.new(["alice", "bob"], options, f"exercise {number}".encode()))
        run.start()
        while run.open:
            answer = random_answer(run.open[0], rng)
            if answer.verb == "cast":
                casts[answer.target] += 1
            run.answer(answer)
    return casts


if __name__ == "__main__":
    play_scenarios()
    play_games()
