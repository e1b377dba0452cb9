"""The set *lost pages*: ten spells, in the order of the rules page (docs/wizards.md)."""

from __future__ import annotations

from sigilpost_engine.core.table import Step
from sigilpost_engine.games.wizards.book import ATTACK, BOOK, INSTANT, REGENERATION, UTILITY
from sigilpost_engine.games.wizards.effect import Effect, cast, idle, used
from sigilpost_engine.games.wizards.scribe import Page
from sigilpost_engine.games.wizards.state import State, slot_of

page = Page("lost-pages")


@page.instant("Amnesia", 1, ATTACK, rulings=1)
def amnesia(it: Effect) -> None:
    it.deal(1 + sum(cast.spell == it.name for cast in it.earlier()))


def false_face(it: Effect) -> None:
    """The turn ends: a declined attack dealt nothing, and so did a blocked one."""
    last = it.wizard.attack
    if last is None or last.damage <= 1:
        it.deal(3)


page.ongoing("False Face", 1, ATTACK, effect=false_face, ends=True, rulings=1)


def lullaby_due(s: State, owner: int) -> bool:
    """Whether the owner holds no mana and there is some to draw."""
    return not s.wizards[owner].hand and bool(s.mana_deck or s.mana_discard)


def lullaby(it: Effect) -> None:
    it.gain(2)


page.ongoing("Lullaby", 1, REGENERATION, due=lullaby_due, effect=lullaby, rulings=2)


@page.delayed("Quick Swap", 1, UTILITY, rulings=1)
def quick_swap(it: Effect, mana: int) -> Step[None]:
    there = slot_of(it.s, it.me, it.name) is not None
    option = yield from it.choose_option(
        "quick swap",
        ("deal 1", True),
        ("take this spell out of the game for one of the pool", there and bool(it.s.pool)),
    )
    if option == 1:
        it.deal(1)
    else:
        it.swap_spell(it.name, (yield from it.choose_from_pool("quick swap pool", it.name)))


@page.instant("Fatal Flaw", 2, ATTACK, rulings=2)
def fatal_flaw(it: Effect) -> Step[None]:
    name = yield from it.choose_spell("fatal flaw", used(it.theirs))
    it.deal(1 + (it.power(it.show_top(name)) if name else 0))


@page.instant("Tsunami", 2, ATTACK)
def tsunami(it: Effect) -> None:
    it.gain(1)
    it.deal(len(set(it.hand)))


@page.instant("Affliction", 2, REGENERATION, rulings=1)
def affliction(it: Effect) -> Step[None]:
    it.gain(4)
    if (yield from it.agree("affliction")):
        it.suffer(1)
        it.gain(2)


@page.delayed("Wild Bloom", 2, UTILITY, last=True, rulings=2)
def wild_bloom(it: Effect, mana: int) -> Step[None]:
    instants = [slot for slot in idle(it.mine) if BOOK[slot.name].act == INSTANT]
    name = yield from it.choose_spell("wild bloom", instants, optional=True)
    if name:
        yield from cast(it.t, name, [])


@page.instant("Hoodwink", 3, ATTACK)
def hoodwink(it: Effect) -> None:
    last = it.opponent.attack
    it.deal(6 - (last.damage if last else 0))


@page.instant("Twist of Fate", 3, ATTACK, rulings=2)
def twist_of_fate(it: Effect) -> Step[None]:
    it.deal(2)
    targets = it.others if it.s.pool else []
    name = yield from it.choose_spell("twist of fate", targets, optional=True)
    if name:
        it.swap_spell(name, (yield from it.choose_from_pool("twist of fate pool", name)))
