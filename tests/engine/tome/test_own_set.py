"""The worked example of docs/your-own-set.md, installed by pip and played."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "docs" / "examples" / "harbour-set"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example installed into it."""
    source = tmp_path_factory.mktemp("source") / "harbour-set"
    shutil.copytree(EXAMPLE, source, ignore=shutil.ignore_patterns("*.mo", "__pycache__"))
    target = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    command = [*pip, "--no-build-isolation", "--target", str(target), str(source)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return target


def run(place: Path, program: str) -> str:
    """What a Python program prints that has the example installed."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        env={**os.environ, "PYTHONPATH": str(place)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_page_shows_what_is_in_the_example() -> None:
    page = (ROOT / "docs" / "your-own-set.md").read_text("utf-8")
    code = (EXAMPLE / "harbour_set" / "__init__.py").read_text("utf-8")
    shown = [
        line
        for block in re.findall(r"```python\n(.*?)```", page, re.S)
        for line in block.splitlines()
    ]
    own = [line.strip().rstrip(",") for line in shown if line.strip() not in ("", "…")]
    assert len(own) > 20
    for line in own:
        assert line.startswith("from ") or line in code, line


def test_it_is_listed_with_origin_and_version(place: Path) -> None:
    told = run(
        place,
        """
        from sigilpost_engine.games.tome import sets
        for one in sets.installed():
            print(one.name, one.version, one.origin, one.fault, sep="|")
        """,
    )
    assert "harbour|1.0.0|harbour-set 1.0.0|" in told.splitlines()
    assert told.startswith("light|1.0.0|sigilpost")


def test_it_speaks_from_its_own_catalogue(place: Path) -> None:
    told = run(
        place,
        """
        from sigilpost_engine.games import find
        from sigilpost_engine.texts import Texts
        for card in ("ferry", "Mooring"):
            for message in find("tome").explain(card):
                print(Texts("en").render(message))
        """,
    )
    assert told.splitlines() == [
        "Ferry: Basic Spell, Tide 2. The Harbour Edition, version 1.0.0.",
        "On play: You may swap the Powers of this spell and another.",
        "Mooring: Basic Spell, Tide 5. The Harbour Edition, version 1.0.0.",
        "CANNOT BE SILENCED. Before judging: If no spell on the chapter is Silenced, "
        "this spell gains 1 Power.",
        "It breaks the Chain like any other spell; it is only not Silenced for that.",
    ]


def test_whole_games_are_played_with_it_and_every_spell_of_it_is_played(place: Path) -> None:
    told = run(
        place,
        """
        from sigilpost_engine.bots.players import random_answer
        from sigilpost_engine.core.match import Match
        from sigilpost_engine.core.rng import Rng
        from sigilpost_engine.games import find

        game, seen = find("tome"), set()
        for number in range(12):
            seats = ("alice", "bob", "carol", "dan")
            options = {"sets": "light,harbour", "easy": True}
            match, rng = Match.begin(game, seats, options, bytes([number])), Rng(b"players")
            while match.open:
                match = Match.load(game, match.save())
                prompt = match.open[0]
                match.apply(prompt.seat, random_answer(prompt, rng))
                seen |= {one.spell for one in match.state.played}
                seen |= {one.spell for one in match.state.pile}
        print(",".join(name for name in game.state.new(seats, game.read_options(options), b"")
                       .book.deck(["Tide"]) if name in seen))
        """,
    )
    assert told.strip() == "Ripple,Ferry,Breakwater,Lighthouse,Mooring,Tide Flux"


def test_its_spells_follow_the_rules_in_a_scenario(place: Path) -> None:
    told = run(
        place,
        """
        import tomllib
        from sigilpost_engine.core.scenario import play
        from sigilpost_engine.games import find
        from sigilpost_engine.texts import Texts

        outcome = play(tomllib.loads('''
            format = 1
            game = "tome"
            seats = ["alice", "bob", "carol", "dan"]
            options = { sets = ["light", "harbour"] }
            [setup]
            elements = ["Fire", "Earth", "Wind", "Tide", "Light"]
            turn = "bob"
            title = "Halo"
            played = [ { by = "alice", spell = "Breakwater" } ]
            [setup.bob]
            hand = ["Ferry", "Crush"]
            [setup.carol]
            hand = ["Scorch", "Beacon"]
            [setup.dan]
            hand = ["Lighthouse", "Glimmer", "Gust"]

            [[steps]]
            seat = "bob"
            do = ["play ferry", "choose breakwater"]
            expect = { played = [ { power = 2 }, { spell = "Ferry", power = 3 } ] }

            [[steps]]
            about = "Scorch broke the Chain of Tide; nothing of Tide could lose Power anyway"
            seat = "carol"
            do = "play scorch"
            expect = { waiting = ["dan"], played = [ { power = 2 }, {}, { silenced = true } ] }

            [[steps]]
            seat = "dan"
            do = "play lighthouse"
            expect = { asks = { dan = "yes" } }

            [[steps]]
            seat = "dan"
            do = "choose none"
            reject = "illegal"

            [[steps]]
            seat = "dan"
            do = "yes"
            expect = { score = { south = 1 }, events = ["wins chapter 1 with Tide 4"] }
        '''), find, Texts("en").render)
        print(outcome.faults)
        """,
    )
    assert told.strip() == "[]"


def test_a_game_begun_with_another_version_does_not_go_on(place: Path, tmp_path: Path) -> None:
    stored = run(
        place,
        """
        import json
        from sigilpost_engine.core.match import Match
        from sigilpost_engine.games import find

        seats = ("alice", "bob", "carol", "dan")
        print(json.dumps(Match.begin(find("tome"), seats, {"sets": "light,harbour"}, b"x").save()))
        """,
    )
    newer = tmp_path / "site"
    shutil.copytree(place, newer)
    code = newer / "harbour_set" / "__init__.py"
    code.write_text(code.read_text("utf-8").replace('version="1.0.0"', 'version="1.1.0"'), "utf-8")
    (tmp_path / "game.json").write_text(stored, "utf-8")
    told = run(
        newer,
        f"""
        import json
        from pathlib import Path
        from sigilpost_engine.core.errors import UnknownVersion
        from sigilpost_engine.core.match import Match
        from sigilpost_engine.games import find

        try:
            Match.load(find("tome"), json.loads(Path({str(tmp_path / "game.json")!r}).read_text()))
        except UnknownVersion as refused:
            print(refused)
        """,
    )
    assert "harbour 1.0.0" in told
    assert "harbour 1.1.0" in told


def test_a_broken_set_is_listed_with_its_fault_and_cannot_be_chosen(
    place: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "site"
    shutil.copytree(place, broken)
    code = broken / "harbour_set" / "__init__.py"
    code.write_text(code.read_text("utf-8").replace('Spell("Tide Flux", TIDE, F),', ""), "utf-8")
    told = run(
        broken,
        """
        from sigilpost_engine.core.errors import BadOption
        from sigilpost_engine.games import find
        from sigilpost_engine.games.tome import sets
        from sigilpost_engine.texts import Texts

        print(sets.installed()[-1].fault)
        try:
            find("tome").read_options({"sets": "light,harbour"})
        except BadOption as refused:
            print(refused.path, Texts("en").render(refused.message))
        """,
    )
    assert "Tide needs six spells" in told
    assert "sets This spell set cannot be played" in told
