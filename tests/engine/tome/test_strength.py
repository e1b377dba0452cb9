"""Strength and constants on any chapter that there can be."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sigilpost_engine.core import codec
from sigilpost_engine.games.tome import sets
from sigilpost_engine.games.tome.spells import F
from sigilpost_engine.games.tome.state import Played, State
from sigilpost_engine.games.tome.strength import Chapter

from .tables import TOME

BOOK = sets.book(sets.newest(["light", "dusk"]))
POWERS = st.one_of(st.integers(1, 9), st.just(F))


@st.composite
def chapters(draw: st.DrawFn) -> State:
    """A chapter of up to four different spells, changed in any way, under any Title Spell."""
    options = TOME.read_options({"mode": "team", "sets": ["light", "dusk"]})
    s: State = TOME.new(("alice", "bob", "carol", "dan"), options, b"")
    names = draw(st.lists(st.sampled_from(sorted(BOOK.spells)), max_size=4, unique=True))
    elements = st.sampled_from(sorted(BOOK.elements))
    s.title, s.title_element = "Stoke", draw(elements)
    s.chain_broken = draw(st.booleans())
    for seat, name in enumerate(names):
        silenced = draw(st.booleans()) and BOOK.spells[name].can_be_silenced
        s.played.append(Played(seat, name, draw(POWERS), draw(elements), silenced))
    return s


@given(chapters())
def test_strength_orders_every_chapter_totally(s: State) -> None:
    chapter = Chapter(s)
    ranks = [chapter.rank(spell) for spell in chapter.spells]
    assert len(set(ranks)) == len(ranks)
    best, worst = chapter.strongest(), chapter.weakest()
    assert (best is None) == (worst is None) == (not s.played)
    if best is not None and worst is not None:
        assert all(chapter.rank(best) <= rank <= chapter.rank(worst) for rank in ranks)


@given(chapters())
def test_deriving_a_chapter_changes_nothing_and_gives_the_same_again(s: State) -> None:
    before = codec.encode(s)
    first, second = Chapter(s), Chapter(s)
    assert [(x.power, x.element) for x in first.spells] == [
        (x.power, x.element) for x in second.spells
    ]
    assert codec.encode(s) == before


@given(chapters())
def test_no_power_is_below_1_and_f_stays_f(s: State) -> None:
    for base, now in zip(s.played, Chapter(s).spells, strict=True):
        assert now.power >= 1
        assert (base.power == F) == (now.power == F)


@given(chapters())
def test_whirlpool_leaves_no_spell_below_it_that_is_not_water(s: State) -> None:
    if not any(spell.spell == "Whirlpool" for spell in s.played):
        s.played[3:] = [Played(3, "Whirlpool", 4, "Water")]
    chapter = Chapter(s)
    whirlpool = next(spell for spell in chapter.spells if spell.name == "Whirlpool")
    held = any(spell.name == "Anvil" and not spell.silenced for spell in chapter.spells)
    if whirlpool.silenced or held:
        return
    for spell in chapter.spells:
        assert spell.power >= whirlpool.power or spell.element == "Water"


@given(chapters())
def test_without_constants_what_is_beneath_is_what_is_seen(s: State) -> None:
    for spell in s.played:
        spell.silenced = True
    plain = [n for n in (p.spell for p in s.played) if BOOK.spells[n].attributes == ()]
    for base, now in zip(s.played, Chapter(s).spells, strict=True):
        if base.spell in plain:
            assert (base.power, base.element) == (now.power, now.element)
