"""The state of a game between two steps, and what can be read off it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sigilpost_engine.core.game import Options
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.games.wizards.book import ATTACK, BOOK, BOOSTS

DECK = {1: 32, 2: 16, 3: 8, 4: 4}
"""How many mana there are of each printed power."""

MOST_SPELLS = 6
POOL, BEGINNER_POOL = 10, 8
NOBODY, BOTH = 0, 3
"""Who knows a mana on a spell: a bit for each seat."""


class Slot(NamedTuple):
    """A spell in a row, the mana on it (printed powers, the last on top) and who knows each."""

    name: str
    mana: tuple[int, ...] = ()
    known: tuple[int, ...] = ()


class Attack(NamedTuple):
    """A basic attack: the effective power of its mana, and the damage that it dealt."""

    power: int
    damage: int


class Cast(NamedTuple):
    """A spell cast this turn: what was paid, and the damage that its own effect dealt."""

    spell: str
    paid: int
    damage: int = 0


@dataclass(slots=True)
class Wizard:
    """What belongs to a seat. The hand is kept in rising order, so that its order tells nothing."""

    health: int
    hand: list[int] = field(default_factory=list)
    spells: list[Slot] = field(default_factory=list)
    attack: Attack | None = None  # the last basic attack phase; None: none, declined, impossible


@dataclass(slots=True)
class State:
    """A game between two steps. Piles of mana have their top last; so does the spell deck.

    ``phase`` is one of ``deal`` (before the first step only), ``opening``, ``discard``,
    ``choose``, ``cooldown``, ``cast`` and ``attack``.
    """

    rng: Rng
    seats: list[str]
    sets: list[str]
    beginner: bool
    ban: list[str]
    hand_limit: int | None
    wizards: list[Wizard]
    turn: int = 0
    phase: str = "deal"
    pool: list[str] = field(default_factory=list)
    spell_deck: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)  # oldest first
    mana_deck: list[int] = field(default_factory=list)
    mana_discard: list[int] = field(default_factory=list)
    casts: list[Cast] = field(default_factory=list)  # of this turn
    any_less: int = 0
    attack_less: int = 0
    unused_spells: list[str] = field(default_factory=list)  # left out of the game by a setup
    unused_mana: list[int] = field(default_factory=list)

    @classmethod
    def new(cls, seats: Sequence[str], options: Options, key: bytes) -> State:
        """An empty table; the first step deals."""
        return cls(
            rng=Rng(key),
            seats=list(seats),
            sets=list(options["sets"]),
            beginner=options["beginner"],
            ban=list(options["ban"]),
            hand_limit=options["hand_limit"],
            wizards=[Wizard(options["health"]) for _ in seats],
        )

    @property
    def pool_size(self) -> int:
        """How many spells the pool holds while the spell deck lasts."""
        return BEGINNER_POOL if self.beginner else POOL

    @property
    def other(self) -> int:
        """The seat that is not the active player's."""
        return 1 - self.turn


def spells_of(options: Options) -> list[str]:
    """The spells of a game with these options, in the order of the book."""
    banned = set(options["ban"])
    return [
        spell.name
        for spell in BOOK.values()
        if spell.set in options["sets"]
        and (spell.beginner or not options["beginner"])
        and spell.name not in banned
    ]


def in_use(s: State, seat: int) -> Iterator[Slot]:
    """The spells of a seat that have mana on them, in the order of the row."""
    return (slot for slot in s.wizards[seat].spells if slot.mana)


def place_of(s: State, seat: int, name: str) -> int:
    """Where a spell lies in the row of a seat; -1 if it does not."""
    for place, slot in enumerate(s.wizards[seat].spells):
        if slot.name == name:
            return place
    return -1


def slot_of(s: State, seat: int, name: str) -> Slot | None:
    """A spell in the row of a seat, if it is there."""
    for slot in s.wizards[seat].spells:
        if slot.name == name:
            return slot
    return None


def boost(s: State) -> int:
    """How much more power every mana has now."""
    more = 0
    for name, mana, _ in s.wizards[s.turn].spells:
        if mana and name in BOOSTS:
            more += BOOSTS[name]
    return more


def power(s: State, mana: int) -> int:
    """The effective power of a mana now."""
    return mana + boost(s)


def cost(s: State, name: str) -> int:
    """What the active player has to pay for a spell now, all discounts taken off (ruling 6)."""
    spell = BOOK[name]
    price = spell.cost if spell.price is None else spell.price(s)
    less = s.any_less + s.attack_less if spell.kind == ATTACK else s.any_less
    return price - less if price > less else 0


def attack_powers(s: State) -> tuple[int, ...]:
    """The printed powers with which the active player could basic attack now, held or not."""
    powers = ALL_POWERS
    for slot in in_use(s, s.other):
        allows = BOOK[slot.name].allows
        if allows is not None:
            one = allows(s, s.other) - boost(s)
            powers = tuple([mana for mana in powers if mana == one])
    return powers


def attack_binder(s: State) -> str:
    """The spell in use of the opponent that has a say in the active player's basic attack; ""."""
    return next((slot.name for slot in in_use(s, s.other) if BOOK[slot.name].allows), "")


ALL_POWERS = tuple(DECK)
