"""What a card says is done in the order of its words: where its blow ends the game in the middle
(ruling 2), all before the blow has been done, and nothing after it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest

from sigilpost_engine.core.messages import NOTHING
from sigilpost_engine.core.scenario import play
from sigilpost_engine.games import find
from sigilpost_engine.games.wizards.book import BOOK
from sigilpost_engine.texts import Texts

ALL_SETS = {"sets": ["base", "lost-pages", "shifting-sands"]}


class Blow(NamedTuple):
    """A cast that ends the game: the opponent's health, the hand (what is paid comes first in
    it), and what lies on the table then; the spells beside the one that is cast."""

    health: int
    hand: list[int]
    expect: dict[str, Any]
    choose: str = ""
    others: tuple[Any, ...] = ()
    deck: tuple[int, ...] = (1,)
    bob: Mapping[str, Any] = NOTHING
    bob_chooses: str = ""
    casts: tuple[Any, ...] = ()


def paid(n: int) -> list[int]:
    return [1] * n


HASTE = {"name": "Haste", "mana": [3]}

BEFORE = {
    "Toxic Gift": Blow(3, [1, 2, 3], {"bob": {"hand": [3]}}, "3"),
    "After Shock": Blow(4, [1, 1, 4], {"alice": {"hand": [1]}, "mana_deck": [4, "…"]}, "4"),
    "Contamination": Blow(4, [1, 1, 2, 3], {"mana_deck": [3, 2, "…"]}, "2 3"),
    "Drain Soul": Blow(3, paid(2), {"alice": {"hand": [3]}}, bob={"hand": [1, 3]}),
    "Mist of Pain": Blow(
        3, paid(2), {"mana_discard": [2]}, bob={"hand": [2, 3]}, bob_chooses="choose 2"
    ),
    "Mutation": Blow(2, paid(2), {"alice": {"hand": [2]}}, deck=(2,)),
    "Possessed": Blow(
        3, paid(3), {"alice": {"hand": [2]}}, bob={"hand": [2, 3]}, bob_chooses="choose 2"
    ),
    "Fire Blast": Blow(7, [1, 1, 1, 4], {"alice": {"hand": []}, "mana_discard": [4]}),
    "Trap Attack": Blow(3, paid(3), {"alice": {"hand": [3]}}, others=(HASTE,)),
    "Hellstorm": Blow(1, paid(4), {"alice": {"hand_count": 5}}),
    "Shadow Attack": Blow(3, paid(4), {"mana_discard": [3]}, others=(HASTE,)),
    "Fatal Flaw": Blow(
        4,
        paid(2),
        {"bob": {"spells": [{"known": [["alice", "bob"]]}]}},
        bob={"spells": [{"name": "Fury", "mana": [3]}]},
    ),
    "Tsunami": Blow(1, paid(2), {"alice": {"hand": [1]}}),
    "Backfire": Blow(1, paid(1), {"bob": {"hand": [1]}}, bob={"hand": []}),
}
"""What stands before the blow in the card's text."""

AFTER = {
    "Windstorm": Blow(2, paid(1), {"alice": {"spells": [{"mana": paid(1)}]}}),
    "Bad Fortune": Blow(4, paid(2), {"alice": {"spells": [{"mana": paid(2)}]}}),
    "Dance of Pain": Blow(3, [1, 1, 2], {"alice": {"hand": [2]}}),
    "Delusion": Blow(
        3,
        paid(3),
        {"bob": {"spells": [{"mana": [1]}]}},
        bob={"spells": [{"name": "Fury", "mana": [1]}]},
    ),
    "Painful Vision": Blow(
        5, paid(3), {"alice": {"spells": [{"mana": paid(3)}, {"mana": [3]}]}}, others=(HASTE,)
    ),
    "Second Strike": Blow(3, paid(3), {"discounts": {"attack": 0}}),
    "Shadow Attack": Blow(3, paid(4), {"alice": {"hand": []}}, others=(HASTE,)),
    "Twist of Fate": Blow(2, paid(3), {"removed": []}, others=(HASTE,)),
    "Betrayal": Blow(5, paid(3), {"bob": {"hand": []}}, bob={"hand": []}),
    "Echo": Blow(
        3,
        paid(3),
        {"alice": {"hand": []}, "casts": [{}, {"spell": "Echo", "damage": 3}]},
        casts=({"spell": "Renewal", "paid": 1},),
    ),
}
"""What stands after it."""


@pytest.mark.parametrize("spell", BEFORE)
def test_what_stands_before_the_blow_has_been_done(spell: str) -> None:
    strike(spell, BEFORE[spell])


@pytest.mark.parametrize("spell", AFTER)
def test_what_stands_after_the_blow_is_not_done(spell: str) -> None:
    strike(spell, AFTER[spell])


def strike(spell: str, blow: Blow) -> None:
    """Cast the spell and look at the table of the game that it ended."""
    mana = " ".join(map(str, blow.hand[: BOOK[spell].cost]))
    lines = [f"cast {spell} with {mana}", *([f"choose {blow.choose}"] if blow.choose else [])]
    steps: list[dict[str, Any]] = [{"seat": "alice", "do": lines}]
    if blow.bob_chooses:
        steps.append({"seat": "bob", "do": blow.bob_chooses})
    steps[-1]["expect"] = {**blow.expect, "result": {"winners": ["alice"]}, "waiting": []}
    doc = {
        "format": 1,
        "game": "wizards",
        "seats": ["alice", "bob"],
        "options": ALL_SETS,
        "setup": {
            "turn": "alice",
            "phase": "cast",
            "mana_deck": list(blow.deck),
            "casts": list(blow.casts),
            "alice": {"hand": blow.hand, "spells": [spell, *blow.others]},
            "bob": {"health": blow.health, **blow.bob},
        },
        "steps": steps,
    }
    assert play(doc, find, Texts("en").render).faults == []
