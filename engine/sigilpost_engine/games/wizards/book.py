"""The book of spells: what the rules know of a spell without knowing its name.

A spell is one entry: the facts of its card, and the functions that make up its effect. The files
in ``spells/`` write the entries; everything else asks the book.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sigilpost_engine.core.grammar import key
from sigilpost_engine.core.table import Step

if TYPE_CHECKING:
    from sigilpost_engine.core.table import Table
    from sigilpost_engine.games.wizards.effect import Effect
    from sigilpost_engine.games.wizards.state import State

Deed = Callable[["Effect"], "Step[None] | None"]
"""An effect; one that asks nobody anything is a plain function."""

ATTACK, REGENERATION, UTILITY = "attack", "regeneration", "utility"
INSTANT, DELAYED, ONGOING = "instant", "delayed", "ongoing"

SETS = ("base", "lost-pages", "shifting-sands")
"""The spell sets, as the option ``sets`` names them."""


@dataclass(frozen=True, slots=True)
class Spell:
    """One spell of the book.

    ``effect`` is what an instant does, and what an ongoing spell does when it is ``due`` or when
    its owner's turn ``ends``. ``discarded`` is what a delayed spell of a seat does for each mana
    (its printed power) discarded off it; with ``last`` only for the one that leaves it empty.
    """

    name: str
    cost: int
    kind: str
    act: str
    set: str
    beginner: bool = False
    rulings: int = 0
    """How many rulings the catalogue has for it: ``wizards.ruling.<slug>.1`` and so on."""

    effect: Deed | None = None
    price: Callable[[State], int] | None = None
    """The cost before discounts where it is not always the printed one."""

    discarded: Callable[[Table[State], int, int], Step[None]] | None = None
    last: bool = False

    boost: int = 0
    """While in use in its owner's turn, every mana has so much more power."""

    takes_attack_mana: bool = False
    """While in use, the mana of basic attacks goes to its owner's hand."""

    allows: Callable[[State, int], int] | None = None
    """While in use: the only power (0: none) with which the owner's opponent may basic attack."""

    attacked: Callable[[Effect, int], Step[bool]] | None = None
    """While in use: asked when the opponent attacks with a mana; True blocks the attack."""

    due: Callable[[State, int], bool] | None = None
    """While in use: whether ``effect`` is due for the owner, as the table now lies."""

    ends: bool = False
    """While in use: ``effect`` comes when the owner's turn ends."""

    @property
    def slug(self) -> str:
        """The name as message ids have it: ``sleight-of-hand``."""
        return self.name.lower().replace(" ", "-")


BOOK: dict[str, Spell] = {}
"""Every spell by name, in the order of the sets and of the page."""

STANDING: dict[str, Spell] = {}
"""The ongoing spells that are due whenever the table lies so."""

BOOSTS: dict[str, int] = {}
"""The ongoing spells that raise the power of mana, and by how much."""

_KEYS: dict[str, str] = {}


def enter(spell: Spell) -> None:
    """Write a spell into the book."""
    BOOK[spell.name] = spell
    _KEYS[key(spell.name)] = spell.name
    if spell.due is not None:
        STANDING[spell.name] = spell
    if spell.boost:
        BOOSTS[spell.name] = spell.boost


def whole_name(text: str) -> str | None:
    """The spell whose whole name ``text`` is, without regard to case, spaces and punctuation."""
    return _KEYS.get(key(text))
