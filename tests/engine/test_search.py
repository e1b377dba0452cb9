"""The search bot on every game that can imagine."""

from __future__ import annotations

import json
from typing import Any

from sigilpost_engine.bots import RandomBot, SearchBot
from sigilpost_engine.bots.players import random_answer
from sigilpost_engine.core.game import Game
from sigilpost_engine.core.match import Match, Run
from sigilpost_engine.core.rng import Rng
from tests.laws.census import census
from tests.laws.worlds import World, every_world


def begin(world: World) -> Run[Any]:
    game: Game[Any] = world.rules()
    names = ["dan", "alice", "carol", "bob", "eve"][: world.seats]
    run = Run(game, game.new(names, game.read_options(world.options), f"search {world}".encode()))
    run.start()
    return run


WIZARDS = World("wizards", 2, {})


@every_world
def test_an_imagined_world_shows_its_seat_the_same(world: World) -> None:
    run, rng, players = begin(world), Rng(b"imagine"), Rng(b"players")
    while run.open:
        prompt = run.open[0]
        view = json.loads(json.dumps(run.game.view(run.state, prompt.seat)))
        imagined = run.game.imagine(view, rng)
        assert imagined is not None
        assert run.game.view(imagined, prompt.seat) == view
        run.answer(RandomBot(players).choose(run.game, view, prompt))


@every_world
def test_an_imagined_world_has_every_card_once(world: World) -> None:
    """And in it the same is asked, so that what is tried there is an answer to the question."""
    match, rng, players = world.begin(3), Rng(b"imagine"), Rng(b"players")
    asked = entered = 0
    while match.open and asked < 60:
        prompt = match.open[0]
        imagined = match.game.imagine(match.view(prompt.seat), rng)
        assert census(world.game, Match(match.game, imagined)) == census(world.game, match)
        run = Run(match.game, imagined)
        run.start()
        asked += 1
        entered += prompt in run.open
        match.apply(prompt.seat, random_answer(prompt, players))
    assert entered > 0.5 * asked


@every_world
def test_its_answers_are_legal_and_told_by_the_view_alone(world: World) -> None:
    """In a world that the seat cannot tell from the true one it answers the same."""
    run, noise = begin(world), Rng(b"noise")
    for _ in range(12):
        prompt = run.open[0]
        other = run.game.blur(run.state, prompt.seat, noise)
        views = [run.game.view(state, prompt.seat) for state in (run.state, other)]
        one, two = (
            SearchBot(Rng(b"same"), playouts=16).choose(run.game, view, prompt) for view in views
        )
        assert one == two
        prompt.check(one)
        run.answer(one)


def test_a_budget_ends_the_search() -> None:
    run = begin(WIZARDS)
    asked = 0

    def budget() -> Any:
        def spent() -> float:
            nonlocal asked
            asked += 1
            return asked / 20

        return spent

    prompt = run.open[0]
    bot = SearchBot(Rng(b"budget"), budget=budget)
    prompt.check(bot.choose(run.game, run.game.view(run.state, prompt.seat), prompt))
    assert 20 <= asked <= 30


def test_in_the_middle_of_an_effect_it_answers_like_greedy() -> None:
    """No imagined world can be entered there: the same would not be asked."""
    run, rng = begin(WIZARDS), Rng(b"middle")
    bot, met = SearchBot(Rng(b"search"), playouts=8), 0
    while run.open:
        prompt = run.open[0]
        view = run.game.view(run.state, prompt.seat)
        if prompt.moves[0].verb == "choose" and prompt.topic not in ("discard", "order"):
            met += 1
            assert bot.choose(run.game, view, prompt) == run.game.greedy(view, prompt)
        run.answer(RandomBot(rng).choose(run.game, view, prompt))
    assert met > 0
