"""The Harbour Edition: one Basic Element, Tide. Play it with sets = light,harbour."""

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

TIDE = "Tide"


def ripple(now: Now) -> None:
    """Each time another spell is played: this one gains 1 Power."""
    if now.played is not now.me:
        now.gain(now.me, 1)


def ferry(now: Now) -> Step[None]:
    """This spell and another may swap their Powers."""
    target = yield from now.choose(now.others(), may=True)
    if target is not None:
        now.swap_powers(target)


def breakwater(chapter: Chapter, me: Seen, other: Seen) -> bool:
    """Tide spells cannot lose Power."""
    return other.element == TIDE


def lighthouse(now: Now) -> Step[None]:
    """The Title Spell may become Tide."""
    if now.title_element != TIDE and (yield from now.confirm()):
        now.turn_title(TIDE)


def mooring(now: Now) -> None:
    """If nothing is Silenced: 1 Power more."""
    if not any(spell.silenced for spell in now.spells()):
        now.gain(now.me, 1)


SET = SpellSet(
    name="harbour",
    version="1.0.0",
    texts="harbour",
    elements=(Element(TIDE),),
    spells=(
        Spell("Ripple", TIDE, 1, each_play=ripple),
        Spell("Ferry", TIDE, 2, on_play=ferry),
        Spell("Breakwater", TIDE, 3, constant=Rules(no_loss=breakwater)),
        Spell("Lighthouse", TIDE, 4, on_play=lighthouse),
        Spell(
            "Mooring",
            TIDE,
            5,
            before_judging=mooring,
            attributes=(CANNOT_BE_SILENCED,),
            ruled=True,
        ),
        Spell("Tide Flux", TIDE, F),
    ),
)
