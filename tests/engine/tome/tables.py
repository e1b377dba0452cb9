"""Tables for the tests: positions in a few words."""

from __future__ import annotations

from typing import Any

from sigilpost_engine.core.match import Match
from sigilpost_engine.games import find
from sigilpost_engine.games.tome.state import State

SEATS = ("alice", "bob", "carol", "dan")
PLAYERS = {"team": 4, "duel": 2, "survival": 4}

TOME: Any = find("tome")


def begin(key: str = "tome", **options: Any) -> Match[State]:
    """A new game with these options."""
    seats = SEATS[: PLAYERS[options.get("mode", "team")]]
    return Match.begin(TOME, seats, options, key.encode())


def position(doc: dict[str, Any], **options: Any) -> Match[State]:
    """A game that goes on from a document."""
    seats = SEATS[: PLAYERS[options.get("mode", "team")]]
    return Match.from_setup(TOME, doc, seats, options, b"\0")


def row(match: Match[State], spell: str) -> dict[str, Any]:
    """How a spell on the chapter is dumped."""
    found: dict[str, Any] = next(r for r in match.dump()["played"] if r["spell"] == spell)
    return found
