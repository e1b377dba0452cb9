"""The set *shifting sands*: eight spells, in the order of the rules page (docs/wizards.md)."""

from __future__ import annotations

from sigilpost_engine.core.table import Step
from sigilpost_engine.games.wizards.book import ATTACK, BOOK, INSTANT, REGENERATION, UTILITY
from sigilpost_engine.games.wizards.effect import Effect, idle, run, used
from sigilpost_engine.games.wizards.scribe import Page
from sigilpost_engine.games.wizards.state import State

page = Page("shifting-sands")


@page.instant("Backfire", 1, ATTACK)
def backfire(it: Effect) -> None:
    for mana in it.opponent_gains(1, shown=True):
        it.deal(it.power(mana))


@page.instant("Shadow Oath", 1, UTILITY)
def shadow_oath(it: Effect) -> Step[None]:
    name = yield from it.choose_spell("shadow oath", used(it.others))
    if name:
        it.pick_up(name)
    it.opponent_gains(1)


@page.instant("Symbiosis", 1, REGENERATION)
def symbiosis(it: Effect) -> None:
    last = it.opponent.attack
    it.gain(last.damage if last else 0)


def death_spiral_price(s: State) -> int:
    """Nothing after a spell that cost 3 or more."""
    return 0 if s.casts and s.casts[-1].paid >= 3 else 2


@page.instant("Death Spiral", 2, ATTACK, price=death_spiral_price, rulings=1)
def death_spiral(it: Effect) -> None:
    it.deal(2)


@page.instant("Invisible Friend", 2, REGENERATION, rulings=1)
def invisible_friend(it: Effect) -> None:
    shown = it.reveal(6)
    if shown:
        shown.remove(max(shown))
        it.take_shown(shown)


@page.instant("Transfigure", 2, REGENERATION, rulings=1)
def transfigure(it: Effect) -> Step[None]:
    drawable = not it.deck_is_empty
    option = yield from it.choose_option(
        "transfigure",
        ("gain 4", drawable),
        (
            "gain 3 and take a spell out of the game for one of the pool",
            bool(it.s.pool) and (drawable or bool(idle(it.mine))),
        ),
    )
    if option == 1:
        it.gain(4)
    elif option == 2:
        it.gain(3)
        name = yield from it.choose_spell("transfigure out", idle(it.mine))
        if name:
            it.swap_spell(name, (yield from it.choose_from_pool("transfigure pool", name)))


@page.instant("Echo", 3, ATTACK, rulings=3)
def echo(it: Effect) -> Step[None]:
    it.deal(3)
    for before in it.earlier()[-1:]:
        spell = BOOK[before.spell]
        if spell.act == INSTANT and before.paid <= 1 and before.spell != it.name:
            assert spell.effect is not None
            yield from run(spell.effect, it)


@page.instant("Eclipse", 4, UTILITY, rulings=1)
def eclipse(it: Effect) -> Step[None]:
    shown = it.reveal(3)
    for place, mana in enumerate(shown, start=1):
        rows, rest = it.mine + it.theirs, shown[place:]
        name = yield from it.choose_spell("eclipse", rows, mana=mana, rest=rest, n=len(rest) + 1)
        mine = any(slot.name == name for slot in it.mine)
        it.lay_shown(name, mana, on=it.me if mine else it.foe)
