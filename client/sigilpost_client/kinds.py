"""The rules of a kind of game, for commands in which the player names the kind."""

from __future__ import annotations

from typing import Any

from sigilpost_client.errors import Unusable
from sigilpost_engine import games
from sigilpost_engine.core.game import Game
from sigilpost_engine.core.messages import say


def rules_of(kind: str) -> Game[Any]:
    """The rules of a kind, as ``weaver``. Raises Unusable, naming those that there are."""
    try:
        return games.find(kind)
    except (games.UnknownGame, ImportError) as fault:
        raise Unusable(
            say("client.error.kind-unknown", kind=kind),
            say("client.remedy.kinds", kinds=games.names()),
        ) from fault
