"""The kernel: an answer with load and save, playouts, and copies of a position."""

from __future__ import annotations

import json
import time
from typing import Any

from sigilpost_engine.bots.players import random_answer
from sigilpost_engine.core import codec
from sigilpost_engine.core.game import Game
from sigilpost_engine.core.match import Match, Run
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.games import find

from .rows import Row, median_seconds

GAMES = {"weaver": (3, 25_000), "wizards": (2, 20_000), "tome": (4, 10_000)}
"""Seats at the table, and the random decisions a second that the game should reach."""

SEATS = ("alice", "bob", "carol", "dan")
ANSWERS = 200


def run() -> list[Row]:
    """Milliseconds for an answer, decisions a second, microseconds for a copy."""
    rows = []
    for name, (seats, goal) in GAMES.items():
        game = find(name)
        rows.append(_answer(game, SEATS[:seats]))
        rows.append(_playouts(game, SEATS[:seats], goal))
        rows.append(_copies(game, SEATS[:seats]))
    return rows


def _positions(game: Game[Any], seats: tuple[str, ...]) -> list[tuple[str, int, Any]]:
    """Stored matches of a game of self-play, each with the answer that comes next."""
    match, rng = Match.begin(game, seats, {}, b"bench"), Rng(b"bench players")
    stored: list[tuple[str, int, Any]] = []
    while match.open and len(stored) < ANSWERS:
        prompt = match.open[0]
        answer = random_answer(prompt, rng)
        stored.append((json.dumps(match.save()), prompt.seat, answer))
        match.apply(prompt.seat, answer)
        match.take_events()
    return stored


def _answer(game: Game[Any], seats: tuple[str, ...]) -> Row:
    stored = _positions(game, seats)

    def work() -> None:
        for text, seat, answer in stored:
            match = Match.load(game, json.loads(text))
            match.apply(seat, answer)
            json.dumps(match.save())

    each = median_seconds(work, runs=9) / len(stored)
    return Row(f"{game.name}: one answer with load and save", each * 1e3, "ms", goal="< 0.5")


def _playouts(game: Game[Any], seats: tuple[str, ...], goal: int) -> Row:
    options = game.read_options({})
    speeds = []
    for number in range(7):
        rng, decisions, begin = Rng(b"players"), 0, time.perf_counter()
        while time.perf_counter() - begin < 0.5:
            play = Run(game, game.new(seats, options, f"{number}/{decisions}".encode()))
            play.start()
            while play.open:
                play.answer(*[random_answer(prompt, rng) for prompt in play.open])
                decisions += 1
        speeds.append(decisions / (time.perf_counter() - begin))
    speed = sorted(speeds)[len(speeds) // 2]
    return Row(f"{game.name}: random playouts", speed, "answers/s", goal=f">= {goal}")


def _copies(game: Game[Any], seats: tuple[str, ...]) -> Row:
    text, _, _ = _positions(game, seats)[-1]
    state = Match.load(game, json.loads(text)).state

    def work() -> None:
        for _ in range(1000):
            codec.copy(state)

    return Row(f"{game.name}: a copy of a position", median_seconds(work) * 1e3, "µs", goal="< 30")
