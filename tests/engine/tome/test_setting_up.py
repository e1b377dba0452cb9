"""Positions that cannot be are refused, each at the key that is at fault."""

from __future__ import annotations

from typing import Any

import pytest

from sigilpost_engine.core.errors import BadDocument
from sigilpost_engine.texts import Texts

from .tables import position

SOME: dict[str, Any] = {"by": "alice", "spell": "Stoke"}
BOTH = {"sets": ["light", "dusk"]}
OURS = ["Fire", "Earth", "Wind", "Iron", "Light"]

REFUSED: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    # Options that the document contradicts.
    ({"sets": ["light", "dusk"], "elements": OURS}, {"sets": ["light"]}, "sets"),
    ({"sets": ["abyss"]}, {}, "sets"),
    ({"easy": True}, {"easy": False}, "easy"),
    ({"easy": "perhaps"}, {}, "easy"),
    ({"mode": "duel"}, {"mode": "team"}, "mode"),
    ({"mode": 7}, {}, "mode"),
    # Elements.
    ({"elements": "Fire"}, {}, "elements"),
    ({"elements": ["Fire", "Fire", "Wind", "Water", "Light"]}, {}, "elements"),
    ({"elements": ["Fire", "Earth", "Wind", "Water", "Cheese"]}, {}, "elements"),
    ({"elements": ["Fire", "Earth", "Wind", "Light", "Shadow"]}, BOTH, "elements"),
    # Numbers.
    ({"round": 0}, {}, "round"),
    ({"chapter": "one"}, {}, "chapter"),
    ({"score": {"north": -1}}, {}, "score.north"),
    ({"score": {"bob": 1}}, {}, "score.bob"),
    ({"score": 4}, {}, "score"),
    # Survival.
    ({"alice": {"health": -1}}, {"mode": "survival"}, "alice.health"),
    ({"alice": {"health": "two"}}, {"mode": "survival"}, "alice.health"),
    (
        {name: {"health": 0} for name in ("bob", "carol", "dan")},
        {"mode": "survival"},
        "bob.health",
    ),
    # Cards.
    ({"title": "Rime"}, {}, "title"),
    ({"title": {"spell": "Nothing"}}, {}, "title.spell"),
    ({"title": {"spell": "Stoke", "colour": "red"}}, {}, "title.colour"),
    ({"element_deck": ["Stoke", "Stoke"]}, {}, "element_deck"),
    ({"element_deck": "Stoke"}, {}, "element_deck"),
    ({"pile": [{"spell": "Stoke", "by": "eve"}]}, {}, "pile"),
    ({"pile": ["Stoke", "Stoke"]}, {}, "pile"),
    ({"pile": [{"spell": "Stoke", "when": 1}]}, {}, "pile.when"),
    ({"aside": ["Nothing"]}, {}, "aside"),
    ({"alice": {"hand": ["Whirlpool"]}, "elements": OURS}, BOTH, "alice.hand"),
    ({"alice": {"hand": "Stoke"}}, {}, "alice.hand"),
    ({"alice": {"mana": 3}}, {}, "alice.mana"),
    ({"alice": ["Stoke"]}, {}, "alice"),
    # The chapter.
    ({"played": {"alice": "Stoke"}}, {}, "played"),
    ({"played": ["Stoke"]}, {}, "played"),
    ({"played": [{"spell": "Stoke"}]}, {}, "played"),
    ({"played": [{"by": "alice"}]}, {}, "played"),
    ({"played": [{**SOME, "power": 4}]}, {}, "played"),
    ({"played": [{**SOME, "choose": 3}]}, {}, "played"),
    ({"played": [{**SOME, "choose": ["none", 3]}]}, {}, "played"),
    ({"resolved": True, "played": [{**SOME, "choose": "none"}]}, {}, "played"),
    ({"resolved": True, "played": [{**SOME, "power": True}]}, {}, "played"),
    ({"resolved": True, "played": [{**SOME, "power": "G"}]}, {}, "played"),
    ({"resolved": True, "played": [{**SOME, "element": "Cheese"}]}, {}, "played"),
    ({"resolved": True, "played": [{**SOME, "silenced": "yes"}]}, {}, "played"),
    ({"resolved": True, "played": [{**SOME, "beneath": 4}]}, {}, "played"),
    ({"resolved": True, "played": [{**SOME, "beneath": {"colour": 4}}]}, {}, "played"),
    ({"resolved": True, "played": [{**SOME, "power": 9, "beneath": {"power": 4}}]}, {}, "played"),
    ({"resolved": "yes"}, {}, "resolved"),
    # The Chain.
    ({"resolved": True, "chain": "Fire"}, {}, "chain"),
    ({"resolved": True, "chain": {"element": "Cheese"}}, {}, "chain.element"),
    ({"resolved": True, "chain": {"element": "Light"}}, {}, "chain.element"),
    ({"resolved": True, "chain": {"element": "Fire", "broken": 1}}, {}, "chain.broken"),
    ({"resolved": True, "chain": {"links": 3}}, {}, "chain.links"),
    # What is due.
    ({"due": [{"spell": "Stoke", "timing": "each time"}]}, {}, "due"),
    ({"resolved": True, "due": ["Stoke"]}, {}, "due"),
    ({"resolved": True, "due": [{"spell": "Stoke", "timing": "each time"}]}, {}, "due"),
    (
        {"resolved": True, "played": [SOME], "due": [{"spell": "Stoke", "timing": "on play"}]},
        {},
        "due",
    ),
    (
        {"resolved": True, "played": [SOME], "due": [{"spell": "Stoke", "timing": "at noon"}]},
        {},
        "due",
    ),
    ({"resolved": True, "judged": {"strongest": "eve"}}, {}, "judged.strongest"),
    ({"resolved": True, "judged": {"strongest": "bob"}}, {}, "judged.weakest"),
    ({"judged": {"strongest": "bob", "weakest": "bob"}}, {}, "judged"),
    # Whose turn.
    ({"turn": "bob", "played": [{"by": "bob", "spell": "Stoke"}]}, {}, "turn"),
    ({"dealer": "eve"}, {}, "dealer"),
    ({"leader": 2}, {}, "leader"),
    # The end.
    ({"score": {"north": 15, "south": 3}, "turn": "alice"}, {}, "turn"),
    ({"score": {"north": 15, "south": 14}, "result": {}}, {}, "result"),
    (
        {"score": {"north": 15, "south": 3}, "result": {"winners": ["bob", "dan"]}},
        {},
        "result.winners",
    ),
    ({"score": {"north": 15, "south": 3}, "result": {"prize": 1}}, {}, "result.prize"),
]


@pytest.mark.parametrize(("doc", "options", "path"), REFUSED, ids=str)
def test_a_position_that_cannot_be_is_refused_at_its_key(
    doc: dict[str, Any], options: dict[str, Any], path: str
) -> None:
    with pytest.raises(BadDocument) as refused:
        position(doc, **options)
    assert refused.value.path == path
    text = Texts("en").render(refused.value.message)
    assert text != refused.value.message.id
    assert "{" not in text


def test_all_players_of_a_complete_chapter_have_played_so_it_is_nobody_s_turn() -> None:
    spells = ("Quench", "Gleam", "Radiance", "Beacon")
    played = [{"by": by, "spell": spell} for by, spell in zip(SEATS, spells, strict=True)]
    with pytest.raises(BadDocument) as refused:
        position({"turn": "alice", "played": played})
    assert refused.value.path == "turn"


SEATS = ("alice", "bob", "carol", "dan")


def test_effects_that_are_due_have_their_turn() -> None:
    match = position(
        {
            "resolved": True,
            "played": [{"by": "alice", "spell": "Radiance"}, {"by": "bob", "spell": "Ebb"}],
            "due": [{"spell": "Ebb", "timing": "on play"}],
            "carol": {"hand": ["Stoke", "Gust"]},
        }
    )
    assert [row["power"] for row in match.dump()["played"]] == [2, 2]
    assert match.open[0].seat == 2


def test_a_chapter_that_is_judged_goes_on_with_what_is_due_then() -> None:
    spells = ("Quench", "Gleam", "Radiance", "Beacon")
    played = [{"by": by, "spell": spell} for by, spell in zip(SEATS, spells, strict=True)]
    match = position(
        {
            "resolved": True,
            "title": "Halo",
            "played": played,
            "judged": {"strongest": "carol", "weakest": "alice"},
            "due": [{"spell": "Quench", "timing": "after judging"}],
        }
    )
    assert (match.open[0].seat, match.open[0].topic) == (0, "spell or none")
    assert match.dump() == match.start_dump()


def test_left_out_hands_and_decks_are_dealt_to_fit_the_chapter() -> None:
    doc = position({"chapter": 4, "played": [{"by": "carol", "spell": "Gleam"}]}).dump()
    sizes = [len(doc[name]["hand"]) for name in SEATS]
    assert sizes == [3, 3, 2, 3]
    assert len(doc["element_deck"]) == 2
    duel = position({"chapter": 4, "turn": "alice"}, mode="duel").dump()
    assert [len(duel[name]["hand"]) for name in SEATS[:2]] == [4, 4]
    assert len(duel["draw_deck"]) == 4


def test_with_an_empty_element_deck_the_title_spell_stays_as_it_is_printed() -> None:
    match = position(
        {
            "title": {"spell": "Quench", "element": "Fire"},
            "element_deck": [],
            "turn": "dan",
            "leader": "alice",
            "played": [
                {"by": "alice", "spell": "Gleam"},
                {"by": "bob", "spell": "Halo"},
                {"by": "carol", "spell": "Beacon"},
            ],
            "dan": {"hand": ["Radiance", "Glimmer", "Gust"]},
        }
    )
    match.submit(3, "play radiance")
    doc = match.dump()
    assert (doc["chapter"], doc["title"]) == (2, "Quench")


def test_when_nobody_holds_a_spell_the_round_is_over() -> None:
    hands: dict[str, Any] = {name: {"hand": []} for name in SEATS}
    match = position({**hands, "dealer": "bob", "dan": {"hand": ["Radiance"]}})
    doc = match.dump()
    assert (doc["round"], doc["chapter"], doc["dealer"]) == (2, 1, "carol")
