"""The games, by name. A new game is a folder here and one line in the table below."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from sigilpost_engine.core.game import Game

_GAMES = {
    "weaver": "sigilpost_engine.games.weaver:Weaver",
    "wizards": "sigilpost_engine.games.wizards:Wizards",
    "tome": "sigilpost_engine.games.tome:Tome",
}


class UnknownGame(LookupError):
    """No game has this name."""


def names() -> list[str]:
    """The names of all games."""
    return list(_GAMES)


@cache
def find(name: str) -> Game[Any]:
    """The rules of the game called ``name``. Raises UnknownGame."""
    if name not in _GAMES:
        raise UnknownGame(name)
    module, _, attribute = _GAMES[name].partition(":")
    game: Game[Any] = getattr(import_module(module), attribute)()
    return game
