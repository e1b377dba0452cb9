"""All that a set of spells needs, from one place. docs/your-own-set.md walks through it."""

from __future__ import annotations

from sigilpost_engine.core.table import Step
from sigilpost_engine.games.tome.effects import Now
from sigilpost_engine.games.tome.spells import (
    CANNOT_BE_SILENCED,
    CANNOT_BREAK_CHAIN,
    CANNOT_LOSE_POWER,
    Attribute,
    BadSet,
    Element,
    F,
    Rules,
    Spell,
    SpellSet,
)
from sigilpost_engine.games.tome.state import Played
from sigilpost_engine.games.tome.strength import Chapter, Seen

__all__ = [
    "CANNOT_BE_SILENCED",
    "CANNOT_BREAK_CHAIN",
    "CANNOT_LOSE_POWER",
    "Attribute",
    "BadSet",
    "Chapter",
    "Element",
    "F",
    "Now",
    "Played",
    "Rules",
    "Seen",
    "Spell",
    "SpellSet",
    "Step",
]
