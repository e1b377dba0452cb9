"""A server's change of key, signed by both."""

from __future__ import annotations

from typing import Any

import pytest

from sigilpost_engine.wire import handover
from sigilpost_engine.wire.errors import WireError
from sigilpost_engine.wire.handover import Handover, follow
from sigilpost_engine.wire.keys import PrivateKey

ONE, TWO, THREE = (PrivateKey.from_seed(bytes([n]) * 32) for n in (1, 2, 3))
STEP = Handover.sign(ONE, TWO, 1_800_000_000)
NEXT = Handover.sign(TWO, THREE, 1_900_000_000)


def test_both_keys_have_signed_it() -> None:
    assert Handover.from_json(STEP.to_json()) == STEP


@pytest.mark.parametrize(
    "changes",
    [
        {"new": THREE.public.hex},
        {"old": THREE.public.hex},
        {"made": 1},
        {"by_old": STEP.by_new},
        {"by_new": STEP.by_old},
        {"by_old": "00"},
        {"by_new": None},
        {"old": "00" * 32},
        {"new": 7},
        {"made": "1800000000"},
        {"made": True},
        {"more": 1},
    ],
)
def test_any_change_makes_it_worthless(changes: dict[str, Any]) -> None:
    with pytest.raises(WireError):
        Handover.from_json({**STEP.to_json(), **changes})


@pytest.mark.parametrize("value", [None, [], "x", {}, 3])
def test_what_is_no_handover_is_none(value: object) -> None:
    with pytest.raises(WireError):
        Handover.from_json(value)


def test_a_key_is_not_handed_over_to_itself() -> None:
    with pytest.raises(WireError):
        Handover.sign(ONE, ONE, 1).check()


def test_the_signatures_of_the_two_sides_do_not_stand_for_each_other() -> None:
    """Whoever holds the new key alone cannot say that the old one agreed."""
    back = Handover.sign(TWO, ONE, 1_800_000_000)
    forged = {**STEP.to_json(), "by_old": back.by_new}
    with pytest.raises(WireError):
        Handover.from_json(forged)


def test_a_path_leads_from_any_known_key_to_the_newest() -> None:
    steps = [STEP, NEXT]
    assert follow(ONE.public.hex, THREE.public.hex, steps) == steps
    assert follow(TWO.public.hex, THREE.public.hex, steps) == [NEXT]
    assert follow(THREE.public.hex, THREE.public.hex, steps) == []
    assert follow(THREE.public.hex, ONE.public.hex, steps) is None
    assert follow(ONE.public.hex, THREE.public.hex, [STEP]) is None


def test_a_circle_ends() -> None:
    back = Handover.sign(TWO, ONE, 1)
    assert follow(ONE.public.hex, THREE.public.hex, [STEP, back]) is None


def test_of_a_list_only_the_good_ones_are_read() -> None:
    bad = {**STEP.to_json(), "made": 1}
    assert handover.read([bad, STEP.to_json(), None, 3]) == [STEP]
    nothing: tuple[object, ...] = (None, "text", 3, {})
    for value in nothing:
        assert handover.read(value) == []
