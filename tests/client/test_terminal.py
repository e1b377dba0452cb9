"""At a real terminal: what is missing is asked, and secrets are not shown while typed."""

from __future__ import annotations

import os
import pty
import select
import time
from collections.abc import Callable, Sequence

from tests.client.conftest import SIGIL, Player
from tests.client.host import Host, payload_of

NewPlayer = Callable[[str], Player]
IDENTITY = ("--eml", "--server", "a@b.test", "--address", "c@d.test", "--name", "alice")


def converse(
    player: Player, arguments: Sequence[str], answers: Sequence[tuple[str, str]]
) -> tuple[int, str]:
    """Run ``sigil`` at a terminal of its own and type an answer at each of the questions.

    Returns its exit status and all that stood on the screen.
    """
    environment = player.environment({"TERM": "xterm"})
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(player.folder)
        os.execve(SIGIL, ["sigil", "--home", str(player.home), *arguments], environment)
    seen = ""
    rest = list(answers)
    asked_from = 0
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        seen += piece.decode("utf-8", "replace")
        if rest and rest[0][0] in seen[asked_from:]:
            asked_from = len(seen)
            time.sleep(0.05)  # getpass turns the echo off after it has asked
            os.write(terminal, f"{rest.pop(0)[1]}\n".encode())
    os.close(terminal)
    _, status = os.waitpid(child, 0)
    assert not rest, seen
    return os.waitstatus_to_exitcode(status), seen


def test_init_asks_for_everything_that_is_missing(new_player: NewPlayer) -> None:
    alice = new_player("alice")
    status, seen = converse(
        alice,
        ["init", "--eml"],
        [
            ("server's address", "play@server.test"),
            ("Your address", "alice@player.test"),
            ("name", "alice"),
            ("IMAP server", "imap.player.test:993"),
            ("passphrase", "open sesame"),
            ("again", "open sesame"),
        ],
    )
    assert status == 0, seen
    settings = (alice.home / "config.toml").read_text()
    assert 'host = "imap.player.test"' in settings
    assert "port = 993" in settings
    assert b"ENCRYPTED" in (alice.home / "key.pem").read_bytes()


def test_a_passphrase_is_not_shown(new_player: NewPlayer) -> None:
    alice = new_player("alice")
    _, seen = converse(
        alice,
        ["init", "--no-mailbox", *IDENTITY],
        [("passphrase", "open sesame"), ("again", "open sesame")],
    )
    assert "open sesame" not in seen


def test_two_different_passphrases_make_no_key(new_player: NewPlayer) -> None:
    alice = new_player("alice")
    status, _ = converse(
        alice,
        ["init", "--no-mailbox", *IDENTITY],
        [("passphrase", "open sesame"), ("again", "open sesam")],
    )
    assert status == 2
    assert not (alice.home / "key.pem").exists()


def test_a_locked_key_is_opened_at_the_terminal(new_player: NewPlayer) -> None:
    alice = new_player("alice")
    alice.ok(
        *("init", "--server", "play@server.test", "--address", alice.address, "--name", "alice"),
        *("--no-mailbox", "--drop", str(alice.sent_box)),
        SIGIL_PASSPHRASE="open sesame",
    )
    status, seen = converse(alice, ["register"], [("Passphrase", "open sesame")])
    assert status == 0, seen
    assert payload_of(alice.sent[0]).to_json()["name"] == "alice"


def test_resign_can_be_thought_over(alice: Player, host: Host) -> None:
    from tests.client.host import Table

    alice.receive(Table(host).document(0))
    alice.ok("sync")
    status, _ = converse(alice, ["resign"], [("for good", "n")])
    assert status == 130
    assert alice.sent == []
    status, _ = converse(alice, ["resign"], [("for good", "y")])
    assert status == 0
    assert len(alice.sent) == 1


def test_read_without_a_mail_does_not_wait_for_one(alice: Player) -> None:
    status, seen = converse(alice, ["read"], [])
    assert status == 2
    assert "|sigil read" in seen
