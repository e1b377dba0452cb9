"""Sets: what makes one playable, and that a game keeps to the version it was begun with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sigilpost_engine.core.errors import BadOption, UnknownVersion
from sigilpost_engine.core.match import Match
from sigilpost_engine.games.tome import sets
from sigilpost_engine.games.tome.spells import TIMINGS, BadSet, Element, F, Rules, Spell, SpellSet
from sigilpost_engine.texts import Texts

from .tables import TOME, begin, position

TEXTS = Texts("en")
SCENARIOS = Path(__file__).parents[2] / "scenarios" / "tome"
FAQ_ANSWERS = 9
QUICK_LINES = ("1a", "1b", "2", "2b", "3c", "5", "6", "9", "11")


@pytest.mark.parametrize("name", sets.OURS)
def test_every_spell_has_a_scenario_named_by_it(name: str) -> None:
    prefix = "spell" if name == "light" else name
    files = [file.stem for file in SCENARIOS.glob("*.toml")]
    for spell in sets.find(name).spells:
        assert any(file.startswith(f"{prefix}-{spell.slug}") for file in files), spell.name


def test_every_faq_answer_has_a_scenario_named_by_it() -> None:
    for number in range(1, FAQ_ANSWERS + 1):
        assert list(SCENARIOS.glob(f"faq-{number}-*.toml")), number


def test_lines_of_the_quick_reference_have_scenarios() -> None:
    for line in QUICK_LINES:
        assert list(SCENARIOS.glob(f"quick-{line}-*.toml")), line


def test_the_light_edition_is_six_spells_of_five_elements() -> None:
    light = sets.find("light")
    assert [e.name for e in light.elements] == ["Fire", "Earth", "Wind", "Water", "Light"]
    assert [e.name for e in light.elements if e.special] == ["Light"]
    assert len(light.spells) == 30


def test_the_dusk_edition_uses_every_timing_a_constant_and_an_attribute() -> None:
    dusk = sets.find("dusk")
    assert len([e for e in dusk.elements if not e.special]) == 4
    for timing in TIMINGS:
        assert any(spell.effect(timing) for spell in dusk.spells), timing
    assert any(spell.constant for spell in dusk.spells)
    assert any(spell.attributes for spell in dusk.spells)
    shadow = next(e for e in dusk.elements if e.special)
    assert shadow.rules is not None


@pytest.mark.parametrize("name", sets.OURS)
def test_every_text_of_a_set_is_in_the_catalogue(name: str) -> None:
    found = sets.find(name)
    wanted = [found.text("set", name)]
    wanted += [found.text("property", e.name.lower()) for e in found.elements if e.special]
    wanted += [found.text("spell", spell.slug) for spell in found.spells if spell.has_effect]
    wanted += [found.text("ruling", spell.slug) for spell in found.spells if spell.ruled]
    wanted += [found.text("note", name)] if found.note else []
    for message in wanted:
        assert TEXTS.knows(message.id), message.id


def test_a_light_spell_says_that_it_is_a_reconstruction() -> None:
    for card in ("Whirlpool", "Gleam"):
        words = [TEXTS.render(message) for message in TOME.explain(card)]
        assert any("reconstruction" in line for line in words)
    assert not any("reconstruction" in TEXTS.render(m) for m in TOME.explain("Rime"))


# --- versions -------------------------------------------------------------------------------------


def test_a_stored_game_names_its_sets_and_their_versions() -> None:
    stored = json.dumps(begin(sets="light,dusk").save())
    assert '"sets": {"light": "1.0.0", "dusk": "1.0.0"}' in stored


def test_a_game_refuses_to_go_on_with_another_version_and_names_both() -> None:
    stored = json.dumps(begin().save()).replace('{"light": "1.0.0"}', '{"light": "0.9.7"}')
    with pytest.raises(UnknownVersion) as refused:
        Match.load(TOME, json.loads(stored))
    assert "0.9.7" in str(refused.value)
    assert "1.0.0" in str(refused.value)


def test_a_game_refuses_to_go_on_without_its_set_and_names_it() -> None:
    stored = json.dumps(begin().save()).replace('{"light": "1.0.0"}', '{"abyss": "2.1"}')
    with pytest.raises(UnknownVersion) as refused:
        Match.load(TOME, json.loads(stored))
    assert "abyss 2.1" in str(refused.value)


def test_a_game_that_is_over_can_be_looked_at_with_any_version() -> None:
    over = position({"score": {"north": 16, "south": 2}})
    stored = json.dumps(over.save()).replace('{"light": "1.0.0"}', '{"light": "0.9.7"}')
    match = Match.load(TOME, json.loads(stored))
    assert match.view(0)["result"] == {"winners": ["alice", "carol"]}


# --- options --------------------------------------------------------------------------------------


@pytest.mark.parametrize("chosen", ["abyss", "light,light", "none", ["light", "Abyss"]])
def test_a_set_that_is_not_there_or_named_twice_is_refused(chosen: object) -> None:
    with pytest.raises(BadOption) as refused:
        TOME.read_options({"sets": chosen})
    assert refused.value.path == "sets"
    assert "{" not in TEXTS.render(refused.value.message)


def test_sets_are_named_without_case() -> None:
    assert TOME.read_options({"sets": "Dusk, LIGHT"})["sets"] == ["dusk", "light"]


@pytest.mark.parametrize(("mode", "seats"), [("team", [4]), ("duel", [2]), ("survival", [3, 4])])
def test_how_many_can_play(mode: str, seats: list[int]) -> None:
    assert list(TOME.seat_counts(TOME.read_options({"mode": mode}))) == seats


# --- what a set must be ---------------------------------------------------------------------------


def element(name: str, spells: int = 5, **more: object) -> tuple[Spell, ...]:
    """Spells of Power 1, 2, … and a Flux."""
    plain = tuple(Spell(f"{name} {power}", name, power) for power in range(1, spells + 1))
    return (*plain, Spell(f"{name} Flux", name, F))


def test_an_element_needs_six_spells() -> None:
    short = SpellSet("short", "1", (Element("Salt"),), element("Salt", 4))
    with pytest.raises(BadSet, match="Salt needs six spells"):
        short.check()


def test_an_element_needs_one_flux() -> None:
    spells = (*element("Salt")[:5], Spell("Salt 6", "Salt", 6))
    with pytest.raises(BadSet, match="one of Power F"):
        SpellSet("dry", "1", (Element("Salt"),), spells).check()


def test_a_special_spell_has_no_effect() -> None:
    odd = element("Salt")[0]._replace(constant=Rules(no_trump=True))
    with pytest.raises(BadSet, match="Special"):
        SpellSet("odd", "1", (Element("Salt", special=True),), (odd, *element("Salt")[1:])).check()


def test_a_name_is_used_once() -> None:
    same = element("Salt")[0]._replace(name="salt FLUX!")
    with pytest.raises(BadSet, match="twice"):
        SpellSet("same", "1", (Element("Salt"),), (same, *element("Salt")[1:])).check()


def test_a_spell_is_of_an_element_of_its_set() -> None:
    stray = Spell("Stray", "Pepper", 1)
    with pytest.raises(BadSet, match="Pepper"):
        SpellSet("stray", "1", (Element("Salt"),), (*element("Salt"), stray)).check()
