"""What a spell can be about: *other* spells are never the spell itself, nor is what it would
leave as it is (rules page, *Words*; common.md 4)."""

from __future__ import annotations

from typing import Any

import pytest

from sigilpost_engine.core.match import Match
from sigilpost_engine.games import find

ALL_SETS = {"sets": ["base", "lost-pages", "shifting-sands"]}
MINE = [
    "Crushing Blow",
    "Growth",
    {"name": "Haste", "mana": [1, 2]},
    {"name": "Fury", "mana": [3]},
    {"name": "Overload", "mana": [1]},
]
THEIRS = ["Wrath", {"name": "Windstorm", "mana": [1]}, {"name": "Renewal", "mana": [1, 1]}]

OTHERS_IN_USE = ["Haste", "Fury", "Overload"]
OTHERS = ["Crushing Blow", "Growth", *OTHERS_IN_USE]
OPPONENTS_IN_USE = ["Windstorm", "Renewal"]

OFFERED = {
    "Mirror Image": [*OTHERS_IN_USE, "Mirror Image"],
    "Sneaky Deal": OTHERS_IN_USE,
    "Energy Reserve": OTHERS_IN_USE,
    "Fracture": OTHERS_IN_USE,
    "Freeze": ["Wrath", "Windstorm", "Renewal"],
    "Coercive Agreement": OTHERS_IN_USE,
    "Time Distortion": OTHERS_IN_USE,
    "Delusion": OPPONENTS_IN_USE,
    "Trap Attack": OTHERS_IN_USE,
    "Energy Shield": OTHERS_IN_USE,
    "Shadow Attack": OTHERS_IN_USE,
    "Fatal Flaw": OPPONENTS_IN_USE,
    "Twist of Fate": OTHERS,
    "Shadow Oath": OTHERS_IN_USE,
    "Transfigure": ["Crushing Blow", "Growth"],
    "Eclipse": [*OTHERS, "Eclipse", "Wrath", "Windstorm", "Renewal"],
}
"""What each spell's first question about spells offers, cast onto the rows above."""

BY_OPTION = {"Sneaky Deal", "Freeze", "Coercive Agreement", "Transfigure"}
"""They choose a spell if the second of their options is chosen."""

SUPPORT = {"name": "Silent Support", "mana": [1, 1]}


def begin(mine: list[Any], **setup: Any) -> Match[Any]:
    game = find("wizards")
    hands = {"alice": {"hand": [1] * 5, "spells": mine}, "bob": {"hand": [1, 1], "spells": THEIRS}}
    doc = {"turn": "alice", "phase": "cast", **setup, **hands}
    return Match.from_setup(game, doc, ["alice", "bob"], game.read_options(ALL_SETS), b"key")


def offered(match: Match[Any]) -> list[str]:
    """The items of the question that is open for the first seat."""
    prompt = match.prompt(0)
    assert prompt is not None
    pick = prompt.moves[0].pick
    assert pick is not None
    return list(pick.items)


@pytest.mark.parametrize("spell", OFFERED)
def test_a_spell_offers_just_these(spell: str) -> None:
    match = begin([*MINE, spell])
    match.submit(0, f"cast {spell}")
    if spell in BY_OPTION:
        match.submit(0, "choose 2")
    assert offered(match) == OFFERED[spell]


def test_fracture_moves_onto_any_other_but_the_one_it_moves_off() -> None:
    match = begin([*MINE, "Fracture"])
    match.submit(0, "cast fracture")
    match.submit(0, "choose haste")
    assert offered(match) == ["Crushing Blow", "Growth", "Fury", "Overload"]


def test_silent_support_with_mana_left_is_no_other_spell() -> None:
    # Off Fury and Overload the only mana is discarded.
    match = begin(
        [*MINE[2:], {"name": "Renewed Fervor", "mana": [1, 1]}, SUPPORT], phase="cooldown"
    )
    assert offered(match) == ["Haste", "Renewed Fervor"]


def test_wild_bloom_casts_own_instants_that_are_not_in_use() -> None:
    bloom = {"name": "Wild Bloom", "mana": [1]}
    match = begin([*MINE, bloom], phase="cooldown")
    assert offered(match) == ["Crushing Blow", "Fury", "Overload"]


def test_twist_of_fate_takes_out_no_spell_but_another() -> None:
    match = begin([{"name": "Growth", "mana": [1]}, "Twist of Fate"])
    match.submit(0, "cast twist of fate")
    assert offered(match) == ["Growth"]
