"""What is remembered: whole after every crash, shared by programs that run at once."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sigilpost_client import files, home, store
from sigilpost_client.errors import NoGame
from sigilpost_client.store import GameRecord, State
from tests.client.conftest import SIGIL, Player
from tests.client.host import Host, Table, payload_of


@pytest.mark.parametrize(
    "damaged",
    [
        "{",
        "{}",
        "[]",
        "null",
        '{"schema": 1}',
        '{"schema": 1, "server": {}, "registration": {}, "games": []}',
        '{"schema": 1, "server": [], "registration": {}, "games": {}}',
        '{"schema": 1, "server": {}, "registration": {}, "games": {"weaver-7k2q": {}}}',
    ],
)
def test_a_damaged_state_is_said_with_its_remedy(alice: Player, damaged: str) -> None:
    (alice.home / "state.json").write_text(damaged)
    done = alice.sigil("next")
    assert done.status == 2
    assert "state.json" in done.err
    assert (alice.home / "state.json").read_text() == damaged


def test_a_newer_program_s_state_is_not_touched(alice: Player) -> None:
    (alice.home / "state.json").write_text('{"schema": 99}')
    assert alice.sigil("sync").status == 2
    assert (alice.home / "state.json").read_text() == '{"schema": 99}'


def test_fields_of_another_version_do_no_harm(alice: Player, table: Table) -> None:
    alice.receive(table.document(0))
    alice.ok("sync")
    path = alice.home / "state.json"
    state = json.loads(path.read_text())
    game = state["games"][table.tag]
    del game["tries"]
    game["colour"] = "red"
    path.write_text(json.dumps(state))
    assert json.loads(alice.ok("next", "--json"))["asked"]


def test_state_and_documents_are_private(alice: Player, table: Table) -> None:
    alice.receive(table.document(0))
    alice.ok("sync")
    alice.ok("move", table.some_line())
    for path in alice.home.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_writing_leaves_the_old_file_or_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    files.write(path, b"old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        files.write(path, b"new")
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_many_programs_at_once_lose_nothing(alice: Player, host: Host) -> None:
    tables = [Table(host, f"weaver-a{number}", key=bytes([number])) for number in range(12)]
    for table in tables:
        alice.receive(table.document(table.turn))
    alice.ok("sync")
    commands = [("move", table.tag, table.some_line()) for table in tables] + [("sync",)] * 4
    with ThreadPoolExecutor(6) as pool:
        done = list(pool.map(lambda command: alice.process(*command), commands))
    assert [each.status for each in done] == [0] * len(commands)
    assert sorted(getattr(payload_of(mail), "game", "") for mail in alice.sent) == sorted(
        table.tag for table in tables
    )
    assert json.loads(alice.ok("next", "--json"))["asked"] == []


def test_killed_at_any_moment_a_bot_neither_loses_nor_doubles_an_answer(
    alice: Player, host: Host
) -> None:
    tables = [Table(host, f"weaver-b{number}", key=bytes([number])) for number in range(10)]
    for table in tables:
        alice.receive(table.document(table.turn))
    chance = random.Random(7)
    for _ in range(12):
        bot = subprocess.Popen(
            [SIGIL, "--home", alice.home, "bot", "random"],
            stdout=subprocess.DEVNULL,
            env=alice.environment({}),
        )
        time.sleep(chance.uniform(0.1, 0.5))
        bot.send_signal(signal.SIGKILL)
        bot.wait()
    alice.ok("bot", "random")
    sent = [payload_of(mail) for mail in alice.sent]
    games = [getattr(each, "game", "") for each in sent]
    assert set(games) == {table.tag for table in tables}
    for table in tables:
        mine = [each for each in sent if getattr(each, "game", "") == table.tag]
        answered = {getattr(each, "prompt", "") for each in mine}
        assert answered == {table.match.prompt_id(table.turn)}


@pytest.mark.parametrize(
    ("given", "tags"),
    [
        ("weaver-7k2q", ["weaver-7k2q"]),
        ("weaver-7", ["weaver-7k2q", "weaver-7m3x"]),
        ("weaver-7m", ["weaver-7m3x"]),
        ("7k", ["weaver-7k2q"]),
        ("tome", ["tome-aaaa"]),
        ("[TOME-AAAA]", ["tome-aaaa"]),
        ("x", []),
    ],
)
def test_what_a_shortened_tag_may_mean(given: str, tags: list[str]) -> None:
    state = State(
        games={tag: GameRecord(tag) for tag in ("weaver-7k2q", "weaver-7m3x", "tome-aaaa")}
    )
    assert state.fitting(given) == tags


def test_a_tag_that_begins_another_one_is_itself() -> None:
    state = State(games={tag: GameRecord(tag) for tag in ("weaver-7k", "weaver-7k2q")})
    assert state.game("weaver-7k").id == "weaver-7k"


def test_a_change_that_fails_changes_nothing(tmp_path: Path) -> None:
    home.use(tmp_path)
    try:
        with store.change() as state:
            state.games["a-1"] = GameRecord("a-1")
        before = (tmp_path / "state.json").read_bytes()
        with pytest.raises(NoGame), store.change() as state:
            state.games.popitem()[1].id = state.game("b-2").id
        assert (tmp_path / "state.json").read_bytes() == before
    finally:
        home.use(None)
