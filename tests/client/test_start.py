"""A quick start: what few commands need is not loaded, and the host's machinery never."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from sigilpost_client.cli import COMMANDS
from tests.client.conftest import Player
from tests.client.host import Table

NEVER = ("sqlmodel", "sqlalchemy", "alembic", "jinja2", "pydantic", "sigilpost_server")
LATE = (
    "rich",
    "cryptography",
    "imapclient",
    "smtplib",
    "email",
    "platformdirs",
    "sigilpost_engine.games",
    "sigilpost_engine.core.match",
    "sigilpost_engine.wire",
)

PROGRAM = """
import json, sys
from sigilpost_client.cli import run
status = run(json.loads(sys.argv[1]))
print(json.dumps([status, sorted(sys.modules)]), file=sys.stderr)
"""


def modules_of(player: Player, *arguments: str) -> set[str]:
    """What is loaded once this command is done."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(["--home", str(player.home), *arguments])],
        capture_output=True,
        text=True,
        env=player.environment({}),
        cwd=player.folder,
        check=True,
    )
    status, modules = json.loads(done.stderr.splitlines()[-1])
    assert status == 0, done
    return set(modules)


@pytest.fixture
def asked(alice: Player, table: Table) -> Player:
    alice.receive(table.document(0))
    alice.ok("sync")
    return alice


@pytest.mark.parametrize("command", [("next",), ("next", "--json"), ("games", "--json")])
def test_what_is_asked_often_loads_nothing_big(asked: Player, command: tuple[str, ...]) -> None:
    assert modules_of(asked, *command).isdisjoint(LATE)


def test_no_command_loads_the_host_s_machinery(asked: Player, table: Table) -> None:
    (asked.folder / "x.toml").write_text('format = 1\ngame = "weaver"\nseats = ["a", "b"]\n')
    commands = [
        ("sync",),
        ("show",),
        ("move", table.some_line()),
        ("chat", table.tag, "hello"),
        ("scenario", "x.toml"),
        ("card", "ashw 3"),
        ("key", "show"),
        ("bot", "random"),
        ("create", "weaver", "bob@player.test"),
        ("--help",),
    ]
    for command in commands:
        loaded = modules_of(asked, *command)
        assert loaded.isdisjoint(NEVER), command


def test_a_command_loads_only_its_own_module(asked: Player) -> None:
    loaded = modules_of(asked, "next")
    own = {name for name in loaded if name.startswith("sigilpost_client.commands.")}
    assert own <= {f"sigilpost_client.commands.{name}" for name in ("look", "choose", "parameters")}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_help(alice: Player, name: str) -> None:
    out = alice.ok(name, "--help")
    assert f"sigil {name}" in out
    assert "client." not in out


def test_the_overview_names_every_command(alice: Player) -> None:
    out = alice.ok("--help")
    for name in COMMANDS:
        assert f" {name} " in out


def test_the_shell_completes_commands_and_games(asked: Player, table: Table) -> None:
    def completed(words: str, place: int) -> list[str]:
        done = asked.process(
            _SIGIL_COMPLETE="complete_bash",
            COMP_WORDS=words,
            COMP_CWORD=str(place),
            SIGIL_HOME=str(asked.home),
        )
        assert done.status == 0
        return done.out.split()

    assert completed("sigil re", 1) == [name for name in COMMANDS if name.startswith("re")]
    assert completed("sigil show wea", 2) == [table.tag]
    assert completed("sigil move wea", 2) == [table.tag]


def test_version(alice: Player) -> None:
    from importlib.metadata import version

    assert alice.ok("--version") == f"sigil {version('sigilpost')}\n"
