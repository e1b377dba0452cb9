"""How the files of spells write into the book: a decorator for each kind of activation.

``@page.instant("Haste", 2, UTILITY)`` stands over the function of the effect; a spell that is
only a fact for the rules is one row: ``page.ongoing("Growth", 3, UTILITY, boost=1)``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sigilpost_engine.core.table import Step, Table
from sigilpost_engine.games.wizards.book import DELAYED, INSTANT, ONGOING, Deed, Spell, enter
from sigilpost_engine.games.wizards.effect import Effect
from sigilpost_engine.games.wizards.state import State

Loss = Callable[[Effect, int], "Step[None] | None"]
"""What a delayed spell does for a mana discarded off it."""


class Page:
    """The spells of one set. Facts are those of :class:`~.book.Spell`."""

    def __init__(self, set: str) -> None:
        self.set = set

    def instant(self, name: str, cost: int, kind: str, **facts: Any) -> Callable[[Deed], Deed]:
        """Stands over the effect of an instant."""

        def write(effect: Deed) -> Deed:
            enter(Spell(name, cost, kind, INSTANT, self.set, effect=effect, **facts))
            return effect

        return write

    def delayed(self, name: str, cost: int, kind: str, **facts: Any) -> Callable[[Loss], Loss]:
        """Stands over what happens for each mana discarded off a delayed spell."""

        def write(loss: Loss) -> Loss:
            def discarded(t: Table[State], seat: int, mana: int) -> Step[None]:
                going = loss(Effect(t, seat, name), mana)
                if going is not None:
                    yield from going

            enter(Spell(name, cost, kind, DELAYED, self.set, discarded=discarded, **facts))
            return loss

        return write

    def ongoing(self, name: str, cost: int, kind: str, **facts: Any) -> None:
        """An ongoing spell: one row, with the functions that the rules ask."""
        enter(Spell(name, cost, kind, ONGOING, self.set, **facts))
