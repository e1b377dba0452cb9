"""A refused line changes nothing, and its answer says why (common.md, *Refusals*)."""

from __future__ import annotations

from typing import Any

import pytest

from sigilpost_engine.core.errors import Refusal
from sigilpost_engine.core.match import Match
from sigilpost_engine.games import find
from sigilpost_engine.texts import Texts

ALICE, BOB = 0, 1
TEXTS = Texts("en")


def begin(phase: str, alice: dict[str, Any], bob: dict[str, Any]) -> Match[Any]:
    setup = {"turn": "alice", "phase": phase, "pool": ["Freeze"], "alice": alice, "bob": bob}
    return Match.from_setup(find("wizards"), setup, ["alice", "bob"], {}, b"key")


def refusal(match: Match[Any], seat: int, line: str) -> str:
    """Kind and text of the answer to a line that must be refused and change nothing."""
    before = match.save()
    with pytest.raises(Refusal) as refused:
        match.submit(seat, line)
    assert match.save() == before
    return f"{refused.value.kind}: {TEXTS.render(refused.value.message)}"


CASTING = {
    "cast fury with 1 3 4 4": "illegal: Fury costs 4 now, and you hold 3 mana.",
    "cast haste with 1 3": "illegal: Haste is in use: it cannot be cast while mana lies on it.",
    "cast overload with 1": "illegal: 1 named, but it must be 2.",
    "cast overload with 1 2": "illegal: You do not hold “2”.",
    "cast overload with 4 4": "illegal: Named more often than it is there: 4.",
    "cast overload 4 3": "unparseable: “4 3” cannot stand right behind Overload: put “with” before "
    "the mana that you pay.",
    "cast overload now please": "unparseable: “now please” cannot stand right behind Overload: put "
    "“with” before the mana that you pay.",
    "cast nothing with 1": "unparseable: “nothing” is nothing in this game.",
    "attack 3 4": "illegal: 2 named, but it must be 1.",
    "attack 2": "illegal: You do not hold “2”.",
    "choose 1": "illegal: “choose” is not possible now.",
    "choose haste": "illegal: “choose” is not possible now.",
    "pick wrath": "illegal: “pick” is not possible now.",
    "pick freeze": "illegal: “pick” is not possible now.",
}


@pytest.mark.parametrize("line", CASTING)
def test_in_the_step_of_casting(line: str) -> None:
    spells = ["Fury", "Overload", {"name": "Haste", "mana": [1]}]
    match = begin("cast", {"hand": [1, 3, 4], "spells": spells}, {"hand": [2, 2]})
    assert refusal(match, ALICE, line) == CASTING[line]


@pytest.mark.parametrize("line", ["cast wrath", "choose 1", "choose fury", "pick fury", "attack 2"])
def test_who_is_not_asked_is_told_so_whatever_else_is_wrong(line: str) -> None:
    match = begin("cast", {"hand": [1], "spells": ["Wrath"]}, {"hand": [2, 2]})
    assert refusal(match, BOB, line) == "illegal: You are not asked anything now."


def test_what_stands_behind_the_name_of_a_picked_spell() -> None:
    row = ["Fury", "Overload", "Wrath", "Haste", "Echo", "Growth"]
    game = find("wizards")
    options = game.read_options({"sets": ["base", "shifting-sands"]})
    setup = {"turn": "alice", "phase": "choose", "pool": ["Freeze"], "alice": {"spells": row}}
    match = Match.from_setup(game, setup, ["alice", "bob"], options, b"key")
    assert refusal(match, ALICE, "pick freeze for wrath") == (
        "unparseable: “for wrath” cannot stand right behind Freeze: put “replacing” before the "
        "spell of yours that goes."
    )


def test_casting_is_over_in_the_step_of_the_basic_attack() -> None:
    match = begin("attack", {"hand": [1], "spells": ["Wrath"]}, {})
    assert refusal(match, ALICE, "cast wrath") == "illegal: “cast” is not possible now."


def test_puppetmaster_is_named_with_the_power_that_it_allows() -> None:
    """Also where no mana of that power is held, and with Growth, by the printed power."""
    growth = {"name": "Growth", "mana": [1]}
    puppets = {"name": "Puppetmaster", "mana": [1]}
    last = {"power": 3, "damage": 3}
    match = begin(
        "attack",
        {"hand": [1, 3], "spells": [growth]},
        {"spells": [puppets], "last_attack": last},
    )
    assert refusal(match, ALICE, "attack 3") == (
        "illegal: bob's Puppetmaster lets you make a basic attack only with 2."
    )
    assert refusal(match, ALICE, "attack 2") == "illegal: You do not hold “2”."


def test_puppetmaster_without_a_power_is_named_as_what_forbids_every_attack() -> None:
    match = begin(
        "cast",
        {"hand": [1, 3], "spells": ["Wrath"]},
        {"spells": [{"name": "Puppetmaster", "mana": [1]}]},
    )
    assert refusal(match, ALICE, "attack 3") == (
        "illegal: bob's Puppetmaster lets you make no basic attack now."
    )


def test_a_refusal_is_the_same_whatever_the_opponent_holds() -> None:
    lines = [*CASTING, "cast overload", "choose none", "end it", "keep"]
    spells = ["Fury", "Overload", {"name": "Haste", "mana": [1]}]
    answers = []
    for held in ([2, 2], [3, 4]):
        match = begin("cast", {"hand": [1, 3, 4], "spells": spells}, {"hand": held})
        answers.append([refusal(match, ALICE, line) for line in lines])
    assert answers[0] == answers[1]
