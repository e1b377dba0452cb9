"""What the host sees and mends, through the commands themselves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from sigilpost_engine.games import find
from sigilpost_engine.wire import payloads
from sigilpost_engine.wire.keys import PrivateKey
from sigilpost_server.models import games, seats
from sigilpost_server.program import run
from tests.server.service.town import Table, Town

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def sigilpost(sqlite_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command of the host on the town's database: status, output, errors."""
    (tmp_path / "server.pem").write_bytes(PrivateKey.from_seed(b"s" * 32).to_pem())
    config = tmp_path / "config.toml"
    config.write_text(f'[server]\naddress = "play@server.test"\n[database]\nurl = "{sqlite_url}"\n')

    def call(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        status = run(["--config", str(config), *arguments])
        out, err = capsys.readouterr()
        return status, out, err

    return call


def lines(out: str) -> list[dict[str, Any]]:
    """Lines of JSON."""
    return [json.loads(line) for line in out.splitlines()]


def spoil(town: Town) -> str:
    """Make the stored match run otherwise than it did; returns what was there."""
    with town.service.database.write() as db:
        stored = str(db.execute(select(games.c.match)).scalar_one())
        match = {**json.loads(stored), "told": "0" * 64}
        db.execute(update(games).values(match=json.dumps(match)))
    return stored


def test_log_has_a_line_for_each_mail(table: Table, sigilpost: Run) -> None:
    raw = table.town.mail(table.asked, table.order(table.asked, table.line()))
    verdict = table.town.deliver(raw)
    table.town.deliver(raw)
    status, out, _ = sigilpost("log", "--json")
    found = lines(out)
    assert status == 0
    assert len(found) == len(table.town.log())
    assert [line["verdict"] for line in found[-2:]] == ["accepted", "duplicate"]
    accepted = found[-2]
    assert accepted["digest"] == verdict.digest
    assert accepted["from"] == verdict.sender
    assert (accepted["reason"], accepted["game"], accepted["seq"]) == (
        "ok",
        table.tag,
        verdict.seq,
    )


def test_log_for_people_and_only_the_newest(table: Table, sigilpost: Run) -> None:
    table.town.deliver(table.town.mail("alice", "no block"))
    _, out, _ = sigilpost("log", "--last", "1")
    (line,) = out.splitlines()
    assert "rejected" in line
    assert "no-block" in line
    assert "alice@player.test" in line


def test_games_and_who_is_waited_for(table: Table, sigilpost: Run) -> None:
    proposed = table.town.propose("alice", "bob")
    _, out, _ = sigilpost("games", "--json")
    running, waiting = lines(out)
    assert (running["tag"], running["status"]) == (table.tag, "running")
    assert running["waiting"] == [table.asked]
    assert (waiting["tag"], waiting["waiting"]) == (proposed, ["alice", "bob"])
    status, _, error = sigilpost("games", "--status", "nonsense")
    assert status == 2
    assert "there are proposed, running, held, finished, cancelled" in " ".join(error.split())
    _, out, _ = sigilpost("games", "--status", "proposed")
    assert proposed in out
    assert table.tag not in out


def test_show_tells_nothing_hidden(table: Table, sigilpost: Run) -> None:
    for _ in range(4):
        table.play()
        table.read()
    with table.town.service.database.read() as db:
        secret = db.execute(select(games.c.secret)).scalar_one().hex()
        nonces = db.execute(select(seats.c.nonce)).scalars().all()
        questions = [asked for asked in db.execute(select(seats.c.asked)).scalars() if asked]
    assert questions
    for arguments in ((), ("--json",)):
        status, out, _ = sigilpost("show", table.tag, *arguments)
        assert status == 0
        assert "carol" in out
        assert secret not in out
        assert not [nonce for nonce in nonces if nonce in out]
        # A question's id is a digest of the hand, too: there are few enough hands to try them all.
        assert not [asked for asked in questions if asked.partition("-")[2] in out]
        assert not [card for card in find("weaver").cards if card in out]


def test_show_of_a_game_that_is_not_there(table: Table, sigilpost: Run) -> None:
    status, _, err = sigilpost("show", "weaver-none")
    assert status == 1
    assert "weaver-none" in err


def test_check_before_an_upgrade(table: Table, sigilpost: Run) -> None:
    assert sigilpost("check")[0] == 0
    spoil(table.town)
    status, out, err = sigilpost("check")
    assert status == 1
    assert table.tag in out
    assert "would not go on" in err


def test_a_held_game_is_released_and_its_mail_replayed(table: Table, sigilpost: Run) -> None:
    raw = table.town.mail(table.asked, table.order(table.asked, table.line()))
    good = spoil(table.town)
    digest = table.town.deliver(raw).digest
    status, _, err = sigilpost("release", table.tag)
    assert status == 1
    assert "Diverged" in err
    with table.town.service.database.write() as db:
        db.execute(update(games).values(match=good))
    assert sigilpost("release", table.tag)[0] == 0
    assert sigilpost("release", table.tag)[0] == 1
    _, out, _ = sigilpost("mail", "list", "--json")
    assert [line["digest"] for line in lines(out)] == [digest]
    _, out, err = sigilpost("mail", "show", digest[:10])
    assert "BEGIN SIGIL ORDERS" in out
    assert "Diverged" in err
    status, out, _ = sigilpost("mail", "replay", digest[:10])
    assert "accepted" in out
    assert sigilpost("mail", "replay", digest)[0] == 1


def test_a_mail_set_aside_can_be_forgotten(table: Table, sigilpost: Run) -> None:
    raw = table.town.mail(table.asked, table.order(table.asked, table.line()))
    spoil(table.town)
    digest = table.town.deliver(raw).digest
    assert sigilpost("mail", "discard", digest)[0] == 0
    assert sigilpost("mail", "list")[1] == ""


def test_a_transcript_goes_where_the_host_says_or_the_reason_why_not(
    table: Table, sigilpost: Run, tmp_path: Path
) -> None:
    table.town.send("alice", payloads.Resign, game=table.tag, seat=1)
    target = tmp_path / "game.jsonl"
    status, out, _ = sigilpost("transcript", table.tag, "-o", str(target))
    assert (status, target.exists()) == (0, True)
    assert "sigil verify" in out
    for path in (tmp_path / "no-folder" / "x", tmp_path):
        status, _, err = sigilpost("transcript", table.tag, "-o", str(path))
        assert status == 1
        assert err.startswith(f"sigilpost: {path} cannot be used: ")
