"""The book of spells: the facts of the cards (rules page, *Components* and *Spells*)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from sigilpost_engine.core.messages import Msg
from sigilpost_engine.games import find
from sigilpost_engine.games.wizards.book import (
    ATTACK,
    BOOK,
    DELAYED,
    INSTANT,
    ONGOING,
    REGENERATION,
    UTILITY,
    Spell,
)
from sigilpost_engine.games.wizards.state import DECK
from sigilpost_engine.texts import Texts

TEXTS = Texts("en")
every_spell = pytest.mark.parametrize("spell", BOOK.values(), ids=lambda spell: spell.slug)


def test_sixty_mana_cards() -> None:
    assert DECK == {1: 32, 2: 16, 3: 8, 4: 4}


def test_the_sets_have_sixty_ten_and_eight_spells_and_beginners_thirty_seven() -> None:
    assert Counter(spell.set for spell in BOOK.values()) == {
        "base": 60,
        "lost-pages": 10,
        "shifting-sands": 8,
    }
    assert {spell.set for spell in BOOK.values() if spell.beginner} == {"base"}
    assert sum(spell.beginner for spell in BOOK.values()) == 37


def test_kinds_and_activations_as_on_the_page() -> None:
    assert Counter(spell.kind for spell in BOOK.values()) == {
        ATTACK: 42,
        REGENERATION: 19,
        UTILITY: 17,
    }
    delayed = {name for name, spell in BOOK.items() if spell.act == DELAYED}
    assert delayed == {
        "Reckless Attack",
        "Silent Support",
        "Doom Drop",
        "Quick Swap",
        "Wild Bloom",
    }
    ongoing = {name for name, spell in BOOK.items() if spell.act == ONGOING}
    assert ongoing == {
        "Battle Vision",
        "Power Hungry",
        "Puppetmaster",
        "Secret Oath",
        "Growth",
        "False Face",
        "Lullaby",
    }


@every_spell
def test_a_spell_can_do_what_its_activation_says(spell: Spell) -> None:
    assert (spell.act == INSTANT) == (spell.effect is not None and not spell.due and not spell.ends)
    assert (spell.act == DELAYED) == (spell.discarded is not None)
    if spell.act == ONGOING:
        hooks = [spell.boost, spell.takes_attack_mana, spell.allows, spell.attacked]
        assert any([*hooks, spell.due, spell.ends])


@every_spell
def test_a_spell_has_a_line_a_text_and_its_rulings(spell: Spell) -> None:
    told = find("wizards").explain(spell.name)
    for message in (*told, Msg(f"wizards.line.{spell.slug}")):
        assert TEXTS.knows(message.id), message.id
    assert not TEXTS.knows(f"wizards.ruling.{spell.slug}.{spell.rulings + 1}")


@every_spell
def test_the_line_for_the_table_is_short(spell: Spell) -> None:
    assert len(TEXTS(f"wizards.line.{spell.slug}")) <= 48


SCENARIOS = [
    file.stem for file in (Path(__file__).parents[2] / "scenarios" / "wizards").glob("*.toml")
]


@every_spell
def test_a_spell_has_a_scenario(spell: Spell) -> None:
    wanted = f"spell-{spell.slug}"
    assert any(name == wanted or name.startswith(wanted + "-") for name in SCENARIOS)


@pytest.mark.parametrize("ruling", range(1, 17))
def test_a_ruling_has_a_scenario(ruling: int) -> None:
    assert any(name.startswith(f"ruling-{ruling:02}-") for name in SCENARIOS)
