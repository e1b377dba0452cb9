"""The bots: how strong they are, and that they know only what their seat knows."""

from __future__ import annotations

import json
from typing import Any

from sigilpost_engine.bots import Bot, GreedyBot, RandomBot, SearchBot
from sigilpost_engine.core.match import Run
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.games import find

WIZARDS = find("wizards")
SEATS = ["alice", "bob"]


def duel(first: Bot, second: Bot, games: int, options: dict[str, Any]) -> int:
    """How many of the games ``first`` wins; they take turns in sitting first."""
    complete = WIZARDS.read_options(options)
    won = 0
    for number in range(games):
        run = Run(WIZARDS, WIZARDS.new(SEATS, complete, f"duel {number}".encode()))
        seated = (first, second) if number % 2 else (second, first)
        run.start()
        while run.open:
            prompt = run.open[0]
            view = WIZARDS.view(run.state, prompt.seat)
            answer = seated[prompt.seat].choose(WIZARDS, view, prompt)
            prompt.check(answer)
            run.answer(answer)
        result = WIZARDS.result(run.state)
        assert result is not None
        won += seated[SEATS.index(result.winners[0])] is first
    return won


def test_greedy_beats_random_in_nine_of_ten_games() -> None:
    sets = {"sets": ["base", "lost-pages", "shifting-sands"]}
    assert duel(GreedyBot(Rng(b"")), RandomBot(Rng(b"random")), 30, sets) >= 27


def test_search_wins_most_games_against_random() -> None:
    assert duel(SearchBot(Rng(b"search"), playouts=24), RandomBot(Rng(b"random")), 4, {}) >= 3


def test_a_bot_answers_alike_in_worlds_that_its_seat_cannot_tell_apart() -> None:
    options = WIZARDS.read_options({})
    run = Run(WIZARDS, WIZARDS.new(SEATS, options, b"alike"))
    run.start()
    rng, noise = Rng(b"players"), Rng(b"noise")
    for number in range(60):
        prompt = run.open[0]
        other = WIZARDS.blur(run.state, prompt.seat, noise)
        views = [WIZARDS.view(state, prompt.seat) for state in (run.state, other)]
        answers = [
            SearchBot(Rng(b"same"), playouts=12).choose(
                WIZARDS, json.loads(json.dumps(view)), prompt
            )
            for view in views
        ]
        assert answers[0] == answers[1], number
        run.answer(RandomBot(rng).choose(WIZARDS, views[0], prompt))
