"""The chapter as it stands: constants, Trump and the order of strength, derived at each asking."""

from __future__ import annotations

from collections.abc import Iterator

from sigilpost_engine.games.tome.spells import Book, F, Rules
from sigilpost_engine.games.tome.state import Played, State, side_of

TRUMP, AHEAD, OTHER = range(3)
"""Classes of strength, strongest first (docs/tome.md, Strength)."""


class Seen:
    """A spell on the chapter with its current values. ``place``: in play order, from 0."""

    __slots__ = ("by", "element", "name", "place", "power", "side", "silenced")

    def __init__(self, place: int, side: int, spell: Played) -> None:
        self.place = place
        self.by = spell.by
        self.side = side
        self.name = spell.spell
        self.power = spell.power
        self.element = spell.element
        self.silenced = spell.silenced


Law = tuple[Seen, Rules]
"""A rule in force and whose it is."""


class Chapter:
    """All spells on the chapter, in play order, with their current values.

    Made afresh whenever somebody asks, from printed values, what has happened and what is in
    force: nothing of it is stored.
    """

    __slots__ = ("book", "chain_broken", "laws", "spells", "title_element")

    def __init__(self, s: State) -> None:
        self.book: Book = s.book
        self.title_element = s.title_element
        self.chain_broken = s.chain_broken
        self.spells = [
            Seen(place, side_of(s, spell.by), spell) for place, spell in enumerate(s.played)
        ]
        self.laws: list[Law] = []
        _derive(self, s.played)

    def count(self, element: str, besides: Seen | None = None) -> int:
        """How many spells of this Element lie here, ``besides`` not counted."""
        return sum(spell.element == element and spell is not besides for spell in self.spells)

    # --- what cannot be -----------------------------------------------------------------------

    def can_lose(self, other: Seen) -> bool:
        """Whether the Power of ``other`` can be lowered at all."""
        return other.power != F and not any(
            rules.no_loss is not None and rules.no_loss(self, me, other) for me, rules in self.laws
        )

    def can_gain(self, other: Seen) -> bool:
        """Whether the Power of ``other`` can be raised."""
        return other.power != F and not any(
            rules.no_gain is not None and rules.no_gain(self, me, other) for me, rules in self.laws
        )

    def can_turn(self, other: Seen) -> bool:
        """Whether the Element of ``other`` can be changed."""
        return not any(
            rules.no_turning is not None and rules.no_turning(self, me, other)
            for me, rules in self.laws
        )

    def title_can_turn(self) -> bool:
        """Whether the Element of the Title Spell can be changed."""
        return not any(rules.title_stays for _, rules in self.laws)

    # --- strength -----------------------------------------------------------------------------

    def is_trump(self, spell: Seen) -> bool:
        """Strength 1: its current Element is the Title Spell's, and Basic."""
        return (
            spell.element == self.title_element
            and spell.element not in self.book.special
            and not any(rules.no_trump for _, rules in self.laws)
        )

    def rank(self, spell: Seen) -> tuple[int, int, int]:
        """Class, Power, play order, so that the least is the strongest."""
        if self.is_trump(spell):
            group = TRUMP
        elif any(
            me is spell and rules.before_others is not None and rules.before_others(self, me)
            for me, rules in self.laws
        ):
            group = AHEAD
        else:
            group = OTHER
        return group, -spell.power, spell.place

    def strongest(self) -> Seen | None:
        """The spell that is stronger than all others; None on an empty chapter."""
        return min(self.spells, key=self.rank, default=None)

    def weakest(self) -> Seen | None:
        """The spell that is stronger than none; None on an empty chapter."""
        return max(self.spells, key=self.rank, default=None)


def _derive(chapter: Chapter, played: list[Played]) -> None:
    """Apply constants to the values that stand without them.

    Repeats while a rule turns Elements, since Powers may hang on Elements and the other way
    round; a spell that has turned does not turn again (docs/tome.md, Whirlpool).
    """
    chapter.laws = list(_laws(chapter))
    if not chapter.laws:
        return
    turned: set[int] = set()
    while True:
        _apply_powers(chapter, played)
        turns = dict(_turns(chapter, turned))
        if not turns:
            return
        turned.update(turns)
        for place, element in turns.items():
            chapter.spells[place].element = element
        chapter.laws = list(_laws(chapter))


def _laws(chapter: Chapter) -> Iterator[Law]:
    """Properties and attributes first, then constants: each in play order."""
    book = chapter.book
    constants: list[Law] = []
    for spell in chapter.spells:
        element = book.elements[spell.element].rules
        if element is not None:
            yield spell, element
        standing = book.standing[spell.name]
        if standing is not None:
            for rules in standing.always:
                yield spell, rules
            if standing.constant is not None and not spell.silenced:
                constants.append((spell, standing.constant))
    yield from constants


def _apply_powers(chapter: Chapter, played: list[Played]) -> None:
    for spell, base in zip(chapter.spells, played, strict=True):
        spell.power = base.power
    for me, rules in chapter.laws:
        if rules.power is None:
            continue
        for other in chapter.spells:
            change = rules.power(chapter, me, other)
            if change < 0 and chapter.can_lose(other):
                other.power = max(1, other.power + change)
            elif change > 0 and chapter.can_gain(other):
                other.power += change


def _turns(chapter: Chapter, turned: set[int]) -> Iterator[tuple[int, str]]:
    for me, rules in chapter.laws:
        if rules.element is None:
            continue
        for other in chapter.spells:
            element = rules.element(chapter, me, other)
            if (
                element is not None
                and element != other.element
                and other.place not in turned
                and chapter.can_turn(other)
            ):
                yield other.place, element
