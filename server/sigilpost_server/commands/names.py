"""Players' names: unique whatever their case, easy to type, and fit for a position document."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from sigilpost_engine.core.game import Game
from sigilpost_engine.core.scenario import LOOKS
from sigilpost_engine.games import find
from sigilpost_engine.games import names as games

# A letter of any script, then letters, figures, "_" and "-".
_NAME = re.compile(r"[^\W\d_][\w-]{0,23}")
_WORDS = frozenset(("all", "none", "nobody", "everybody"))


def key(name: str) -> str:
    """The form in which two spellings of one name are equal."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def fit(name: str) -> bool:
    """Whether somebody can be called so, at every game that there is."""
    if unicodedata.normalize("NFKC", name) != name or not _NAME.fullmatch(name):
        return False
    return key(name) not in _WORDS and not any(reserved(find(game), name) for game in games())


def reserved(game: Game[Any], name: str) -> bool:
    """Whether a seat of this game cannot be called so, for it is a key of its documents."""
    return key(name) in {key(word) for word in game.reserved | LOOKS}
