"""What standing orders can be about: the kinds of question, and what a seat knows.

A question that a spell asks is also called by the spell: ``on Gust do choose Storm``.
"""

from __future__ import annotations

from collections.abc import Sequence

from sigilpost_engine.core.conditions import Facts
from sigilpost_engine.core.game import Document
from sigilpost_engine.core.grammar import key
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.core.prompts import Prompt
from sigilpost_engine.games.tome import sets
from sigilpost_engine.games.tome.looking import (
    book_of,
    own_hand,
    partners,
    seats_of,
    side_names,
    state_of,
    title_of,
)
from sigilpost_engine.games.tome.spells import TIMINGS, BadSet
from sigilpost_engine.games.tome.strength import Chapter

KINDS = ("play", "spell", "spell or none", "hand", "hand or none", "may")
"""What may be asked: to play, for a spell on the chapter or of the hand, or yes or no."""

NAMES = (
    "mode",
    "chapter",
    "round",
    "leading",
    "place",
    "last",
    "hand",
    "elements",
    "title",
    "title_element",
    "trumps",
    "played",
    "chain",
    "chain_broken",
    "strongest",
    "strongest_power",
    "winning",
    "score",
    "opponent_score",
    "health",
    "players",
)


def topics() -> Sequence[str]:
    """The kinds of question, and every spell of an installed set that could ask one."""
    return (*KINDS, *(name for name in _asking() if key(name) not in map(key, KINDS)))


def _asking() -> Sequence[str]:
    found: dict[str, None] = {}
    for name in sets.names():
        try:
            spells = sets.find(name).spells
        except BadSet:
            continue
        found |= {
            spell.name: None for spell in spells if any(spell.effect(timing) for timing in TIMINGS)
        }
    return list(found)


def topics_of(prompt: Prompt) -> tuple[str, ...]:
    """The kind of a question, and the spell that asks it."""
    spell = prompt.values.get("spell")
    return (prompt.topic, spell) if isinstance(spell, str) else (prompt.topic,)


def about(topic: str) -> Msg:
    """What a kind of question is about."""
    if topic in KINDS:
        return Msg(f"tome.topic.{topic.replace(' ', '-')}")
    return say("tome.topic.asks", spell=topic)


def facts(view: Document) -> Facts:
    """The facts of a seat's view, by the names of NAMES."""
    name, hand = view["you"], own_hand(view)
    seats, played = seats_of(view), view["played"]
    title, element = title_of(view)
    chain = view.get("chain", {})
    return {
        "mode": view["mode"],
        "chapter": view["chapter"],
        "round": view["round"],
        "leading": view["leader"] == name,
        "place": len(played) + 1,
        "last": len(played) + 1 >= _plays(view, seats),
        "hand": list(hand),
        **_hand(view, hand, element),
        "title": title,
        "title_element": element,
        "played": [row["spell"] for row in played],
        "chain": chain.get("element", "none"),
        "chain_broken": bool(chain.get("broken", False)),
        **_strongest(view, partners(view, name)),
        **_scores(view, seats.index(name)),
        "health": view[name].get("health", 0),
        "players": len(seats),
    }


def _plays(view: Document, seats: Sequence[str]) -> int:
    """How many spells are played on a chapter."""
    if view["mode"] == "duel":
        return 4
    return sum(view[seat].get("health", 1) > 0 for seat in seats)


def _hand(view: Document, hand: Sequence[str], title_element: str) -> Facts:
    """The Elements of the hand, and the spells that would be Trump as printed."""
    book = book_of(view)
    known = {} if book is None else {spell: book.spells[spell].element for spell in hand}
    special = frozenset[str]() if book is None else book.special
    return {
        "elements": sorted(set(known.values())),
        "trumps": [
            spell
            for spell, element in known.items()
            if element == title_element and element not in special
        ],
    }


def _strongest(view: Document, side: Sequence[str]) -> Facts:
    """The strongest spell on the chapter as it stands, and whether it is the own side's."""
    s = state_of(view)
    best = Chapter(s).strongest() if s is not None and s.played else None
    if s is None or best is None:
        return {"strongest": "none", "strongest_power": 0, "winning": False}
    return {
        "strongest": best.name,
        "strongest_power": best.power,
        "winning": s.seats[best.by] in side,
    }


def _scores(view: Document, seat: int) -> Facts:
    """The own side's points, and those of the best other side."""
    sides = side_names(view)
    mine = sides[seat % 2] if view["mode"] == "team" else sides[seat]
    others = [points for side, points in view["score"].items() if side != mine]
    return {"score": view["score"][mine], "opponent_score": max(others, default=0)}
