"""Players that are programs. They know what a seat knows, and nothing else."""

from __future__ import annotations

from collections.abc import Callable

from sigilpost_engine.bots.players import Bot, GreedyBot, RandomBot
from sigilpost_engine.bots.search import SearchBot
from sigilpost_engine.core.rng import Rng

BOTS: dict[str, Callable[[Rng], Bot]] = {
    "random": RandomBot,
    "greedy": GreedyBot,
    "search": SearchBot,
}
"""How to make each bot, by name, from a random stream of its own."""

__all__ = ["BOTS", "Bot", "GreedyBot", "RandomBot", "SearchBot"]
