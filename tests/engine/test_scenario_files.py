"""What a scenario file may say of a position, and what it is compared with (docs/scenarios.md)."""

from __future__ import annotations

from typing import Any

import pytest

from sigilpost_engine.core.scenario import Fault, compare, play
from sigilpost_engine.games import find
from sigilpost_engine.texts import Texts

render = Texts("en").render


def of_wizards(setup: dict[str, Any], *steps: dict[str, Any], **more: Any) -> list[Fault]:
    doc = {"format": 1, "game": "wizards", "seats": ["alice", "bob"], "setup": setup, **more}
    return play({**doc, "steps": list(steps)}, find, render).faults


def differs(expected: Any, found: Any) -> bool:
    faults: list[str] = []
    compare(lambda path, _expected, _found: faults.append(path), "", expected, found)
    return bool(faults)


CASTING = {"turn": "alice", "phase": "cast", "alice": {"hand": [1, 1, 2], "spells": ["Haste"]}}


def test_the_first_line_refused_stops_the_rest_of_the_mail() -> None:
    step = {"seat": "alice", "do": ["cast haste with 4 4", "end turn"], "reject": "illegal"}
    assert of_wizards(CASTING, {**step, "expect": {"turn": "alice", "phase": "cast"}}) == []


def test_a_line_refused_in_another_way_is_a_fault_wherever_it_stands() -> None:
    step = {"seat": "alice", "do": ["cast haste with 4 4", "end turn"], "reject": "ambiguous"}
    (fault,) = of_wizards(CASTING, step)
    assert (fault.part, fault.expected) == ("cast haste with 4 4", "ambiguous")


def test_lines_that_are_all_taken_though_one_should_be_refused_are_a_fault() -> None:
    step = {"seat": "alice", "do": ["cast haste with 1 1", "end turn"], "reject": "illegal"}
    (fault,) = of_wizards(CASTING, step)
    assert (fault.part, fault.found) == ("end turn", "accepted")


@pytest.mark.parametrize("key", ["removed", "pool"])
def test_where_keys_conflict_any_of_them_may_be_called_at_fault(key: str) -> None:
    assert of_wizards({"pool": ["Haste"], "removed": ["Haste"]}, refuse=key) == []


@pytest.mark.parametrize("key", ["alice.hand", "bob.spells", "mana_deck"])
def test_keys_that_hold_too_much_mana_together_may_each_be_called_at_fault(key: str) -> None:
    bob = {"spells": [{"name": "Haste", "mana": [4]}]}
    setup = {"alice": {"hand": [4, 4]}, "bob": bob, "mana_deck": [4, 4]}
    assert of_wizards(setup, refuse=key) == []


def test_a_key_that_has_no_part_in_the_conflict_is_not_at_fault() -> None:
    (fault,) = of_wizards({"pool": ["Haste"], "removed": ["Haste"]}, refuse="spell_deck")
    assert fault.part == "refuse"


@pytest.mark.parametrize("found", [{}, {"less": 0}, {"less": []}, {"less": {"any": 0}}])
def test_what_equals_its_default_counts_as_absent(found: Any) -> None:
    assert not differs({"less": "absent"}, found)


@pytest.mark.parametrize("value", [1, [1], {"any": 1}, "no", True])
def test_what_differs_from_its_default_is_not_absent(value: Any) -> None:
    assert differs({"less": "absent"}, {"less": value})


def test_a_hand_that_goes_on_holds_at_least_the_cards_named() -> None:
    assert not differs({"hand": [2, 1, "…"]}, {"hand": [1, 2, 3]})
    assert differs({"hand": [2, 2, "…"]}, {"hand": [1, 2, 3]})
