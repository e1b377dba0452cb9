"""Standing orders in positions of the games: a reaction, a hand, a spell's question."""

from __future__ import annotations

from typing import Any

import pytest

from sigilpost_engine.core import standing
from sigilpost_engine.core.match import Match
from sigilpost_engine.core.trials import Trial, first_used, trials
from sigilpost_engine.games import find


def position(game: str, seats: tuple[str, ...], setup: dict[str, Any]) -> Match[Any]:
    return Match.from_setup(find(game), setup, seats, {}, b"a key")


def tried(match: Match[Any], seat: int, *lines: str) -> list[Trial]:
    """What comes of the orders of a seat that is asked something."""
    game, prompt = match.game, match.prompt(seat)
    assert prompt is not None
    orders = [standing.read(line, game.topics, game.fact_names) for line in lines]
    return list(trials(game, match.view(seat), prompt, orders))


@pytest.fixture
def attacked() -> Match[Any]:
    """Bob has Battle Vision in use, and Alice attacks with a 4."""
    match = position(
        "wizards",
        ("alice", "bob"),
        {
            "turn": "alice",
            "phase": "attack",
            "alice": {"hand": [4, 1]},
            "bob": {
                "hand": [4, 1],
                "health": 18,
                "spells": [{"name": "Battle Vision", "mana": [1]}],
            },
        },
    )
    match.submit(0, "attack 4")
    return match


def test_a_reaction_waits_for_nobody(attacked: Match[Any]) -> None:
    outcome = tried(attacked, 1, "on battle vision when health < 20 do choose 4")
    assert [each.answer for each in outcome if each.answer]
    line = attacked.game.phrase(outcome[-1].answer)  # type: ignore[arg-type]
    attacked.submit(1, line)
    assert attacked.dump()["bob"]["health"] == 18


def test_the_mana_that_attacks_is_the_one_discarded_last(attacked: Match[Any]) -> None:
    first, second = tried(
        attacked,
        1,
        "on battle vision when last_discarded < 3 do choose none",
        "on battle vision when last_discarded = 4 and 4 in hand do choose 4",
    )
    assert not first.fits
    assert second.answer is not None


def test_an_order_about_another_spell_or_step_does_not_fit(attacked: Match[Any]) -> None:
    outcomes = tried(
        attacked,
        1,
        "on mist of pain do choose 4",
        "on cast do choose 4",
        "when my_turn do choose 4",
        "when opponent_hand > 1 do choose 4",
    )
    assert [each.fits for each in outcomes] == [False, False, False, False]


def test_one_that_fits_and_is_refused_makes_room_for_the_next(attacked: Match[Any]) -> None:
    before = attacked.save()
    refused, used = tried(
        attacked, 1, "on battle vision do choose 3", "on battle vision do choose none"
    )
    assert refused.fits
    assert refused.refusal is not None
    assert used.answer is not None
    assert attacked.save() == before


@pytest.fixture
def chapter() -> Match[Any]:
    """Dan is to play Gust onto two spells that can be Silenced."""
    return position(
        "tome",
        ("alice", "bob", "carol", "dan"),
        {
            "turn": "dan",
            "leader": "alice",
            "title": "Halo",
            "played": [
                {"by": "alice", "spell": "Bedrock"},
                {"by": "bob", "spell": "Avalanche"},
                {"by": "carol", "spell": "Glimmer"},
            ],
            "chain": {"element": "Earth", "broken": False},
            "dan": {"hand": ["Gust", "Zephyr"]},
            "resolved": True,
        },
    )


def test_a_hand_of_tome_is_played_by_what_lies_on_the_chapter(chapter: Match[Any]) -> None:
    first, second = tried(
        chapter,
        3,
        "on play when winning or title_element = Fire do play zephyr",
        "on play when last and Glimmer in played and place = 4 do play gust",
    )
    assert not first.fits
    assert second.answer is not None
    assert second.answer.picks == ("Gust",)


def test_a_question_of_a_spell_is_called_by_the_spell_and_by_its_kind() -> None:
    game = find("tome")
    match = position(
        "tome",
        ("alice", "bob", "carol", "dan"),
        {
            "turn": "carol",
            "leader": "alice",
            "title": "Halo",
            "played": [
                {"by": "alice", "spell": "Sturdy"},
                {"by": "bob", "spell": "Bedrock"},
            ],
            "chain": {"element": "Earth", "broken": False},
            "carol": {"hand": ["Crush", "Zephyr"]},
            "resolved": True,
        },
    )
    match.submit(2, "play crush")
    for line in ("on crush do choose bedrock", "on spell do choose bedrock"):
        prompt = match.prompt(2)
        assert prompt is not None
        order = standing.read(line, game.topics, game.fact_names)
        trial = first_used(game, match.view(2), prompt, [order])
        assert trial is not None
        assert trial.answer is not None
        assert trial.answer.picks == ("Bedrock",)
    assert tried(match, 2, "on gust do choose bedrock")[0].fits is False


def test_a_turn_of_weaver() -> None:
    match = position(
        "weaver",
        ("alice", "bob"),
        {
            "turn": "alice",
            "spaces": {
                "A": "ASHW 9",
                "B": "OHIF 2",
                "C": "ESBNER 1",
                "D": "UKELELE 1",
                "E": "OHIF 1",
            },
            "alice": {"hand": ["ASHW 1", "ESBNER 5", "OHIF 7"]},
            "bob": {"hand": ["UKELELE 8", "UKELELE 9"]},
        },
    )
    outcomes = tried(
        match,
        0,
        "on turn when value_a < 9 do hide a1",
        "on turn when colour_a in (OHIF, UKELELE) do hide a1",
        "on turn when ashw in colours and space_a = ashw8 do hide a1",
        'on turn when space_a = "ashw9" and hand > 2 and left = 3 do claim a with fire 1',
    )
    assert [each.fits for each in outcomes] == [False, False, False, True]
    assert outcomes[-1].answer is not None
    assert outcomes[-1].answer.target == "A"
