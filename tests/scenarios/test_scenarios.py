"""Every ruling with a scenario file holds: ``tests/scenarios/<game>/<ruling>.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from sigilpost_engine.core.match import Match
from sigilpost_engine.core.scenario import continuation, play
from sigilpost_engine.games import find
from sigilpost_engine.texts import Texts

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*/*.toml"))
render = Texts("en").render


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_scenario(file: Path) -> None:
    outcome = play(tomllib.loads(file.read_text("utf-8")), find, render)
    assert outcome.faults == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_the_dump_at_its_end_is_accepted_and_dumps_the_same(file: Path) -> None:
    doc = tomllib.loads(file.read_text("utf-8"))
    match = play(doc, find, render).match
    if match is None or match.given_since_start():
        return
    dump = continuation(match)["setup"]
    again = Match.from_setup(match.game, dump, doc["seats"], doc.get("options", {}), b"\0")
    assert again.dump() == match.dump()


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_the_file_is_of_the_game_of_its_folder(file: Path) -> None:
    assert tomllib.loads(file.read_text("utf-8"))["game"] == file.parent.name
