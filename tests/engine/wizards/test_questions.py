"""A question can be understood by itself, a week later, without the mail before it."""

from __future__ import annotations

from typing import Any

import pytest

from sigilpost_engine.core.match import Match
from sigilpost_engine.core.messages import Msg
from sigilpost_engine.games import find
from sigilpost_engine.texts import Texts

TEXTS = Texts("en")
GAME = find("wizards")
ALL_SETS = {"sets": ["base", "lost-pages", "shifting-sands"]}
ROW = ["Fury", "Doom Drop", {"name": "Haste", "mana": [1, 1]}, {"name": "Growth", "mana": [1]}]


def question(spell: str, *lines: str, **setup: Any) -> str:
    """What is asked after a cast of the spell and these answers, as its player reads it."""
    alice = {"hand": [1] * 4, "spells": [*ROW, spell]}
    bob = {"hand": [1] * 4, "spells": ["Wrath"]}
    doc = {"turn": "alice", "phase": "cast", "alice": alice, "bob": bob, **setup}
    match = Match.from_setup(GAME, doc, ["alice", "bob"], GAME.read_options(ALL_SETS), b"key")
    for line in (f"cast {spell}", *lines):
        match.submit(0, line)
    (prompt,) = match.open
    topic = prompt.topic.replace(" ", "-")
    return TEXTS.render(Msg(f"wizards.ask.{topic}", prompt.values))


QUESTIONS = {
    ("Twist of Fate", "choose haste"): "Twist of Fate: which spell of the pool takes the place of "
    "Haste, and the mana on it?",
    ("Transfigure", "choose 2", "choose fury"): "Transfigure: which spell of the pool takes the "
    "place of Fury?",
    ("Fracture", "choose haste"): "Fracture: onto which other spell does the top mana of Haste go?",
    ("Eclipse",): "Eclipse: on which spell, yours or bob's, does the revealed 2 go? Still to come: "
    "3, 4.",
    ("Eclipse", "choose fury"): "Eclipse: on which spell, yours or bob's, does the revealed 3 go? "
    "Still to come: 4.",
    ("Eclipse", "choose fury", "choose fury"): "Eclipse: on which spell, yours or bob's, does the "
    "revealed 4 go?",
    ("Rejuvenation", "choose 2"): "Rejuvenation: which 2 mana do you take from the discard pile?",
    ("Wrath",): "alice's Wrath deals you 2 unless you discard 2 mana: choose them, or none.",
}


@pytest.mark.parametrize("way", QUESTIONS, ids=" ".join)
def test_a_question_says_what_it_is_about(way: tuple[str, ...]) -> None:
    setup: dict[str, Any] = {"mana_deck": [2, 3, 4], "mana_discard": [1, 2, 3]}
    if way == ("Wrath",):
        setup["bob"] = {"hand": [1, 1, 2]}
    assert question(*way, **setup) == QUESTIONS[way]
