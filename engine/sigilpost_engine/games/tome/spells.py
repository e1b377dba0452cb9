"""What a set of Tome is made of: elements, spells, attributes, and rules that hold while in force.

Data only. How a spell acts is a short function of its set; :mod:`~.effects` is what it acts with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from sigilpost_engine.core.grammar import key
from sigilpost_engine.core.messages import Msg
from sigilpost_engine.core.table import Step

if TYPE_CHECKING:
    from sigilpost_engine.games.tome.effects import Now
    from sigilpost_engine.games.tome.strength import Chapter, Seen

F = 1_000_000
"""The Power of a Flux: above every number, neither raised nor lowered, but it can be set."""

TIMINGS = ("on_play", "each_play", "before_judging", "after_judging")
"""The timings, as the fields of :class:`Spell` are called."""

SPELLS_OF_AN_ELEMENT = 6


class BadSet(ValueError):
    """A set that cannot be played; the text says what is wrong with it."""


Effect = Callable[["Now"], "Step[None] | None"]
"""What an activated spell does. A generator if it asks; else a plain function."""


class Rules(NamedTuple):
    """Rules that hold while their spell is in force: a constant, an attribute, a Property.

    Functions are called as ``rule(chapter, me, other)``: ``me`` the spell that has the rule,
    ``other`` any spell on the chapter, ``me`` included. They only look.
    """

    power: Callable[[Chapter, Seen, Seen], int] | None = None
    """By how much the Power of ``other`` is changed."""

    element: Callable[[Chapter, Seen, Seen], str | None] | None = None
    """The Element that ``other`` is turned to; None: not turned. Asked when all Powers stand."""

    no_loss: Callable[[Chapter, Seen, Seen], bool] | None = None
    """Whether ``other`` cannot lose Power."""

    no_gain: Callable[[Chapter, Seen, Seen], bool] | None = None
    """Whether ``other`` cannot gain Power."""

    no_turning: Callable[[Chapter, Seen, Seen], bool] | None = None
    """Whether the Element of ``other`` cannot be changed."""

    title_stays: bool = False
    """The Element of the Title Spell cannot be changed."""

    no_trump: bool = False
    """No spell is Trump."""

    before_others: Callable[[Chapter, Seen], bool] | None = None
    """Called with ``me`` alone: whether it is stronger than all that is neither Trump nor such."""


class Attribute(NamedTuple):
    """What is always true of a spell, Silenced or not. ``text`` is the id of its words."""

    text: str
    cannot_be_silenced: bool = False
    cannot_break_chain: bool = False
    rules: Rules | None = None


CANNOT_BE_SILENCED = Attribute("tome.attribute.cannot-be-silenced", cannot_be_silenced=True)
CANNOT_BREAK_CHAIN = Attribute("tome.attribute.cannot-break-chain", cannot_break_chain=True)
CANNOT_LOSE_POWER = Attribute(
    "tome.attribute.cannot-lose-power",
    rules=Rules(no_loss=lambda chapter, me, other: other is me),
)


class Element(NamedTuple):
    """An Element: Basic, or Special with a Property (which may be no more than a name)."""

    name: str
    special: bool = False
    rules: Rules | None = None


class Spell(NamedTuple):
    """A spell: a row of its set's table. ``power`` is a number from 1, or F.

    ``ruled``: the catalogue has a text ``<texts>.ruling.<slug>`` about it.
    """

    name: str
    element: str
    power: int
    on_play: Effect | None = None
    each_play: Effect | None = None
    before_judging: Effect | None = None
    after_judging: Effect | None = None
    constant: Rules | None = None
    attributes: tuple[Attribute, ...] = ()
    ruled: bool = False

    @property
    def slug(self) -> str:
        """The name as part of a message id: ``fire-flux``."""
        return "-".join(self.name.lower().replace("'", "").split())

    @property
    def can_be_silenced(self) -> bool:
        """Unless an attribute forbids it."""
        return not any(attribute.cannot_be_silenced for attribute in self.attributes)

    @property
    def can_break_chain(self) -> bool:
        """Unless an attribute forbids it."""
        return not any(attribute.cannot_break_chain for attribute in self.attributes)

    @property
    def has_effect(self) -> bool:
        """Whether there is anything that being Silenced would take away."""
        return self.constant is not None or any(self.effect(timing) for timing in TIMINGS)

    def effect(self, timing: str) -> Effect | None:
        """What it does at one of TIMINGS."""
        found: Effect | None = getattr(self, timing)
        return found


class SpellSet(NamedTuple):
    """A set: a name that players type, a version, its elements and the table of its spells.

    ``texts`` is the first word of the message ids of its texts: ``<texts>.set.<name>`` (title),
    ``<texts>.spell.<slug>``, ``<texts>.property.<element>``.
    ``note``: there is also a text ``<texts>.note.<name>``, shown with every one of its spells.
    """

    name: str
    version: str
    elements: tuple[Element, ...]
    spells: tuple[Spell, ...]
    texts: str = "tome"
    note: bool = False

    def text(self, kind: str, name: str, **values: Any) -> Msg:
        """The message about something of this set."""
        return Msg(f"{self.texts}.{kind}.{name}", values)

    def check(self) -> None:
        """Raise BadSet unless every Element has six spells, one of them its Flux."""
        for element in self.elements:
            powers = [spell.power for spell in self.spells if spell.element == element.name]
            if len(powers) != SPELLS_OF_AN_ELEMENT or powers.count(F) != 1:
                raise BadSet(f"{self.name}: {element.name} needs six spells, one of Power F")
            if min(powers) < 1:
                raise BadSet(f"{self.name}: {element.name} has a Power below 1")
        known = {element.name for element in self.elements}
        special = {element.name for element in self.elements if element.special}
        for spell in self.spells:
            if spell.element not in known:
                raise BadSet(f"{self.name}: {spell.name} is of the unknown Element {spell.element}")
            if spell.element in special and spell.has_effect:
                raise BadSet(f"{self.name}: {spell.name} is Special and may have no effect")
        twice = _twice([key(spell.name) for spell in self.spells])
        if twice:
            raise BadSet(f"{self.name}: the name {twice} occurs twice")


def _twice(names: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


class Book:
    """The sets of a game bound together: every spell and every Element by name."""

    def __init__(self, sets: Iterable[SpellSet]) -> None:
        self.sets = tuple(sets)
        self.spells = {spell.name: spell for one in self.sets for spell in one.spells}
        self.elements = {element.name: element for one in self.sets for element in one.elements}
        self.set_of = {spell.name: one for one in self.sets for spell in one.spells}
        self.element_set = {element.name: one for one in self.sets for element in one.elements}
        self.order = {name: place for place, name in enumerate(self.spells)}
        self.basics = tuple(e.name for e in self.elements.values() if not e.special)
        self.specials = tuple(e.name for e in self.elements.values() if e.special)
        self.special = frozenset(self.specials)
        self.standing = {name: rules_of(spell) for name, spell in self.spells.items()}
        self.by_key = {key(name): name for name in self.spells}
        self.element_by_key = {key(name): name for name in self.elements}
        self.timed = {
            timing: frozenset(n for n, spell in self.spells.items() if spell.effect(timing))
            for timing in TIMINGS
        }
        names = [spell.name for one in self.sets for spell in one.spells]
        names += [element.name for one in self.sets for element in one.elements]
        self.clash = _twice(map(key, names))
        """A name that two of the sets claim, or None; such sets cannot be combined."""

    def deck(self, elements: Iterable[str]) -> list[str]:
        """The names of all spells of these Elements, in the order of the sets."""
        wanted = set(elements)
        return [name for name, spell in self.spells.items() if spell.element in wanted]

    def text(self, spell: Spell) -> Msg:
        """What the spell does, in words; of a Special Spell its Element's Property."""
        if spell.element in self.special:
            return self.set_of[spell.name].text("property", spell.element.lower())
        if not spell.has_effect:
            return Msg("tome.effect.none")
        return self.set_of[spell.name].text("spell", spell.slug)


class Standing(NamedTuple):
    """What a spell brings to the chapter besides itself: always, and unless it is Silenced."""

    always: tuple[Rules, ...]
    constant: Rules | None


def rules_of(spell: Spell) -> Standing | None:
    """The rules of a spell's attributes and constant; None for most spells."""
    always = tuple(a.rules for a in spell.attributes if a.rules is not None)
    return Standing(always, spell.constant) if always or spell.constant else None
