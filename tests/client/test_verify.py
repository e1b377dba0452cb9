"""``sigil verify``: what it says and returns, for files of every kind."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from sigilpost_engine.audit import transcript
from sigilpost_engine.wire.keys import grouped
from tests.audit.dishonest import SERVER, Lines, attacked, places, whole_game
from tests.client.conftest import SIGIL, Player


def untouched(lines: Lines) -> None:
    """What an honest server does."""


def altered(lines: Lines) -> None:
    """A move is another one than was signed."""
    one, two = places(lines, "answer")[4:6]
    lines[one]["answer"] = lines[two]["answer"]


def other_program(lines: Lines) -> None:
    lines[0]["program"] = "99.0"
    altered(lines)


def newer_rules(lines: Lines) -> None:
    lines[0]["schema"] = 99


def unknown_game(lines: Lines) -> None:
    lines[0]["kind"] = "chess"


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "good.jsonl"
    path.write_bytes(attacked(whole_game(), untouched))
    return path


def written(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    return str(path)


def test_a_good_one_is_proved_and_what_it_rests_on_is_said(alice: Player, good: Path) -> None:
    said = " ".join(alice.ok("verify", str(good)).split())
    assert "weaver-7k2q is proved" in said
    assert f"Taken for true: that {grouped(SERVER.fingerprint)} is the key of the server" in said
    found = json.loads(alice.ok("verify", str(good), "--json"))
    assert (found["server"], found["program"]) == (SERVER.fingerprint, "0.1.0")


def test_a_wrong_one_names_the_line(alice: Player, tmp_path: Path) -> None:
    play = whole_game()
    file = written(tmp_path / "wrong.jsonl", attacked(play, altered))
    done = alice.sigil("verify", file)
    assert done.status == 1
    line = places(play.lines, "answer")[4] + 1
    assert f"Line {line} is wrong" in done.out
    assert "proved" not in done.out
    assert "version" not in done.out


def test_other_rules_are_a_reason_for_doubt(alice: Player, tmp_path: Path) -> None:
    file = written(tmp_path / "other.jsonl", attacked(whole_game(), other_program))
    done = alice.sigil("verify", file)
    assert done.status == 1
    assert "played with version 99.0" in " ".join(done.out.split())


@pytest.mark.parametrize("change", [newer_rules, unknown_game])
def test_what_cannot_be_checked_here_is_not_called_wrong(
    alice: Player, tmp_path: Path, change: object
) -> None:
    data = attacked(whole_game(), change)  # type: ignore[arg-type]
    done = alice.sigil("verify", written(tmp_path / "unknown.jsonl", data))
    assert done.status == 2
    assert "wrong" not in done.out + done.err


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"",
        lambda data: b"\n",
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b'"line":"key"', b'"line":"key","line":"key"', 1),
        lambda data: data.replace(b'"v":1}', b'"v":1.0}', 1),
        lambda data: data.replace(b'"v":1}', b'"v":2}', 1),
        lambda data: data.replace(b'"v":1}', b'"v":' + b"9" * 5000 + b"}", 1),
        lambda data: data.replace(b'"v":1}', b'"v":NaN}', 1),
        lambda data: data.replace(b"alice", b"\\ud800", 1),
        lambda data: b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        lambda data: b"[" * 100_000,
    ],
)
def test_what_is_no_transcript_cannot_be_used(
    alice: Player, good: Path, tmp_path: Path, spoil: object
) -> None:
    data = spoil(good.read_bytes())  # type: ignore[operator]
    done = alice.sigil("verify", written(tmp_path / "spoilt.jsonl", data))
    assert done.status == 2
    assert "Line " in done.err


@pytest.mark.parametrize("path", ["~nobody-of-this-name/x", "nowhere", ".", "/dev/zero"])
def test_what_is_no_file_of_use(alice: Player, path: str) -> None:
    assert alice.sigil("verify", path).status == 2


@pytest.mark.parametrize(("attack", "status"), [(untouched, 0), (altered, 1)])
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_the_status_is_the_answer_even_where_nobody_reads_the_words(
    alice: Player, tmp_path: Path, attack: object, status: int, form: tuple[str, ...]
) -> None:
    data = attacked(whole_game(), attack)  # type: ignore[arg-type]
    file = written(tmp_path / "a.jsonl", data)
    assert unread(alice, "verify", file, *form) == (b"", status)


def unread(player: Player, *arguments: str) -> tuple[bytes, int]:
    """What a command says on standard error, and its status, where nobody reads its output."""
    with subprocess.Popen(
        [SIGIL, "--home", player.home, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=player.environment({}),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        return process.stderr.read(), process.wait()


def test_an_output_that_nobody_reads_is_no_failure(alice: Player) -> None:
    assert unread(alice, "facts", "wizards") == (b"", 0)


def test_names_cannot_steer_the_terminal(alice: Player, tmp_path: Path) -> None:
    def rename(lines: Lines) -> None:
        lines[0]["game"] = "\x1b[2J\u202eweaver"
        lines[0]["roster"][0]["name"] = "\x1b]0;title\x07"

    data = attacked(whole_game(), rename)
    done = alice.sigil("verify", written(tmp_path / "steer.jsonl", data))
    assert done.status == 1
    assert not set("\x1b\x07\u202e") & set(done.out)
    assert transcript.read(data)[0]["game"].startswith("\x1b")
