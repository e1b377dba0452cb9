"""Reading commands (common.md 4 and 5)."""

from __future__ import annotations

import pytest

from sigilpost_engine.core import grammar
from sigilpost_engine.core.errors import Ambiguous, Illegal, Refusal, Unparseable
from sigilpost_engine.core.prompts import Answer, choose

SPELLS = ("Fury", "Echo", "Eclipse", "Energy Storm", "Energy Shield", "Quick Swap")


@pytest.mark.parametrize("typed", ["energy storm", "EnergyStorm", "energy-st", "ENERGY  ST."])
def test_case_spaces_and_punctuation_do_not_count(typed: str) -> None:
    assert grammar.named(typed, SPELLS, SPELLS) == "Energy Storm"


def test_two_that_fit_are_ambiguous_and_both_are_named() -> None:
    with pytest.raises(Ambiguous) as refusal:
        grammar.named("energy s", SPELLS, SPELLS)
    assert refusal.value.message.values["fits"] == ["Energy Shield", "Energy Storm"]


def test_a_whole_name_is_meant_even_if_it_begins_another() -> None:
    assert grammar.named("haste", ("Haste", "Haste Greater"), ()) == "Haste"


@pytest.mark.parametrize(
    ("typed", "refusal"), [("quick", Illegal), ("nothing such", Unparseable), ("--", Unparseable)]
)
def test_what_is_elsewhere_is_illegal_and_what_is_nothing_unparseable(
    typed: str, refusal: type[Refusal]
) -> None:
    with pytest.raises(refusal):
        grammar.named(typed, ("Fury", "Echo"), SPELLS)


def test_the_longest_command_word_counts() -> None:
    assert grammar.verb_of("End  Turn", ("end", "end turn")) == ("end turn", "")
    assert grammar.verb_of("end it", ("end", "end turn")) == ("end", "it")


def test_typographic_width_and_space_are_folded() -> None:
    assert grammar.verb_of("ｃａｓｔ\u00a0Fury", ("cast",)) == ("cast", "Fury")


def name(text: str, offered: object) -> str:
    return grammar.named(text, offered, SPELLS)  # type: ignore[arg-type]


def test_items_are_separated_by_commas_and_mana_by_spaces_too() -> None:
    spells = choose(0, "spells", SPELLS, 1, 3)
    mana = choose(0, "mana", ("1", "2", "4"), 1, 3)
    assert grammar.choice(spells, "fury, quick swap", name) == Answer(
        "choose", "", ("Fury", "Quick Swap")
    )
    assert grammar.choice(mana, "4 1,2", name) == Answer("choose", "", ("4", "1", "2"))


def test_choose_none_declines() -> None:
    assert grammar.choice(choose(0, "spells", SPELLS, 0, 1), "none", name) == Answer("choose")


def test_a_numbered_option_is_chosen_by_number_or_by_its_words_shortened() -> None:
    options = choose(0, "options", ("gain 4", "discard a mana"), numbered=True)
    for typed, meant in (("1", "gain 4"), ("2", "discard a mana"), ("disc", "discard a mana")):
        assert grammar.choice(options, typed, name) == Answer("choose", "", (meant,))
    with pytest.raises(Illegal):
        grammar.choice(options, "3", name)
