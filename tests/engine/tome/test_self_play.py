"""What must hold at every question of every game, and that every spell has its day."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from sigilpost_engine.bots import BOTS
from sigilpost_engine.bots.players import random_answer
from sigilpost_engine.core.match import Match, Run
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.games.tome import sets
from sigilpost_engine.games.tome.state import State

from .tables import SEATS, TOME, begin

WORLDS: list[dict[str, Any]] = [
    {"mode": "team"},
    {"mode": "team", "sets": "dusk"},
    {"mode": "duel", "sets": "light,dusk"},
    {"mode": "survival", "sets": "light,dusk", "easy": True},
]


@pytest.mark.parametrize("options", WORLDS, ids=str)
def test_nothing_has_changed_in_a_step_when_it_asks(options: dict[str, Any]) -> None:
    """So the position on the table is the one that would be written down."""
    asked: Counter[str] = Counter()
    for number in range(6):
        match, rng = begin(f"{number}", **options), Rng(f"{number}".encode())
        while match.open:
            prompt = match.open[0]
            asked[prompt.topic] += 1
            assert json.dumps(match.dump()) == json.dumps(match.start_dump()), prompt
            match.apply(prompt.seat, random_answer(prompt, rng))
    assert asked["play"] > 100
    assert asked["spell"] + asked["spell or none"] > 10


class Watched(Run[State]):
    """Notes which effects came to something: changed the position, or asked."""

    def __init__(self, state: State) -> None:
        super().__init__(TOME, state)
        self.used: set[tuple[str, str]] = set()
        self._due: tuple[str, str] | None = None
        self._before = ""

    def on_step(self) -> None:
        if self._due and _table(self.state) != self._before:
            self.used.add(self._due)
        self._due = None
        if self.state.due:
            self._due = (self.state.due[0].spell, self.state.due[0].timing)
            self._before = _table(self.state)


def _table(s: State) -> str:
    return repr((s.played, s.title, s.title_element, s.hands))


@pytest.mark.parametrize("name", sets.OURS)
def test_every_effect_of_every_spell_happens_in_self_play(name: str) -> None:
    wanted = {
        (spell.name, timing)
        for spell in sets.find(name).spells
        for timing in ("on_play", "each_play", "before_judging", "after_judging")
        if spell.effect(timing)
    }
    used: set[tuple[str, str]] = set()
    for number in range(60):
        options = TOME.read_options({"mode": ("team", "duel")[number % 2], "sets": [name]})
        seats = SEATS[: 4 - 2 * (number % 2)]
        run, rng = Watched(TOME.new(seats, options, bytes([number]))), Rng(b"players")
        run.start()
        while run.open:
            run.answer(random_answer(run.open[0], rng))
        used |= run.used
        if used >= wanted:
            return
    assert wanted - used == set()


def test_a_game_is_never_longer_than_its_cap() -> None:
    """Two sides that share the points even then differ by 2 sooner or later: the longest of many
    games of chance stays far below this many rounds."""
    longest = 0
    for number in range(200):
        run = Run(TOME, TOME.new(SEATS, TOME.read_options({}), f"long {number}".encode()))
        rng = Rng(f"long {number}".encode())
        run.start()
        while run.open:
            run.answer(random_answer(run.open[0], rng))
        longest = max(longest, run.state.round)
    assert longest <= 12


@pytest.mark.parametrize(
    ("options", "greedy", "least"),
    [
        ({"mode": "team"}, (0, 2), 0.8),
        ({"mode": "team", "sets": "light,dusk"}, (1, 3), 0.8),
        ({"mode": "duel"}, (1,), 0.8),
        ({"mode": "duel", "sets": "dusk"}, (0,), 0.8),
        ({"mode": "survival"}, (2,), 0.5),
    ],
    ids=str,
)
def test_greedy_clearly_beats_random(
    options: dict[str, Any], greedy: tuple[int, ...], least: float
) -> None:
    games, won = 40, 0
    for number in range(games):
        match = begin(f"bots {number}", **options)
        rng = Rng(f"bots {number}".encode())
        bots = [
            BOTS["greedy" if seat in greedy else "random"](rng)
            for seat in range(len(match.state.seats))
        ]
        won += _winner(match, bots) == SEATS[greedy[0]]
    assert won / games >= least


def _winner(match: Match[State], bots: list[Any]) -> str:
    while match.open:
        prompt = match.open[0]
        answer = bots[prompt.seat].choose(match.game, match.view(prompt.seat), prompt)
        match.apply(prompt.seat, answer)
    assert match.result is not None
    return match.result.winners[0]
