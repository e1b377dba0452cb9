"""Standing orders: what they can be about is documented, and known from the seat's view alone."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from sigilpost_engine.core import grammar, standing
from sigilpost_engine.core.match import Match
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.core.trials import first_used
from sigilpost_engine.texts import Texts

from .test_laws import plain
from .worlds import World, every_world, play

TEXTS = Texts("en")


@every_world
def test_every_question_is_of_a_topic_that_the_game_names(world: World) -> None:
    game = world.rules()
    known = set(game.topics)
    for seed in range(5):
        match = world.begin(seed)
        for _ in play(match, world.chance(seed)):
            for prompt in match.open:
                assert prompt.topic in game.topics_of(prompt)
                assert set(game.topics_of(prompt)) <= known


@every_world
def test_facts_are_those_that_the_game_names_and_of_a_kind_that_can_be_compared(
    world: World,
) -> None:
    game, match = world.rules(), world.begin(31)
    for _ in play(match, world.chance(31)):
        for prompt in match.open:
            facts = game.facts(plain(match.view(prompt.seat)))
            assert sorted(facts) == sorted(game.fact_names)
            for name, value in facts.items():
                simple = isinstance(value, int | str)
                listed = isinstance(value, list) and all(isinstance(item, str) for item in value)
                assert simple or listed, name


@every_world
def test_facts_come_from_the_view_alone_and_leave_it_as_it_is(world: World) -> None:
    """Two worlds that a seat cannot tell apart have the same facts for it."""
    match, noise = world.begin(32), Rng(f"facts/{world}".encode())
    for number, _ in enumerate(play(match, world.chance(32))):
        if number % 4:
            continue
        for prompt in match.open:
            view = plain(match.view(prompt.seat))
            before = copy.deepcopy(view)
            facts = match.game.facts(view)
            assert view == before
            other = match.game.blur(match.state, prompt.seat, noise)
            assert match.game.facts(match.game.view(other, prompt.seat)) == facts


@every_world
def test_every_topic_and_every_fact_is_explained(world: World) -> None:
    game = world.rules()
    assert game.topics
    assert game.fact_names
    for message in [game.about_topic(topic) for topic in game.topics] + [
        game.about_fact(fact) for fact in game.fact_names
    ]:
        assert TEXTS.knows(message.id), message.id
        assert "{" not in TEXTS.render(message)


@every_world
def test_no_topic_and_no_fact_is_spelled_like_another(world: World) -> None:
    game = world.rules()
    for names in (game.topics, game.fact_names):
        assert len(set(map(grammar.key, names))) == len(names)


@every_world
def test_an_order_for_the_open_question_gives_a_legal_answer(world: World) -> None:
    """What the menu offers can be put into a standing order on that topic, and is used."""
    match = world.begin(33)
    for number, _ in enumerate(play(match, world.chance(33))):
        if number % 3:
            continue
        for prompt in match.open:
            assert_used(world, match, prompt.seat)


def assert_used(world: World, match: Match[Any], seat: int) -> None:
    game, prompt = world.rules(), match.prompt(seat)
    assert prompt is not None
    answer = next(prompt.answers())
    line = f"on {prompt.topic} do {game.phrase(answer)}"
    orders = [
        standing.read(each, game.topics, game.fact_names)
        for each in ("on " + other_topic(world, prompt.topic) + " do nothing", "do nothing", line)
    ]
    trial = first_used(game, plain(match.view(seat)), prompt, orders)
    assert trial is not None
    assert (trial.place, trial.answer) == (2, answer)


def other_topic(world: World, topic: str) -> str:
    return next(each for each in world.rules().topics if each != topic)


@pytest.mark.parametrize("line", ["do nothing", "on turn when hand > 99 do hide a1"])
def test_without_an_order_that_fits_nothing_is_used(line: str) -> None:
    world = World("weaver", 2, {})
    match, game = world.begin(1), world.rules()
    (prompt,) = match.open
    order = standing.read(line, game.topics, game.fact_names)
    assert first_used(game, match.view(prompt.seat), prompt, [order]) is None
