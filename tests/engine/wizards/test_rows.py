"""Stored matches of every schema load for ever, also those in the middle of an effect."""

from __future__ import annotations

import json
from pathlib import Path

from sigilpost_engine.core.match import Match
from sigilpost_engine.games import find

ROWS = Path(__file__).parent / "rows"


def test_a_row_of_schema_1_in_the_middle_of_an_effect_goes_on() -> None:
    """Two delayed spells are due, and their order is asked."""
    raw = json.loads((ROWS / "schema-1-in-an-effect.json").read_text("utf-8"))
    match = Match.load(find("wizards"), raw)
    match.submit(0, "choose silent support")
    match.submit(0, "choose fury")
    doc = match.dump()
    assert doc["bob"]["health"] == 56
    assert doc["alice"]["hand"] == [1, 3, 3]
    assert doc["mana_discard"] == [4, 2]
    assert doc["phase"] == "cast"


def test_there_is_a_row_of_every_schema() -> None:
    schemas = {json.loads(file.read_text("utf-8"))["state_schema"] for file in ROWS.glob("*.json")}
    assert schemas == set(range(1, find("wizards").schema + 1))
