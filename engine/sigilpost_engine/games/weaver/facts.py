"""What standing orders can be about: the kinds of question, and what a seat knows."""

from __future__ import annotations

from sigilpost_engine.core.conditions import Facts
from sigilpost_engine.core.game import Document
from sigilpost_engine.games.weaver.cards import COLOURS, NUMBERS, SPACES, colour, value
from sigilpost_engine.games.weaver.documents import seats_of

TOPICS = ("turn", "finish-turn")

NAMES = (
    "hand",
    "colours",
    "highest",
    "lowest",
    *(f"space_{space.lower()}" for space in SPACES),
    *(f"colour_{space.lower()}" for space in SPACES),
    *(f"value_{space.lower()}" for space in SPACES),
    "exchanged",
    "stack",
    "discard",
    "collection",
    "hidden",
    "players",
    "left",
)


def facts(view: Document) -> Facts:
    """The facts of a seat's view, by the names of NAMES."""
    me = view[view["you"]]
    hands = [view[name]["hand"] for name in seats_of(view)]
    values = [value(NUMBERS[card]) for card in me["hand"]]
    return {
        "hand": list(me["hand"]),
        "colours": sorted({COLOURS[colour(NUMBERS[card])] for card in me["hand"]}),
        "highest": max(values, default=0),
        "lowest": min(values, default=0),
        **_spaces(view),
        "exchanged": bool(view["exchanged"]),
        "stack": len(view["stack"]),
        "discard": list(view["discard"]),
        "collection": list(me["collection"]),
        "hidden": list(me["hidden"]),
        "players": len(hands),
        "left": sum(len(hand) - 1 for hand in hands if hand),
    }


def _spaces(view: Document) -> dict[str, str | int]:
    """The card, the colour and the value on each space."""
    found: dict[str, str | int] = {}
    for space in SPACES:
        card = view["spaces"][space]
        found[f"space_{space.lower()}"] = card
        found[f"colour_{space.lower()}"] = COLOURS[colour(NUMBERS[card])]
        found[f"value_{space.lower()}"] = value(NUMBERS[card])
    return found
