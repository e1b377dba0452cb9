"""The Dusk Edition, our own: Frost, Thorn, Iron, Mist, and Shadow.

Frost holds others down, Thorn grows and takes back, Iron stands firm, Mist is never what it seems.
Shadow falls when the Chain breaks. Balanced by self-play: docs/tome-dusk-balance.md.
"""

from __future__ import annotations

from sigilpost_engine.games.tome.kit import (
    CANNOT_BE_SILENCED,
    CANNOT_BREAK_CHAIN,
    CANNOT_LOSE_POWER,
    Chapter,
    Element,
    F,
    Now,
    Rules,
    Seen,
    Spell,
    SpellSet,
    Step,
)

FROST, THORN, IRON, MIST, SHADOW = "Frost", "Thorn", "Iron", "Mist", "Shadow"


def fall(chapter: Chapter, me: Seen) -> bool:
    """Property of Shadow: once the Chain is broken, stronger than all that is not Trump."""
    return chapter.chain_broken


# --- Frost ----------------------------------------------------------------------------------------


def rime(now: Now) -> None:
    """Each time another side plays a spell after this one: that one loses 1 Power."""
    if not now.mine(now.played):
        now.lose(now.played, 1)


def black_ice(now: Now) -> Step[None]:
    """Another spell with more Power than this one is set to the Power of this one."""
    power = now.power(now.me)
    above = [s for s in now.others() if now.power(s) > power and s.power != power]
    target = yield from now.choose(above)
    if target is not None:
        now.set_power(target, power)


def hoarfrost(chapter: Chapter, me: Seen, other: Seen) -> bool:
    """Spells of other sides cannot gain Power."""
    return other.side != me.side


def glacier(now: Now) -> None:
    """If this is the first spell of the chapter: 5 Power more."""
    if now.is_first:
        now.gain(now.me, 5)


def deep_freeze(now: Now) -> None:
    """Every other spell whose Power is above what is printed on it goes back to that."""
    for spell in now.others():
        printed = now.printed_power(spell)
        if spell.power > printed:
            now.set_power(spell, printed)


# --- Thorn ----------------------------------------------------------------------------------------


def seedling(now: Now) -> None:
    """Each time a spell is played after this one: this one gains 2 Power."""
    if now.played is not now.me:
        now.gain(now.me, 2)


def bramble(chapter: Chapter, me: Seen, other: Seen) -> int:
    """+3 Power for each Silenced spell."""
    return 3 * sum(spell.silenced for spell in chapter.spells) if other is me else 0


def graft(now: Now) -> Step[None]:
    """Another spell of this side may gain 3 Power."""
    target = yield from now.choose(
        now.can_gain([spell for spell in now.others() if now.mine(spell)]), may=True
    )
    if target is not None:
        now.gain(target, 3)


def deadfall(now: Now) -> Step[None]:
    """If this side lost: a spell of the hand may go on the pile for another off the chapter."""
    if not now.lost or not now.others():
        return
    name = yield from now.choose_from_hand(may=True)
    if name is not None:
        target = yield from now.choose(now.others())
        assert target is not None, "there are others"
        now.exchange(target, name)


def ironwood(now: Now) -> None:
    """If a Special Element is the Title Spell's: 3 Power more."""
    if now.title_is_special:
        now.gain(now.me, 3)


# --- Iron -----------------------------------------------------------------------------------------


def rivet(now: Now) -> None:
    """If another spell on the chapter is Iron: 4 Power more."""
    if any(now.element(spell) == IRON for spell in now.others()):
        now.gain(now.me, 4)


def anvil(chapter: Chapter, me: Seen, other: Seen) -> bool:
    """No spell on the chapter can change its Element."""
    return True


def hammer(now: Now) -> Step[None]:
    """Another spell loses 1 Power for each spell on the chapter."""
    target = yield from now.choose(now.can_lose(now.others()))
    if target is not None:
        now.lose(target, len(now.spells()))


def whetstone(now: Now) -> None:
    """1 Power more for each different Element on the chapter."""
    now.gain(now.me, len({now.element(spell) for spell in now.spells()}))


def keystone(now: Now) -> None:
    """If the Chain holds: 2 Power more."""
    if not now.chain_broken:
        now.gain(now.me, 2)


# --- Mist -----------------------------------------------------------------------------------------


def mirage(now: Now) -> None:
    """This spell becomes of the Title Spell's Element."""
    now.become(now.me, now.title_element)


def mimic(now: Now) -> Step[None]:
    """The Power of this spell is set to that of another."""
    mine = now.me.power
    target = yield from now.choose([spell for spell in now.others() if now.power(spell) != mine])
    if target is not None:
        now.set_power(now.me, now.power(target))


def drift(now: Now) -> Step[None]:
    """The Powers of this spell and another, neither of them F, may be swapped."""
    mine = now.power(now.me)
    others = [s for s in now.others() if now.power(s) not in (mine, F)] if mine != F else []
    target = yield from now.choose(others, may=True)
    if target is not None:
        now.swap_powers(target)


def haze(now: Now) -> Step[None]:
    """This spell may become of the Element of another."""
    mine = now.element(now.me)
    others = [spell for spell in now.others() if now.element(spell) != mine]
    target = yield from now.choose(others if now.can_turn([now.me]) else [], may=True)
    if target is not None:
        now.become(now.me, now.element(target))


SET = SpellSet(
    name="dusk",
    version="1.0.0",
    elements=(
        Element(FROST),
        Element(THORN),
        Element(IRON),
        Element(MIST),
        Element(SHADOW, special=True, rules=Rules(before_others=fall)),
    ),
    spells=(
        Spell("Rime", FROST, 1, each_play=rime),
        Spell("Black Ice", FROST, 2, on_play=black_ice, ruled=True),
        Spell("Hoarfrost", FROST, 3, constant=Rules(no_gain=hoarfrost), ruled=True),
        Spell("Glacier", FROST, 4, before_judging=glacier),
        Spell("Deep Freeze", FROST, 5, on_play=deep_freeze, ruled=True),
        Spell("Frost Flux", FROST, F),
        Spell("Seedling", THORN, 1, each_play=seedling),
        Spell("Bramble", THORN, 2, constant=Rules(power=bramble), ruled=True),
        Spell("Graft", THORN, 3, on_play=graft),
        Spell("Deadfall", THORN, 4, after_judging=deadfall, ruled=True),
        Spell("Ironwood", THORN, 5, on_play=ironwood, attributes=(CANNOT_LOSE_POWER,), ruled=True),
        Spell("Thorn Flux", THORN, F),
        Spell("Rivet", IRON, 1, on_play=rivet),
        Spell("Anvil", IRON, 2, constant=Rules(no_turning=anvil), ruled=True),
        Spell("Hammer", IRON, 3, on_play=hammer, attributes=(CANNOT_BE_SILENCED,)),
        Spell("Whetstone", IRON, 4, before_judging=whetstone),
        Spell("Keystone", IRON, 5, on_play=keystone, attributes=(CANNOT_BREAK_CHAIN,), ruled=True),
        Spell("Iron Flux", IRON, F),
        Spell("Mirage", MIST, 1, on_play=mirage, ruled=True),
        Spell("Mimic", MIST, 2, on_play=mimic, ruled=True),
        Spell("Fog", MIST, 3, constant=Rules(no_trump=True), ruled=True),
        Spell("Drift", MIST, 4, on_play=drift, ruled=True),
        Spell("Haze", MIST, 5, before_judging=haze),
        Spell("Mist Flux", MIST, F),
        Spell("Dim", SHADOW, 1),
        Spell("Umbra", SHADOW, 2),
        Spell("Gloaming", SHADOW, 3),
        Spell("Vesper", SHADOW, 4),
        Spell("Nightfall", SHADOW, 5),
        Spell("Shadow Flux", SHADOW, F),
    ),
)
