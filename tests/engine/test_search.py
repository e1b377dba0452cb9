"""The search bot on every game that can imagine."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sigilpost_engine.bots import RandomBot, SearchBot
from sigilpost_engine.core.game import Game
from sigilpost_engine.core.match import Run
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.games import find

TABLES = [("weaver", 2), ("weaver", 4), ("wizards", 2)]
every_table = pytest.mark.parametrize(("name", "seats"), TABLES)


def begin(name: str, seats: int) -> Run[Any]:
    game: Game[Any] = find(name)
    names = ["alice", "bob", "carol", "dan"][:seats]
    run = Run(game, game.new(names, game.read_options({}), f"search {name}".encode()))
    run.start()
    return run


@every_table
def test_an_imagined_world_shows_its_seat_the_same(name: str, seats: int) -> None:
    run, rng, players = begin(name, seats), Rng(b"imagine"), Rng(b"players")
    while run.open:
        prompt = run.open[0]
        view = json.loads(json.dumps(run.game.view(run.state, prompt.seat)))
        world = run.game.imagine(view, prompt.seat, rng)
        assert world is not None
        seen = run.game.view(world, prompt.seat)
        assert {**seen, "options": None} == {**view, "options": None}
        run.answer(RandomBot(players).choose(run.game, view, prompt))


@every_table
def test_its_answers_are_legal_and_told_by_the_view_alone(name: str, seats: int) -> None:
    """In a world that the seat cannot tell from the true one it answers the same."""
    run, noise = begin(name, seats), Rng(b"noise")
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
    run = begin("wizards", 2)
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
    run, rng = begin("wizards", 2), Rng(b"middle")
    bot, met = SearchBot(Rng(b"search"), playouts=8), 0
    while run.open:
        prompt = run.open[0]
        view = run.game.view(run.state, prompt.seat)
        if prompt.moves[0].verb == "choose" and prompt.topic not in ("discard", "order"):
            met += 1
            assert bot.choose(run.game, view, prompt) == run.game.greedy(view, prompt)
        run.answer(RandomBot(rng).choose(run.game, view, prompt))
    assert met > 0
