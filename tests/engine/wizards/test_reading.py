"""The table laid out for reading, and the commands that a question offers."""

from __future__ import annotations

from typing import Any

from sigilpost_engine.core.match import Match
from sigilpost_engine.core.prompts import Prompt
from sigilpost_engine.games import find
from sigilpost_engine.texts import Texts, layout

WIZARDS = find("wizards")
TEXTS = Texts("en")
SEATS = ["alice", "bob"]


def begin(setup: dict[str, Any]) -> Match[Any]:
    return Match.from_setup(WIZARDS, setup, SEATS, {}, b"key")


def position() -> Match[Any]:
    return begin(
        {
            "turn": "alice",
            "phase": "cast",
            "pool": ["Haste"],
            "spell_deck": [],
            "mana_discard": [1, 4, 1],
            "casts": [{"spell": "Haste", "paid": 2}],
            "discounts": {"any": 2},
            "alice": {
                "hand": [4, 1, 1],
                "spells": [
                    {"name": "Fury"},
                    {"name": "Wrath", "mana": [3, 2], "known": [["alice"], []]},
                ],
            },
            "bob": {
                "health": 31,
                "hand": [2],
                "last_attack": {"power": 3, "damage": 0},
                "spells": [{"name": "Growth", "mana": [4]}],
            },
        }
    )


def rows(view: dict[str, Any]) -> list[str]:
    """The lines of the sheet, wide enough that none wraps, with single blanks."""
    text = layout.sheet(WIZARDS.sheet(view), TEXTS, 160)
    return [" ".join(line.split()) for line in text.splitlines()]


def test_both_rows_show_cost_kind_activation_mana_what_is_known_and_a_line() -> None:
    match = position()
    shown = rows(match.view(0))
    assert shown[0] == "alice (you)"
    assert "Hand 1, 1, 4" in shown
    assert "Fury 2 (4) attack instant – Deal 1 per spell of theirs in use." in shown
    assert "Wrath 0 (1) attack instant 2: 3 ? They discard 2 mana, or take 2." in shown
    assert "Hand 1 mana" in shown
    assert "Last basic attack power 3, 0 dealt" in shown
    assert "Growth 3 utility ongoing 1: ? In your turn every mana has 1 more power." in shown
    assert "Haste 2 utility instant Your next spell this turn costs 2 less." in shown
    assert "Discarded mana 2 × 1, 1 × 4" in shown
    assert "Cast this turn Haste (paid 2, dealt 0)" in shown
    assert "Discounts next spell 2 less" in shown


def test_the_opponent_reads_the_same_table_without_what_is_hidden() -> None:
    shown = rows(position().view(1))
    assert shown[0] == "bob (you)"
    assert "Hand 3 mana" in shown
    assert "Wrath 0 (1) attack instant 2: ? ? They discard 2 mana, or take 2." in shown


def test_a_spectator_reads_no_hand() -> None:
    shown = rows(position().view(None))
    assert shown[0] == "alice"
    assert "Hand 3 mana" in shown
    assert "Hand 1 mana" in shown


def test_the_table_says_how_mana_on_spells_is_to_be_read() -> None:
    shown = rows(position().view(0))
    said = "Mana on spells how many: their powers, the top last; ? is hidden from you"
    assert said in shown
    bare = begin({"phase": "cast", "turn": "alice", "alice": {"spells": ["Fury"]}})
    assert said not in rows(bare.view(0))


def test_the_table_says_what_the_game_is_played_with_where_it_is_not_the_usual() -> None:
    unusual = {"sets": ["base", "lost-pages"], "beginner": True, "ban": ["Haste"], "hand_limit": 9}
    match = Match.begin(WIZARDS, SEATS, WIZARDS.read_options(unusual), b"key")
    lines = [
        "Sets base, lost-pages",
        "Beginner only spells for beginners",
        "Left out Haste",
        "Hand limit 9",
    ]
    assert [line for line in rows(match.view(0)) if line in lines] == lines
    usual = rows(begin({}).view(0))
    assert not [line for line in usual if line.startswith(("Sets", "Beginner", "Left", "Hand l"))]


def card(name: str) -> list[str]:
    return [TEXTS.render(message) for message in WIZARDS.explain(name)]


def test_a_card_names_its_kind_in_full() -> None:
    assert card("Renewal")[0] == "Renewal: cost 1, regeneration, instant; set base, beginner spell."


def test_the_ruling_on_delayed_spells_is_true_of_wild_bloom_too() -> None:
    """Wild Bloom acts for its last mana only (Spells, lost-pages); the others once a mana."""
    assert any("once for every mana" in text for text in card("Doom Drop"))
    assert not any("once for every mana" in text for text in card("Wild Bloom"))
    assert any("leaves it empty" in text for text in card("Wild Bloom"))


def asked(match: Match[Any], seat: int) -> Prompt:
    prompt = match.prompt(seat)
    assert prompt is not None
    return prompt


def test_the_menu_shows_an_example_of_each_cast() -> None:
    match = position()
    assert WIZARDS.menu(asked(match, 0)) == [
        "cast Fury with 1, 1",
        "attack 1 / 4",
        "end",
        "end turn",
    ]


def test_the_menu_shows_how_to_decline() -> None:
    spells = [{"name": "Mist of Pain"}]
    match = begin(
        {
            "turn": "alice",
            "phase": "cast",
            "alice": {"hand": [1, 1], "spells": spells},
            "bob": {"hand": [2, 3]},
        }
    )
    match.submit(0, "cast mist of pain")
    assert WIZARDS.menu(asked(match, 1)) == ["choose 2", "choose none"]


def test_the_menu_of_six_spells_names_what_can_be_replaced() -> None:
    names = ["Fury", "Wrath", "Growth", "Renewal", "Overload"]
    spells = [*names, {"name": "Mutation", "mana": [1]}]
    match = begin(
        {"turn": "alice", "phase": "choose", "pool": ["Haste"], "alice": {"spells": spells}}
    )
    menu = WIZARDS.menu(asked(match, 0))
    assert menu[:2] == ["keep", "pick Haste replacing Fury / Wrath / Growth / Renewal / Overload"]
