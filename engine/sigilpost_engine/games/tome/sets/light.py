"""The Light Edition: Fire, Earth, Wind, Water, and Light.

The rulebook names nine of these spells and prints no texts. Eleven names, all Powers and what the
spells do in detail are a reconstruction; whoever owns the printed cards can put theirs in place.
"""

from __future__ import annotations

from sigilpost_engine.games.tome.kit import (
    CANNOT_BE_SILENCED,
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

FIRE, EARTH, WIND, WATER, LIGHT = "Fire", "Earth", "Wind", "Water", "Light"


def lighten(chapter: Chapter, me: Seen) -> bool:
    """Property of Light: stronger than all that is not Trump."""
    return True


# --- Fire -----------------------------------------------------------------------------------------


def ignite(now: Now) -> None:
    """This spell becomes Light."""
    now.become(now.me, LIGHT)


def flashfire(now: Now) -> None:
    """The Title Spell becomes Fire."""
    now.turn_title(FIRE)


def wildfire(chapter: Chapter, me: Seen, other: Seen) -> int:
    """+3 Power for each other Fire spell."""
    return 3 * chapter.count(FIRE, besides=me) if other is me else 0


def stoke(now: Now) -> None:
    """Each time a Fire spell is played: 2 Power more."""
    if now.element(now.played) == FIRE:
        now.gain(now.me, 2)


def scorch(now: Now) -> Step[None]:
    """Unless it is the first: another spell loses 3 Power."""
    if now.is_first:
        return
    target = yield from now.choose(now.can_lose(now.others()))
    if target is not None:
        now.lose(target, 3)


# --- Earth ----------------------------------------------------------------------------------------


def avalanche(now: Now) -> None:
    """2 Power more for each other spell on the chapter."""
    now.gain(now.me, 2 * len(now.others()))


def crush(now: Now) -> Step[None]:
    """Another spell loses 2 Power."""
    target = yield from now.choose(now.can_lose(now.others()))
    if target is not None:
        now.lose(target, 2)


def bulwark(chapter: Chapter, me: Seen, other: Seen) -> bool:
    """Spells of this side cannot lose Power."""
    return other.side == me.side


def bedrock(now: Now) -> None:
    """If the Chain was never broken: 3 Power more."""
    if not now.chain_broken:
        now.gain(now.me, 3)


# --- Wind -----------------------------------------------------------------------------------------


def breeze(now: Now) -> Step[None]:
    """The Title Spell may be swapped with a spell of the hand."""
    name = yield from now.choose_from_hand(may=True)
    if name is not None:
        now.swap_title(name)


def gust(now: Now) -> Step[None]:
    """Another spell is Silenced."""
    target = yield from now.choose(now.can_be_silenced(now.others()))
    if target is not None:
        now.silence(target)


def storm(now: Now) -> None:
    """Every other spell goes back to what is printed on it."""
    for spell in now.others():
        now.restore(spell)


def zephyr(now: Now) -> Step[None]:
    """The Elements of this spell and another may be swapped."""
    mine = now.element(now.me)
    targets = [spell for spell in now.can_turn(now.others()) if now.element(spell) != mine]
    target = yield from now.choose(targets if now.can_turn([now.me]) else [], may=True)
    if target is not None:
        now.swap_elements(target)


def tailwind(now: Now) -> None:
    """Each time this side plays a spell after this one: that one has 2 Power more."""
    if now.played is not now.me and now.mine(now.played):
        now.gain(now.played, 2)


# --- Water ----------------------------------------------------------------------------------------


def recycle(now: Now) -> None:
    """If this side lost the chapter: back to the hand."""
    if now.lost:
        now.take(now.me)


def ebb(now: Now) -> Step[None]:
    """The Power of another spell is set to 2."""
    target = yield from now.choose([spell for spell in now.others() if spell.power != 2])
    if target is not None:
        now.set_power(target, 2)


def quench(now: Now) -> Step[None]:
    """If this side won the chapter: another spell may be taken into the hand."""
    if now.won:
        target = yield from now.choose(now.others(), may=True)
        if target is not None:
            now.take(target)


def whirlpool_power(chapter: Chapter, me: Seen, other: Seen) -> int:
    """Every other spell: 1 Power less for each Water spell."""
    return 0 if other is me else -chapter.count(WATER)


def whirlpool_element(chapter: Chapter, me: Seen, other: Seen) -> str | None:
    """What has less Power than this is Water."""
    return WATER if other.power < me.power else None


def undertow(now: Now) -> None:
    """Every spell of another side that is not Water loses 1 Power."""
    for spell in [s for s in now.others() if not now.mine(s) and now.element(s) != WATER]:
        now.lose(spell, 1)


SET = SpellSet(
    name="light",
    version="1.0.0",
    note=True,
    elements=(
        Element(FIRE),
        Element(EARTH),
        Element(WIND),
        Element(WATER),
        Element(LIGHT, special=True, rules=Rules(before_others=lighten)),
    ),
    spells=(
        Spell("Ignite", FIRE, 1, on_play=ignite, ruled=True),
        Spell("Flashfire", FIRE, 2, on_play=flashfire),
        Spell("Wildfire", FIRE, 3, constant=Rules(power=wildfire), ruled=True),
        Spell("Stoke", FIRE, 4, each_play=stoke, ruled=True),
        Spell("Scorch", FIRE, 5, on_play=scorch),
        Spell("Fire Flux", FIRE, F),
        Spell("Avalanche", EARTH, 1, on_play=avalanche, ruled=True),
        Spell("Sturdy", EARTH, 2, constant=Rules(title_stays=True), ruled=True),
        Spell("Crush", EARTH, 3, on_play=crush, attributes=(CANNOT_BE_SILENCED,), ruled=True),
        Spell("Bulwark", EARTH, 4, constant=Rules(no_loss=bulwark), ruled=True),
        Spell("Bedrock", EARTH, 5, before_judging=bedrock),
        Spell("Earth Flux", EARTH, F),
        Spell("Breeze", WIND, 1, on_play=breeze, ruled=True),
        Spell("Gust", WIND, 2, on_play=gust, ruled=True),
        Spell("Storm", WIND, 3, on_play=storm, attributes=(CANNOT_BE_SILENCED,), ruled=True),
        Spell("Zephyr", WIND, 4, on_play=zephyr, ruled=True),
        Spell("Tailwind", WIND, 5, each_play=tailwind),
        Spell("Wind Flux", WIND, F),
        Spell("Recycle", WATER, 1, after_judging=recycle, ruled=True),
        Spell("Ebb", WATER, 2, on_play=ebb, ruled=True),
        Spell("Quench", WATER, 3, after_judging=quench, ruled=True),
        Spell(
            "Whirlpool",
            WATER,
            4,
            constant=Rules(power=whirlpool_power, element=whirlpool_element),
            ruled=True,
        ),
        Spell("Undertow", WATER, 5, before_judging=undertow),
        Spell("Water Flux", WATER, F),
        Spell("Glimmer", LIGHT, 1),
        Spell("Gleam", LIGHT, 2),
        Spell("Beacon", LIGHT, 3),
        Spell("Halo", LIGHT, 4),
        Spell("Radiance", LIGHT, 5),
        Spell("Light Flux", LIGHT, F),
    ),
)
