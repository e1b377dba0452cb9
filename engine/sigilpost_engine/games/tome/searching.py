"""For bots that search: whole worlds as they may be, and what a position is worth between chapters.

The figures are fits of rounds between greedy bots.
"""

from __future__ import annotations

import math

from sigilpost_engine.core.game import Document
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.games.tome.documents import UNKNOWN
from sigilpost_engine.games.tome.looking import laid_of, state_of
from sigilpost_engine.games.tome.spells import F, Spell
from sigilpost_engine.games.tome.state import CHAPTERS, State, side_of

KEPT = {1: 0.5, 2: 0.6, 3: 0.8, 4: 0.88, 5: 1.0}
"""How likely a spell is still in hand a chapter later, by Power, beside a Flux: weak ones go first.
"""

SLOPE = 2.0
"""So many points ahead are chances of 1 to e."""

BRINGS = {1: 0.2, 2: 0.2, 3: 0.3, 4: 0.4, 5: 0.4}
"""By how many points a spell in hand raises the own side's lead until the end of the round, by
Power."""

BRINGS_FLUX = 0.8
BRINGS_SPECIAL = 0.7
BRINGS_TRUMP = 1.1
"""More for a Special Spell, and for a Trump of this chapter, if no other chapter were to come."""

LEADS = -0.15
"""To lead the chapter: the others see what they have to beat."""

LIFE = 1.1
"""Each health in survival."""


# --- worlds ---------------------------------------------------------------------------------------


def imagine(view: Document, rng: Rng) -> State | None:
    """A whole state that agrees with a seat's view. Unseen spells lie in the decks by chance alone,
    in other hands as players keep them. None if a set is not installed here."""
    s = state_of(view)
    if s is None:
        return None
    s.rng = Rng(rng.word().to_bytes(4, "big"))
    s.pile = [laid_of(row, s.seats) for row in view.get("pile", [])]
    decks = [s.element_deck, s.draw_deck]
    seen = {s.title, *(spell.spell for spell in s.played), *(laid.spell for laid in s.pile)}
    seen.update(*s.hands, *decks)
    unseen = [spell for spell in s.book.deck(s.elements) if spell not in seen]
    rng.shuffle(unseen)
    for deck in decks:
        fill(deck, unseen)
    cut = len(unseen) - sum(hand.count(UNKNOWN) for hand in s.hands)
    unseen.sort(key=lambda name: math.log((rng.word() + 1) / 2**32) / kept(s, name))
    s.aside, held = unseen[:cut], unseen[cut:]
    rng.shuffle(held)
    for hand in s.hands:
        fill(hand, held)
        hand.sort(key=s.book.order.__getitem__)
    return s


def fill(place: list[str], spells: list[str]) -> None:
    """Put spells, taken from the end, where unknown ones lie."""
    place[:] = [spells.pop() if name == UNKNOWN else name for name in place]


def kept(s: State, name: str) -> float:
    """How likely a spell that was dealt out is still in hand, beside a Flux."""
    return by_power(KEPT, 1.0, s.book.spells[name]) ** (s.chapter - 1)


def by_power(table: dict[int, float], flux: float, spell: Spell) -> float:
    """The figure for a spell's Power; above 5 as for 5."""
    return flux if spell.power == F else table[min(spell.power, 5)]


# --- what a position is worth ---------------------------------------------------------------------


def chances(s: State, seat: int) -> float | None:
    """The chances of a seat, judged at the start of a chapter: nothing on the table is open then,
    and playing on would add more chance than knowledge. Only the final chapter is played out."""
    if s.phase != "play" or s.played or s.chapter == CHAPTERS:
        return None
    side = side_of(s, seat)
    others = [points for other, points in enumerate(s.score) if other != side]
    ahead: float = s.score[side] - max(others)
    for other in range(len(s.seats)):
        share = 1 if side_of(s, other) == side else -1 / len(others)
        ahead += share * prospects(s, other)
    return 1 / (1 + math.exp(-ahead / SLOPE))


def prospects(s: State, seat: int) -> float:
    """What a seat has at the start of a chapter for the rest of the round, in points."""
    value = sum(brings(s, name) for name in s.hands[seat])
    if seat == s.turn:
        value += LEADS
    return value + LIFE * s.health[seat] if s.health else value


def brings(s: State, name: str) -> float:
    """What a spell in hand brings; the Title Spell stands for one of the chapters left."""
    spell = s.book.spells[name]
    value = by_power(BRINGS, BRINGS_FLUX, spell)
    left = CHAPTERS + 1 - s.chapter
    if spell.element in s.book.special:
        return value + BRINGS_SPECIAL / left
    return value + BRINGS_TRUMP / left if spell.element == s.title_element else value
