"""What the player sees: at 80 columns, in pipes, without colours, and nothing that steers."""

from __future__ import annotations

import json
import os
import pty
import re
import struct
import subprocess
import termios
import time
from fcntl import ioctl

import pytest

from sigilpost_engine.core.prompts import Move, Pick, Prompt
from sigilpost_engine.texts.layout import width
from tests.client.conftest import SIGIL, Player
from tests.client.host import Host, Table

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def asked(alice: Player, table: Table) -> Player:
    """Alice, asked for her first turn."""
    alice.receive(table.document(0))
    alice.ok("sync")
    return alice


def at_a_terminal(player: Player, *arguments: str, columns: int = 80, **environment: str) -> str:
    """What ``sigil`` writes to a real terminal of so many columns."""
    master, slave = pty.openpty()
    ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    process = subprocess.Popen(
        [SIGIL, "--home", player.home, *arguments],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=player.environment({"TERM": "xterm-256color", **environment}),
    )
    os.close(slave)
    seen = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            piece = os.read(master, 65536)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    os.close(master)
    assert process.wait(60) == 0, seen
    return seen.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("command", ["next", "show", "games"])
@pytest.mark.parametrize("columns", [80, 60])
def test_no_line_is_wider_than_the_terminal(asked: Player, command: str, columns: int) -> None:
    seen = ESCAPE.sub("", at_a_terminal(asked, command, columns=columns))
    assert max(width(line) for line in seen.splitlines()) <= columns
    assert "weaver-7k2q" in seen


def test_a_terminal_gets_colours(asked: Player) -> None:
    assert "\x1b[" in at_a_terminal(asked, "show")
    assert "\x1b[" in at_a_terminal(asked, "next")


@pytest.mark.parametrize("command", ["next", "games"])
def test_no_color_is_respected(asked: Player, command: str) -> None:
    seen = at_a_terminal(asked, command, NO_COLOR="1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", seen)
    assert "weaver-7k2q" in seen


def test_no_color_leaves_no_colour_in_positions(asked: Player) -> None:
    seen = at_a_terminal(asked, "show", NO_COLOR="1")
    assert not re.search(r"\x1b\[(?:[0-9]+;)*(?:3[0-9]|4[0-9]|9[0-9])", seen)


@pytest.mark.parametrize("command", [("next",), ("show",), ("games",), ("sync",), ("--help",)])
def test_a_pipe_gets_plain_text_of_78_columns(asked: Player, command: tuple[str, ...]) -> None:
    out = asked.ok(*command)
    assert "\x1b" not in out
    assert max(width(line) for line in out.splitlines()) <= 80


def test_show_has_hand_table_question_and_commands(asked: Player, table: Table) -> None:
    out = asked.ok("show")
    view = table.match.view(0)
    for card in view["alice"]["hand"]:
        assert card.split()[0] in out
    for card in view["spaces"].values():
        assert card in out
    assert "Your turn" in out
    assert "hide " in out
    assert "sigil move weaver-7k2q" in out


def test_every_command_of_the_menu_can_be_moved(asked: Player) -> None:
    (question,) = json.loads(asked.ok("next", "--json"))["asked"]
    assert question["menu"]
    for entry in question["menu"]:
        asked.ok("move", "--dry-run", entry.partition(" / ")[0])


@pytest.mark.parametrize("command", ["next", "show"])
def test_a_line_that_stands_for_others_is_called_an_example(
    alice: Player, table: Table, command: str
) -> None:
    pick = Pick(("ASHW 1", "ASHW 2", "OHIF 3"), 2, 2)
    prompt = Prompt(0, "turn", (Move("hide", "", pick),)).to_json()
    alice.receive(table.document(0, prompt={**prompt, "id": "1-00000000"}))
    alice.ok("sync")
    assert "is one example" in alice.ok(command)


def test_next_says_whom_the_others_wait_for(alice: Player, table: Table) -> None:
    table.play(f"hide {table.match.view(0)['alice']['hand'][0]}")
    alice.receive(table.document(0))
    alice.ok("sync")
    waits = f"weaver-7k2q waits for {table.seats[table.turn]}"
    # Three players: what happens until alice is asked again is mailed with her question.
    assert f"{waits}, by the newest mail that came to you." in alice.ok("next")


def test_next_as_json(asked: Player, table: Table) -> None:
    found = json.loads(asked.ok("next", "--json"))
    assert set(found) == {"asked", "invited", "waiting"}
    (question,) = found["asked"]
    assert question["game"] == "weaver-7k2q"
    assert question["prompt"] == table.match.prompt_id(0)
    assert question["topic"] == "turn"
    assert question["question"].startswith("Your turn")
    assert question["seats"] == ["alice", "bob", "carol"]
    assert question["waiting"] == ["alice"]


def test_show_as_json_is_the_seat_s_view(asked: Player, table: Table) -> None:
    found = json.loads(asked.ok("show", "--json"))
    assert found["view"] == json.loads(json.dumps(table.match.view(0)))
    assert found["name"] == "alice"
    assert found["head"]["number"] == 0


def test_a_finished_game_is_nobody_s_turn(alice: Player, host: Host) -> None:
    table = Table(host, seats=("alice", "bob"))
    while table.match.result is None:
        table.play(table.some_line())
    alice.receive(table.document(0))
    alice.ok("sync")
    assert json.loads(alice.ok("next", "--json")) == {"asked": [], "invited": [], "waiting": []}
    assert "finished" in alice.ok("games")
    assert "Scores" in alice.ok("show")


def test_the_last_position_is_shown_after_the_transcript_has_come_too(
    alice: Player, host: Host
) -> None:
    table = Table(host, "wizards-7k2q", ("alice", "bob"))
    alice.receive(table.document(0))
    alice.receive(table.document(0, view=None, prompt=None, events=(), number=0, status="finished"))
    alice.ok("sync")
    shown = alice.ok("show")
    assert "finished" in shown
    assert "Pool" in shown
    assert json.loads(alice.ok("show", "--json"))["prompt"] is None


def test_what_others_write_cannot_steer_the_terminal(alice: Player, host: Host) -> None:
    poison = "\x1b[2J\x1b]0;owned\x07\u202etxt\x9b31m"
    document = host.document(
        notice={"type": "chat", "messages": [["client.told.no-reason" + poison, {"x": poison}]]}
    )
    alice.receive(document)
    out = alice.ok("sync")
    assert not set(out) & set("\x1b\x07\u202e\x9b")


def test_a_game_s_name_from_the_server_cannot_steer_either(alice: Player, host: Host) -> None:
    alice.receive(
        host.document(
            kind="weaver", game="weaver-1aaa", status="running", seats=("a\x1b[31m", "b\x07")
        )
    )
    out = alice.ok("sync") + alice.ok("games") + alice.ok("next")
    assert not set(out) & set("\x1b\x07")


def test_json_of_no_command_tells_keys_or_nonces(asked: Player, host: Host) -> None:
    asked.receive(
        host.document(
            game="weaver-8bbb",
            kind="weaver",
            seats=("alice", "bob"),
            status="proposed",
            notice={"type": "invitation", "commitment": "cd" * 32},
        )
    )
    asked.ok("sync")
    seen = asked.ok("join", "weaver-8bbb", "--json")
    nonce = json.loads((asked.home / "state.json").read_text())["games"]["weaver-8bbb"]["nonce"]
    secret = (asked.home / "key.pem").read_text().splitlines()[1]
    for command in ("games", "next", "show"):
        arguments = [command, "--json"] + (["weaver-7k2q"] if command == "show" else [])
        seen += asked.ok(*arguments)
    assert len(nonce) == 32
    assert nonce not in seen
    assert secret not in seen


def test_a_game_that_was_called_off_is_shown_as_cancelled(alice: Player, table: Table) -> None:
    alice.receive(table.document(0))
    alice.receive(table.document(0, status="cancelled", view=None, prompt=None))
    alice.ok("sync")
    assert (
        alice.ok("show", table.tag).splitlines()[0] == f"{table.tag}, cancelled (alice, bob, carol)"
    )
