"""What standing orders can be about: the kinds of question, and what a seat knows.

Questions of spells are called by the spell; a further question of the same spell has a word more.
"""

from __future__ import annotations

from sigilpost_engine.core.conditions import Facts
from sigilpost_engine.core.game import Document
from sigilpost_engine.core.grammar import key
from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.games.wizards.book import BOOK

STEPS = ("opening", "choose", "replace", "discard", "cast", "attack", "order")
SPELLS = (
    "guilty bond",
    "toxic gift",
    "wrath",
    "mirror image",
    "shared power",
    "battle vision",
    "silent support",
    "sneaky deal",
    "sneaky deal discard",
    "after shock",
    "bad fortune",
    "contamination",
    "dance of pain",
    "mist of pain",
    "arcane tactics",
    "energy reserve",
    "fracture",
    "fracture onto",
    "freeze",
    "freeze target",
    "friendly truce",
    "rejuvenation",
    "rejuvenation take",
    "shackled motion",
    "coercive agreement",
    "coercive agreement discard",
    "time distortion",
    "delusion",
    "possessed",
    "trap attack",
    "energy shield",
    "energy shield target",
    "shadow attack",
    "quick swap",
    "quick swap pool",
    "fatal flaw",
    "affliction",
    "wild bloom",
    "twist of fate",
    "twist of fate pool",
    "shadow oath",
    "transfigure",
    "transfigure out",
    "transfigure pool",
    "eclipse",
)
TOPICS = STEPS + SPELLS

NAMES = (
    "health",
    "opponent_health",
    "my_turn",
    "phase",
    "hand",
    "highest",
    "lowest",
    "opponent_hand",
    "spells",
    "ready",
    "used",
    "opponent_spells",
    "opponent_used",
    "pool",
    "casts",
    "last_attack",
    "opponent_last_attack",
    "mana_deck",
    "mana_discard",
    "last_discarded",
    "spell_deck",
)


def facts(view: Document) -> Facts:
    """The facts of a seat's view, by the names of NAMES."""
    name = view["you"]
    me = view[name]
    foe = next(
        table
        for other, table in view.items()
        if other != name and isinstance(table, dict) and "spells" in table
    )
    return {
        "health": me["health"],
        "opponent_health": foe["health"],
        "my_turn": view["turn"] == name,
        "phase": view["phase"],
        **_hand(me["hand"]),
        "opponent_hand": len(foe["hand"]),
        **_rows(me["spells"], foe["spells"]),
        "pool": list(view["pool"]),
        "casts": [cast["spell"] for cast in view["casts"]],
        "last_attack": _dealt(me),
        "opponent_last_attack": _dealt(foe),
        "mana_deck": len(view["mana_deck"]),
        "mana_discard": [str(mana) for mana in view["mana_discard"]],
        "last_discarded": view["mana_discard"][-1] if view["mana_discard"] else 0,
        "spell_deck": len(view["spell_deck"]),
    }


def _hand(hand: list[int]) -> Facts:
    return {
        "hand": [str(mana) for mana in hand],
        "highest": max(hand, default=0),
        "lowest": min(hand, default=0),
    }


def _rows(mine: list[Document], theirs: list[Document]) -> Facts:
    """The spells of both; those with mana on them are used, an own one without is ready."""
    return {
        "spells": [slot["name"] for slot in mine],
        "ready": [slot["name"] for slot in mine if not slot["mana"]],
        "used": [slot["name"] for slot in mine if slot["mana"]],
        "opponent_spells": [slot["name"] for slot in theirs],
        "opponent_used": [slot["name"] for slot in theirs if slot["mana"]],
    }


def _dealt(table: Document) -> int:
    """The damage of a wizard's last basic attack; 0 if there was none."""
    damage: int = table.get("last_attack", {}).get("damage", 0)
    return damage


def about(topic: str) -> Msg:
    """What a kind of question is about."""
    if topic in STEPS:
        return Msg(f"wizards.topic.{topic}")
    spell = max((name for name in BOOK if key(topic).startswith(key(name))), key=len)
    kind = "spell" if key(spell) == key(topic) else "spell-more"
    return say(f"wizards.topic.{kind}", spell=spell)
