"""Positions of Tome Weaver as documents."""

from __future__ import annotations

from sigilpost_engine.core.match import Match
from sigilpost_engine.games import find

WEAVER = find("weaver")
SEATS = ["alice", "bob"]


def test_a_position_states_the_options_that_are_not_the_usual_ones() -> None:
    options = {"hidden_cards": "flat", "space_match": "once"}
    doc = Match.begin(WEAVER, SEATS, options, b"options").dump()
    assert doc.items() >= options.items()
    again = Match.from_setup(WEAVER, doc, SEATS, {}, b"another stream")
    assert (again.state.flat, again.state.once) == (True, True)


def test_a_position_of_the_usual_options_names_none() -> None:
    doc = Match.begin(WEAVER, SEATS, {}, b"options").dump()
    assert doc.keys().isdisjoint({"hidden_cards", "space_match"})
