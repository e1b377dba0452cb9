"""Table talk: who may write to whom while the game runs."""

from __future__ import annotations

from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.games.tome.rules import result
from sigilpost_engine.games.tome.state import State, side_of


def may_chat(s: State, seat: int, to: int | None) -> Msg | None:
    """Why ``seat`` may not write to the seat ``to`` (None: to all) now; None if it may.

    Unless the game is easy, partners tell each other nothing while it runs, and nobody speaks to
    the whole table, where the partner sits too.
    """
    if s.easy or result(s) is not None:
        return None
    if to is None:
        return say("tome.refusal.talk-to-all")
    if to != seat and side_of(s, to) == side_of(s, seat):
        return say("tome.refusal.talk-to-partner", partner=s.seats[to])
    return None
