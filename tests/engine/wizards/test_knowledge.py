"""No seat learns from what happens, or from being asked, what it may not know: in every branch of
every spell, in the middle of effects too."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sigilpost_engine.core.game import Game
from sigilpost_engine.core.match import Match
from sigilpost_engine.core.rng import Rng
from sigilpost_engine.games import find
from sigilpost_engine.games.wizards import effect

from .knowledge import compare, start_of_step

ROOT = Path(__file__).resolve().parents[3]


def test_worlds_that_a_seat_cannot_tell_apart_go_on_alike_in_every_branch(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    done = subprocess.run(
        [sys.executable, "-m", "tests.engine.wizards.knowledge", file],
        cwd=ROOT,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout) > 10_000
    files = json.loads(file.read_text("utf-8"))["files"]
    assert len(files) >= 3
    missed = {
        Path(name).name: [*part["missing_lines"], *part["missing_branches"]]
        for name, part in files.items()
        if part["missing_lines"] or part["missing_branches"]
    }
    assert missed == {}


def test_the_comparison_finds_a_question_that_tells_what_a_hand_lacks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Battle Vision asked only of who holds a mana that fits."""
    setup = {
        "turn": "alice",
        "phase": "attack",
        "alice": {"hand": [3]},
        "bob": {"hand": [2], "spells": [{"name": "Battle Vision", "mana": [1]}]},
    }
    game = find("wizards")
    state = start_of_step(Match.from_setup(game, setup, ["alice", "bob"], {}, b"key"))
    often(game, state)
    honest = effect.held_or_none
    monkeypatch.setattr(
        "sigilpost_engine.games.wizards.spells.base.held_or_none",
        lambda *args, **values: honest(*args, **values)._replace(secret=False),
    )
    with pytest.raises(AssertionError):
        often(game, state)


def often(game: Game[Any], state: Any) -> None:
    noise = Rng(b"noise")
    for _ in range(40):
        compare(game, state, 0, noise)
