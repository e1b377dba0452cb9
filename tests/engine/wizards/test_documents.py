"""What a seat sees, what it cannot tell apart, and what it imagines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sigilpost_engine.bots.players import random_answer
from sigilpost_engine.core.errors import BadOption, BadSetup
from sigilpost_engine.core.match import Match, Run
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.core.scenario import continuation
from sigilpost_engine.games import find
from sigilpost_engine.games.wizards import documents
from sigilpost_engine.games.wizards.state import DECK, State
from sigilpost_engine.texts import Texts

WIZARDS = find("wizards")
ALL_SETS = {"sets": ["base", "lost-pages", "shifting-sands"]}
SEATS = ["alice", "bob"]


def games(number: int) -> Iterator[Run[State]]:
    """Positions of random games, at every question."""
    options = WIZARDS.read_options(ALL_SETS)
    rng = Rng(b"documents")
    for game in range(number):
        run = Run(WIZARDS, WIZARDS.new(SEATS, options, f"documents {game}".encode()))
        run.start()
        while run.open:
            yield run
            run.answer(random_answer(run.open[0], rng))


def begin(setup: dict[str, Any], options: dict[str, Any] | None = None) -> Match[State]:
    return Match.from_setup(WIZARDS, setup, SEATS, options or ALL_SETS, b"key")


def test_an_imagined_world_shows_its_seat_the_same_and_has_all_cards() -> None:
    rng = Rng(b"imagined")
    for number, run in enumerate(games(3)):
        if number % 5:
            continue
        for seat in (0, 1):
            view = json.loads(json.dumps(WIZARDS.view(run.state, seat)))
            world = WIZARDS.imagine(view, rng)
            assert world is not None
            assert WIZARDS.view(world, seat) == view
            assert census(world) == census(run.state)


def census(s: State) -> Counter[int | str]:
    """All mana and spells."""
    cards: Counter[int | str] = Counter(s.mana_deck + s.mana_discard + s.unused_mana)
    cards.update(s.pool + s.spell_deck + s.removed + s.unused_spells)
    for wizard in s.wizards:
        cards.update(wizard.hand)
        for slot in wizard.spells:
            cards.update([slot.name, *slot.mana])
    return cards


HIDDEN: dict[str, Callable[[Any], Any]] = {
    "hand": lambda doc: doc["bob"]["hand"],
    "own unseen": lambda doc: doc["alice"]["spells"][0]["mana"][1],
    "own top": lambda doc: doc["alice"]["spells"][0]["mana"][2],
    "their spell": lambda doc: doc["bob"]["spells"][0]["mana"],
    "mana deck": lambda doc: doc["mana_deck"],
    "spell deck": lambda doc: doc["spell_deck"],
}


def test_a_blurred_world_differs_in_every_place_that_is_hidden() -> None:
    """Hands, decks, and the mana on spells that a seat does not know are all dealt again."""
    match = begin(
        {
            "turn": "alice",
            "phase": "cast",
            "alice": {
                "hand": [1, 4],
                "spells": [{"name": "Fury", "mana": [1, 2, 3], "known": [["alice"], [], ["bob"]]}],
            },
            "bob": {"hand": [3, 4, 1], "spells": [{"name": "Haste", "mana": [4, 2]}]},
        }
    )
    true = match.dump()
    rng = Rng(b"blur")
    changed = Counter[str]()
    for _ in range(60):
        other = WIZARDS.dump(WIZARDS.blur(match.state, 0, rng))
        assert other["alice"]["hand"] == [1, 4]
        assert other["alice"]["spells"][0]["mana"][0] == 1
        for part, look in HIDDEN.items():
            changed[part] += look(other) != look(true)
    assert min(changed.values()) > 0
    assert changed.keys() == HIDDEN.keys()


def test_what_an_ongoing_spell_would_have_shown_is_no_secret() -> None:
    """With Secret Oath in use its owner knows that the opponent holds no mana of power 4."""
    match = begin(
        {
            "turn": "alice",
            "phase": "cast",
            "alice": {"hand": [1], "spells": [{"name": "Secret Oath", "mana": [1]}, "Wrath"]},
            "bob": {"hand": [1, 1, 1, 2, 2, 3]},
        }
    )
    rng = Rng(b"oath")
    for _ in range(50):
        other = WIZARDS.blur(match.state, 0, rng)
        assert 4 not in other.wizards[1].hand


def test_a_spectator_sees_only_the_mana_that_both_players_know() -> None:
    known = [["alice"], ["alice", "bob"], []]
    slot = {"name": "Fury", "mana": [1, 2, 3], "known": known}
    match = begin({"turn": "alice", "phase": "cast", "alice": {"hand": [4, 4], "spells": [slot]}})
    view = match.view(None)
    assert view["alice"] == {
        "health": 60,
        "hand": ["?", "?"],
        "spells": [{"name": "Fury", "mana": ["?", 2, "?"], "known": known}],
    }
    assert "you" not in view


def test_an_empty_setup_is_a_new_game() -> None:
    match = begin({})
    doc = match.dump()
    assert doc["phase"] == "opening"
    assert len(doc["pool"]) == 10
    assert len(doc["mana_deck"]) == 60
    assert doc["alice"] == doc["bob"] == {"health": 60, "hand": [], "spells": []}


def test_named_mana_lie_on_top_and_the_rest_is_dealt_under_them() -> None:
    doc = begin({"turn": "alice", "phase": "choose", "mana_deck": [4, 4, 3]}).dump()
    assert doc["mana_deck"][:3] == [4, 4, 3]
    assert Counter(doc["mana_deck"]) == DECK


def test_what_a_setup_leaves_out_stays_out_through_dump_and_setup() -> None:
    setup = {"turn": "alice", "phase": "choose", "pool": ["Haste"], "spell_deck": ["Fury"]}
    first = begin({**setup, "mana_deck": []}).dump()
    assert first["spell_deck"] == ["Fury"]
    assert len(first["pool"]) == 10
    assert len(first["unused_spells"]) == 78 - 11
    assert sum(Counter(first["unused_mana"]).values()) == 60
    assert begin(first).dump() == first


@pytest.mark.parametrize(
    ("setup", "keys"),
    [
        ({"pool": ["Fury"], "removed": ["Fury"]}, {"pool", "removed"}),
        ({"mana_discard": [4, 4, 4], "alice": {"hand": [4, 4]}}, {"mana_discard", "alice.hand"}),
        (
            {"mana_deck": [4], "bob": {"spells": [{"name": "Fury", "mana": [4] * 4}]}},
            {"mana_deck", "bob.spells"},
        ),
        ({"alice": {"health": 0}, "bob": {"health": 0}}, {"alice.health", "bob.health"}),
        (
            {"phase": "opening", "turn": "alice", "alice": {"spells": ["Fury"]}},
            {"turn", "phase", "alice.spells", "bob.spells"},
        ),
    ],
)
def test_any_of_the_keys_that_conflict_can_be_called_at_fault(
    setup: dict[str, Any], keys: set[str]
) -> None:
    with pytest.raises(BadSetup) as refusal:
        begin(setup)
    assert {refusal.value.path, *refusal.value.others} == keys


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"sets": "lost-pages", "beginner": "yes"}, "sets"),
        ({"ban": ["Abracadabra"]}, "ban"),
        ({"health": 0}, "health"),
        ({"health": "none"}, "health"),
        ({"sets": "deluxe"}, "sets"),
        ({"hand_limit": "many"}, "hand_limit"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_options_that_cannot_be_are_named(options: dict[str, Any], fault: str) -> None:
    with pytest.raises(BadOption) as refusal:
        WIZARDS.read_options(options)
    assert refusal.value.path == fault


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"beginner": "perhaps"}, "Possible: yes, no."),
        ({"sets": "deluxe"}, "Possible: base, lost-pages, shifting-sands."),
        ({"hand_limit": "many"}, "It takes a number."),
        ({"ban": 3}, "It takes names with commas between them, or none."),
    ],
)
def test_a_value_that_cannot_be_is_told_what_could(options: dict[str, Any], told: str) -> None:
    with pytest.raises(BadOption) as refusal:
        WIZARDS.read_options(options)
    assert Texts().render(refusal.value.message).endswith(told)


def test_options_are_read_as_typed() -> None:
    options = WIZARDS.read_options(
        {
            "sets": "base, lost-pages",
            "ban": "secret oath, SecretOath",
            "hand_limit": "10",
            "beginner": "no",
        }
    )
    assert options == {
        "sets": ["base", "lost-pages"],
        "beginner": False,
        "health": 60,
        "hand_limit": 10,
        "ban": ["Secret Oath"],
    }


def test_a_dump_in_the_middle_of_the_cool_down_goes_on_in_the_same_way() -> None:
    """What was discarded before the question is discarded again: the dump is the step's start."""
    spells = [{"name": "Doom Drop", "mana": [1, 3]}, {"name": "Reckless Attack", "mana": [2]}]
    match = begin({"turn": "alice", "phase": "cooldown", "alice": {"spells": spells}})
    assert match.dump()["mana_discard"] == [3, 2]
    again = Match.from_setup(WIZARDS, continuation(match)["setup"], SEATS, ALL_SETS, b"another key")
    assert again.dump() == match.dump()
    assert again.open == match.open
    again.submit(0, "choose doom drop")
    assert again.dump()["bob"]["health"] == 56


def test_a_dump_in_the_middle_of_an_effect_has_the_answers_since_as_steps() -> None:
    spells = ["Sneaky Deal", {"name": "Haste", "mana": [1]}]
    match = begin({"turn": "alice", "phase": "cast", "alice": {"hand": [1, 2], "spells": spells}})
    match.submit(0, "cast sneaky deal with 2")
    found = continuation(match)
    assert found["setup"]["alice"]["hand"] == [1, 2]
    assert found["steps"] == [{"seat": "alice", "do": "cast Sneaky Deal with 2"}]


def test_no_seat_is_named_like_a_key() -> None:
    assert {"turn", "pool", "mana_deck", "casts", "discounts", "options", "you"} <= documents.KEYS
