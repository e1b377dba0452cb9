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


CARDS = """
# base
1 A I * Guilty Bond
1 A D - Reckless Attack
1 A I * Toxic Gift
1 A I - Trance State
1 A I * Windstorm
1 A I * Wrath
1 R I - Mirror Image
1 R I * Renewal
1 R I * Shared Power
1 R I * Sleight of Hand
1 R I - Soul Pact
1 U O - Battle Vision
1 U O * Power Hungry
1 U O - Puppetmaster
1 U D - Silent Support
1 U I * Sneaky Deal
2 A I - After Shock
2 A I * Bad Fortune
2 A I - Contamination
2 A I - Dance of Pain
2 A I * Drain Soul
2 A I - Force of Nature
2 A I - Ice Storm
2 A I * Mist of Pain
2 A I * Mutation
2 A I * Overload
2 A I - Stone Crush
2 A I * Touch the Void
2 R I * Arcane Tactics
2 R I * Energy Reserve
2 R I - Fracture
2 R I * Freeze
2 R I * Friendly Truce
2 R I * Gleam of Hope
2 R I * Living Wind
2 R I * Rejuvenation
2 R I * Shackled Motion
2 U I - Arcane Eye
2 U I - Coercive Agreement
2 U I * Haste
2 U I * Renewed Fervor
2 U O - Secret Oath
2 U I * Time Distortion
3 A I * Betrayal
3 A I - Blood Lust
3 A I - Delusion
3 A D * Doom Drop
3 A I * Energy Storm
3 A I * Fire Blast
3 A I - Painful Vision
3 A I - Possessed
3 A I * Second Strike
3 A I * Trap Attack
3 A I * Vile Laughter
3 U I - Energy Shield
3 U O - Growth
4 A I * Fury
4 A I * Hellstorm
4 A I * Shadow Attack
5 A I * Crushing Blow
# lost-pages
1 A I - Amnesia
1 A O - False Face
1 R O - Lullaby
1 U D - Quick Swap
2 A I - Fatal Flaw
2 A I - Tsunami
2 R I - Affliction
2 U D - Wild Bloom
3 A I - Hoodwink
3 A I - Twist of Fate
# shifting-sands
1 A I - Backfire
1 U I - Shadow Oath
1 R I - Symbiosis
2 A I - Death Spiral
2 R I - Invisible Friend
2 R I - Transfigure
3 A I - Echo
4 U I - Eclipse
"""
"""The cards as the page has them: cost, kind, activation, * for beginners, name; by sets."""

KINDS = {"A": ATTACK, "R": REGENERATION, "U": UTILITY}
ACTS = {"I": INSTANT, "D": DELAYED, "O": ONGOING}


def test_every_card_is_as_on_the_page_and_in_its_order() -> None:
    book = []
    for row in CARDS.split("\n")[1:-1]:
        if row.startswith("#"):
            of = row[2:]
        else:
            cost, kind, act, star, name = row.split(" ", 4)
            book.append((name, int(cost), KINDS[kind], ACTS[act], of, star == "*"))
    assert book == [
        (spell.name, spell.cost, spell.kind, spell.act, spell.set, spell.beginner)
        for spell in BOOK.values()
    ]


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


@pytest.mark.parametrize("ruling", range(1, 22))
def test_a_ruling_has_a_scenario(ruling: int) -> None:
    assert any(name.startswith(f"ruling-{ruling:02}-") for name in SCENARIOS)
