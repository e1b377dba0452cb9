"""What a scenario file may say of a position, and what it is compared with (docs/scenarios.md)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sigilpost_engine.core.compare import compare
from sigilpost_engine.core.scenario import BadScenario, Fault, play
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


def test_no_line_at_all_is_a_fault_where_one_should_be_refused() -> None:
    (fault,) = of_wizards(CASTING, {"seat": "alice", "do": [], "reject": "illegal"})
    assert (fault.part, fault.found) == ("do", "accepted")


@pytest.mark.parametrize(
    ("key", "step"),
    [
        ("do", {"seat": "alice", "do": 3}),
        ("do", {"seat": "alice", "do": ["end turn", 3]}),
        ("seat", {"do": "end turn"}),
        ("seat", {"seat": ["alice"], "do": "end turn"}),
        ("expect", {"expect": ["alice"]}),
        ("expect.waiting", {"expect": {"waiting": 1}}),
        ("expect.asks", {"expect": {"asks": "alice"}}),
        ("expect.asks", {"expect": {"asks": {"zoe": "cast"}}}),
        ("expect.events", {"expect": {"events": 1}}),
        ("expect.as", {"expect": {"events": "casts", "as": 1}}),
        ("expect.hidden", {"expect": {"hidden": "Haste"}}),
        ("expect.hidden.as", {"expect": {"hidden": {"as": 1, "not_in_view": []}}}),
        ("expect.hidden.not_in_view", {"expect": {"hidden": {"as": "bob"}}}),
        ("expect.hidden.not_in_view", {"expect": {"hidden": {"not_in_view": [1]}}}),
        ("expect.hidden.not_in_veiw", {"expect": {"hidden": {"not_in_veiw": ["Haste"]}}}),
        ("expect.sees", {"expect": {"sees": True}}),
        ("expect.sees", {"expect": {"sees": {"zoe": {}}}}),
    ],
)
def test_a_step_of_another_shape_is_refused_with_the_key(key: str, step: dict[str, Any]) -> None:
    with pytest.raises(BadScenario) as refused:
        of_wizards(CASTING, step)
    assert refused.value.path == f"steps.1.{key}"
    assert "{" not in render(refused.value.message)


ODD = st.recursive(
    st.sampled_from([0, True, 1.5, "", "alice", "absent"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.just("alice"), inner),
    max_leaves=4,
)
PARTS = ["waiting", "asks", "events", "as", "hidden", "sees", "result", "alice", "pool", "you"]


@given(st.dictionaries(st.sampled_from([*PARTS, "turn_count", "pool_count"]), ODD))
def test_whatever_is_expected_holds_or_not_or_is_refused(expect: dict[str, Any]) -> None:
    refused: list[str] = []
    try:
        of_wizards(CASTING, {"expect": expect})
    except BadScenario as fault:
        refused.append(fault.path)
    assert all(path.startswith("steps.1.expect") for path in refused)


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
