"""How strong the bots are: greedy against random, and search against greedy with a second of
processor time for each decision. Two seats, taken in turns."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from sigilpost_engine.bots import Bot, GreedyBot, RandomBot, SearchBot
from sigilpost_engine.core.match import Run
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.games import find

GAMES = int(os.environ.get("SOAK_DUELS", "500"))
SEARCH_GAMES = int(os.environ.get("SOAK_SEARCH_DUELS", "200"))
SECONDS = float(os.environ.get("SOAK_SEARCH_SECONDS", "1"))
SEATS = ["alice", "bob"]

LEAST = {"weaver": (0.9, 0.65), "wizards": (0.9, 0.65)}
"""For each game, the least share of wins of greedy against random and of search against greedy."""


def run() -> str:
    """Play them all; raises if a bot is weaker than it should be."""
    lines = []
    for name, (greedy, search) in LEAST.items():
        lines.append(_series(name, GreedyBot(Rng(b"greedy")), "random", GAMES, greedy))
        bot = SearchBot(Rng(b"search"), budget=_second)
        lines.append(_series(name, bot, "greedy", SEARCH_GAMES, search))
    return "\n".join(lines)


def _second() -> Callable[[], float]:
    begin = time.thread_time()
    return lambda: (time.thread_time() - begin) / SECONDS


def _series(name: str, bot: Bot, against: str, games: int, least: float) -> str:
    rivals: dict[str, Bot] = {"random": RandomBot(Rng(b"random")), "greedy": GreedyBot(Rng(b""))}
    won = sum(_wins(name, bot, rivals[against], number) for number in range(games))
    line = f"{name}: {type(bot).__name__} against {against}: {won:g} of {games} won"
    assert won >= least * games, line
    return line


def _wins(name: str, bot: Bot, rival: Bot, number: int) -> float:
    """1 if ``bot`` wins the game of this number, a share if the victory is shared."""
    game = find(name)
    play = Run(game, game.new(SEATS, game.read_options({}), f"bots {number}".encode()))
    seated = (bot, rival) if number % 2 else (rival, bot)
    play.start()
    while play.open:
        prompt = play.open[0]
        view = game.view(play.state, prompt.seat)
        play.answer(seated[prompt.seat].choose(game, view, prompt))
    result = game.result(play.state)
    assert result is not None
    return (SEATS[1 - number % 2] in result.winners) / len(result.winners)
