"""When something goes wrong: a sentence, a remedy, a documented status; never a traceback."""

from __future__ import annotations

import re
import subprocess

import pytest

from sigilpost_client import errors
from sigilpost_client.errors import ClientError
from tests.client.conftest import SIGIL, Player


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("frob",), "frob"),
        (("nxt",), "next"),
        (("key", "frob"), "frob"),
        (("move",), "LINE"),
        (("move", "--frob", "x"), "--frob"),
        (("sync", "one", "two"), "one two"),
        (("bot", "random", "--pause", "soon"), "--pause"),
        (("chat", "--to"), "--to"),
    ],
)
def test_a_mistake_in_the_command_line(
    alice: Player, arguments: tuple[str, ...], words: str
) -> None:
    done = alice.sigil(*arguments)
    assert done.status == 2
    assert words in done.err
    assert "--help" in done.err
    assert done.out == ""


def test_no_arguments_show_the_overview(alice: Player) -> None:
    assert "init" in alice.ok()


def test_our_own_fault_is_a_sentence_and_a_file(
    alice: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sigilpost_client import store

    def broken() -> None:
        raise ZeroDivisionError("secret details")

    monkeypatch.setattr(store, "read", broken)
    done = alice.sigil("games")
    assert done.status == errors.FAULT == 70
    assert "Traceback" not in done.err
    assert "secret details" not in done.err
    log = alice.home / "crash.log"
    assert str(log) in done.err
    assert "secret details" in log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600


def test_an_interrupt_ends_quietly(alice: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    from sigilpost_client import store

    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(store, "read", interrupted)
    done = alice.sigil("games")
    assert done.status == 130
    assert "Traceback" not in done.err


def test_a_reader_who_leaves_early_is_no_fault(alice: Player) -> None:
    process = subprocess.Popen(
        [SIGIL, "--home", alice.home, "--help"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=alice.environment({}),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(30) == 0


def kinds(base: type[ClientError]) -> list[type[ClientError]]:
    return [kind for each in base.__subclasses__() for kind in (each, *kinds(each))]


def test_every_status_is_one_kind_s_and_documented(alice: Player) -> None:
    statuses = [errors.DOES_NOT_HOLD, *(kind.status for kind in kinds(ClientError))]
    assert len(set(statuses)) == len(statuses)
    documented = {
        int(found) for found in re.findall(r"^(\d+) ", errors.__doc__ or "", re.MULTILINE)
    }
    assert documented == {0, *statuses, errors.FAULT, errors.INTERRUPTED}
    shown = alice.ok("--help")
    for status in documented:
        assert re.search(rf"\b{status}\b", shown), status


@pytest.mark.parametrize("command", ["verify", "read", "scenario"])
def test_the_home_of_nobody_is_no_fault_of_the_program(alice: Player, command: str) -> None:
    done = alice.sigil(command, "~nobody/x")
    assert done.status == 2
    assert "~nobody/x" in done.out + done.err
