"""The manual's page on the client says what the client does."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from sigilpost_client import errors
from sigilpost_client.cli import COMMANDS
from tests.client.conftest import Player
from tests.client.host import Table

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "client.md").read_text(encoding="utf-8")


def section(heading: str) -> str:
    """What stands under a heading of the second order."""
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def row(command: str) -> str:
    """The row about a command in the table of JSON objects."""
    return next(line for line in section("JSON").splitlines() if f"`{command}`" in line)


def named(text: str) -> set[str]:
    return set(re.findall(r"`([a-z_]+)`", text))


def keys(output: str) -> Any:
    return json.loads(output)


def test_every_command_is_on_the_page() -> None:
    table = section("Commands")
    assert {name for name in COMMANDS if f"`{name}" not in table} == set()


def test_the_statuses_are_those_of_the_program() -> None:
    found = re.findall(r"^\| (\d+) \|", section("Exit status"), re.MULTILINE)
    documented = re.findall(r"^(\d+) ", errors.__doc__ or "", re.MULTILINE)
    assert found == documented


def test_the_objects_have_the_keys_that_the_page_names(alice: Player, table: Table) -> None:
    alice.receive(table.document(0))
    assert named(row("sync")) >= set(keys(alice.ok("sync", "--json")))
    game = set(json.loads(section("JSON").partition("```json\n")[2].partition("```")[0]))
    assert set(keys(alice.ok("games", "--json"))["games"][0]) == game
    found = keys(alice.ok("next", "--json"))
    assert set(found) == {"asked", "invited", "waiting"} <= named(row("next"))
    assert set(found["asked"][0]) - game == {"prompt", "topic", "question", "menu"}
    assert set(keys(alice.ok("show", "--json"))) - game <= named(row("show"))
    assert set(keys(alice.ok("move", "--json", table.some_line()))) <= named(row("move"))
    assert set(keys(alice.ok("chat", "--json", table.tag, "hi"))) <= named(row("chat"))
    assert set(keys(alice.ok("key", "show", "--json"))) <= named(row("key show"))
    assert set(keys(alice.ok("card", "ashw 3", "--json"))) <= named(row("card"))


def test_the_command_line_for_scripts_works(tmp_path: Path, alice: Player) -> None:
    block = section("Commands").partition("```sh\nsigil ")[2].partition("```")[0]
    arguments = block.replace("\\\n", " ").replace("DIR", str(tmp_path / "home")).split()
    alice.ok(*arguments)
    assert (tmp_path / "home" / "config.toml").exists()
