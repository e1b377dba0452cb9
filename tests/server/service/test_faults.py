"""Faults of our own, of the rules, of the disk: nothing lost, nothing doubled, nothing guessed."""

from __future__ import annotations

import json
import os
import resource
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event, select, update

from sigilpost_engine.wire import payloads
from sigilpost_server import host, transcripts
from sigilpost_server.db import Database, open_engine
from sigilpost_server.errors import MailFailed, TryLater
from sigilpost_server.models import failures, games, outgoing
from sigilpost_server.service import Service
from sigilpost_server.transaction import shunt
from sigilpost_server.transaction.house import House
from sigilpost_server.transaction.play import Play
from tests.server.service.town import Table, Town

HIDDEN = ("ASHW", "3")
"""What a fault may name and nobody may read."""


def order(table: Table) -> bytes:
    """A legal move of whoever is asked."""
    return table.town.mail(table.asked, table.order(table.asked, table.line()))


class Broken(Exception):
    """What a fault of our own raises in these tests."""


@contextmanager
def broken(town: Town, when: str) -> Iterator[None]:
    """While this lasts, statements that begin with these words fail by a fault of ours."""

    def stumble(_c: object, _k: object, sql: str, *_rest: object) -> None:
        if sql.startswith(when):
            raise Broken

    engine = town.service.database.engine
    event.listen(engine, "before_cursor_execute", stumble)
    try:
        yield
    finally:
        event.remove(engine, "before_cursor_execute", stumble)


def spoil(town: Town, **values: object) -> None:
    """Change a stored match so that it does not run as it did."""
    with town.service.database.write() as db:
        match = json.loads(db.execute(select(games.c.match)).scalar_one())
        db.execute(update(games).values(match=json.dumps({**match, **values})))


# --- our own faults -------------------------------------------------------------------------------


def test_a_mail_that_fails_three_times_is_set_aside_and_can_be_replayed(
    any_town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = any_town.begin("alice", "bob")
    raw, before = order(table), any_town.stored()

    def fail(*_: object) -> None:
        raise Broken(" ".join(HIDDEN))

    monkeypatch.setattr("sigilpost_server.transaction.play.Play.submit", fail)
    for _ in range(2):
        with pytest.raises(MailFailed):
            any_town.deliver(raw)
        assert any_town.log()[-1].verdict != "failed"
    verdict = any_town.deliver(raw)
    assert (verdict.verdict, verdict.reason) == ("failed", "internal-error")
    assert any_town.stored() == before
    assert any_town.post() == []
    with any_town.service.database.read() as db:
        (listed,) = shunt.listed(db)
        kept = shunt.kept(db, listed.digest)
    assert listed.size == len(raw)
    assert kept is not None
    assert kept.raw == raw
    assert "Broken" in kept.traceback
    assert " ".join(HIDDEN) not in kept.traceback
    monkeypatch.undo()
    again = any_town.service.replay(kept.digest)
    assert again is not None
    assert again.reason == "ok"
    assert any_town.post() != []
    with any_town.service.database.read() as db:
        assert shunt.listed(db) == []


def test_one_mail_s_failure_does_not_concern_the_next(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = town.begin("alice", "bob")
    raw = order(table)
    with monkeypatch.context() as patch:
        patch.setattr("sigilpost_server.transaction.play.Play.submit", lambda *_: 1 / 0)
        with pytest.raises(MailFailed):
            town.deliver(raw)
        assert town.deliver(town.mail("alice", "no block")).reason == "no-block"
    assert town.deliver(raw).reason == "ok"
    town.service.tick()
    with town.service.database.read() as db:
        assert db.execute(select(failures)).all() == []


def test_what_is_missing_in_half_an_upgrade_is_no_failure_of_a_mail_that_comes_by_the_pipe(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such a process imports what it needs when it needs it; the mail waits for the other half.
    A process that stays has imported all: there it is a fault like others, and delays no other
    mail."""
    table = town.begin("alice", "bob")
    raw = order(table)

    def missing(*_: object) -> None:
        raise ModuleNotFoundError("no such part of the program")

    monkeypatch.setattr("sigilpost_server.transaction.play.Play.submit", missing)
    for _ in range(4):
        with pytest.raises(TryLater, match="not complete"):
            town.deliver(raw)
    with town.service.database.read() as db:
        assert db.execute(select(failures)).all() == []
    town.service.load()
    with pytest.raises(MailFailed):
        town.deliver(raw)
    monkeypatch.undo()
    assert town.deliver(raw).reason == "ok"


def test_a_timer_that_fails_keeps_no_other_clock_waiting(
    town: Town, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is tried again an hour later; the log has the place of the fault and no value of it."""
    table = town.begin("alice", "bob")
    other = town.again("alice", "bob")
    town.send("alice", payloads.Resign, game=table.tag, seat=1)
    town.clock.advance(1)
    town.send("alice", payloads.Resign, game=other.tag, seat=1)
    town.post()
    write = transcripts.of_game

    def stumble(db: Connection, play: Play, house: House) -> bytes:
        if play.row.tag == table.tag:
            raise Broken(" ".join(HIDDEN))
        return write(db, play, house)

    with monkeypatch.context() as patch:
        patch.setattr("sigilpost_server.transcripts.of_game", stumble)
        town.service.tick()
    assert {mail.turn.game for mail in town.post()} == {other.tag}
    (record,) = [each for each in caplog.records if each.getMessage() == "a timer failed"]
    said = vars(record)
    assert (said["kind"], said["subject"]) == ("transcript", table.tag)
    assert "test_faults.py" in said["where"]
    assert HIDDEN[0] not in str(said)
    town.clock.advance(3599)
    town.service.tick()
    assert town.post() == []
    town.clock.advance(1)
    town.service.tick()
    assert {mail.turn.game for mail in town.post()} == {table.tag}


def test_a_mail_set_aside_that_arrives_again_is_a_duplicate(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = order(table)
    monkeypatch.setattr("sigilpost_server.transaction.play.Play.submit", lambda *_: 1 / 0)
    for _ in range(2):
        with pytest.raises(MailFailed):
            table.town.deliver(raw)
    assert table.town.deliver(raw).verdict == "failed"
    monkeypatch.undo()
    assert table.town.deliver(raw).verdict == "duplicate"


@pytest.mark.parametrize("step", ["INSERT INTO correspondent", "SELECT player.id", "DELETE"])
def test_a_transaction_that_breaks_off_leaves_nothing(town: Town, step: str) -> None:
    town.register("alice", "bob")
    before = town.stored()
    count = len(town.log())
    with broken(town, step), pytest.raises(MailFailed):
        _join_all(town)
    town.post()
    assert len(town.log()) >= count
    assert [row.reason for row in town.log()[count:]] == ["ok"] * (len(town.log()) - count)
    with town.service.database.read() as db:
        known = {row.message_id for row in db.execute(select(outgoing.c.message_id)).all()}
        assert len(known) == len(db.execute(select(outgoing.c.id)).all())
    assert before["entry"] == town.stored()["entry"]


def _join_all(town: Town) -> None:
    tag = town.propose("alice", "bob")
    town.post()
    for name in ("alice", "bob"):
        town.send(name, payloads.Join, game=tag)


# --- held games -----------------------------------------------------------------------------------


def test_a_game_that_does_not_replay_is_held_and_everybody_is_told(sqlite_url: str) -> None:
    with Town.on(
        sqlite_url, server={"address": "play@server.test", "host": "host@own.test"}
    ) as town:
        table = town.begin("alice", "bob", "carol")
        raw = order(table)
        spoil(town, told="0" * 64)
        before = town.stored()["entry"]
        verdict = town.deliver(raw)
        assert (verdict.verdict, verdict.reason) == ("failed", "diverged")
        assert town.stored()["entry"] == before
        mails = {mail.to: mail for mail in town.post()}
        assert sorted(mails) == [
            "alice@player.test",
            "bob@player.test",
            "carol@player.test",
            "host@own.test",
        ]
        assert "Diverged" in mails["host@own.test"].words
        assert "Nothing is lost" in mails["bob@player.test"].words


@pytest.mark.parametrize(
    ("kind", "values", "reason"),
    [
        (payloads.Chat, {"to": "all", "text": "hello"}, "ok"),
        (payloads.Resign, {"seat": 1}, "ok"),
        (payloads.Standing, {"seat": 1, "add": ("on turn do hide ASHW 1",)}, "ok"),
        (payloads.Request, {"what": "claim"}, "not-possible"),
    ],
)
def test_any_mail_about_a_game_that_does_not_replay_holds_it(
    table: Table, kind: type[payloads.Payload], values: dict[str, Any], reason: str
) -> None:
    """It is no fault of the mail's, which waits for the host and counts once the game goes on."""
    town, tag = table.town, table.tag
    with town.service.database.read() as db:
        good = json.loads(db.execute(select(games.c.match)).scalar_one())["told"]
    spoil(town, told="0" * 64)
    about = {"args": (tag,)} if kind is payloads.Request else {"game": tag}
    block = town.block("alice", kind, **values, **about)
    verdict = town.deliver(town.mail("alice", block))
    assert (verdict.verdict, verdict.reason) == ("failed", "diverged")
    assert len(town.post()) == len(table.names)
    spoil(town, told=good)
    assert host.release(town.service, tag)
    town.post()
    again = town.service.replay(bytes.fromhex(verdict.digest))
    assert again is not None
    assert again.reason == reason


def test_a_held_game_takes_no_orders_and_uses_none_up(table: Table) -> None:
    first = order(table)
    spoil(table.town, told="0" * 64)
    table.town.deliver(first)
    table.town.post()
    block = table.order(table.asked, table.line())
    verdict = table.town.deliver(table.town.mail(table.asked, block))
    assert (verdict.verdict, verdict.reason) == ("rejected", "held")
    assert "stopped until the host" in table.town.only().words


def test_the_mail_at_which_a_game_was_held_can_be_replayed_after_its_release(
    table: Table,
) -> None:
    town = table.town
    raw = order(table)
    with town.service.database.read() as db:
        good = json.loads(db.execute(select(games.c.match)).scalar_one())["told"]
    spoil(town, told="0" * 64)
    verdict = town.deliver(raw)
    with pytest.raises(host.StillHeld):
        host.release(town.service, table.tag)
    spoil(town, told=good)
    town.post()
    host.release(town.service, table.tag)
    (told,) = town.post()
    assert told.to == town.people[table.asked].address
    assert told.turn.prompt == table.docs[table.asked].prompt
    again = town.service.replay(bytes.fromhex(verdict.digest))
    assert again is not None
    assert again.reason == "ok"


def test_check_names_the_games_whose_open_step_does_not_run_as_it_did(town: Town) -> None:
    town.register("alice", "bob", "carol")
    good = town.again("alice", "bob")
    assert list(host.check(town.service.database)) == []
    spoil(town, asking=["0" * 16])
    bad = town.again("alice", "carol")
    found = list(host.check(town.service.database))
    assert [each.tag for each in found] == [good.tag]
    assert bad.tag != good.tag
    assert "another question" in found[0].why


# --- the disk and the database --------------------------------------------------------------------


def test_a_full_disk_keeps_the_mail_at_its_source(town: Town) -> None:
    table = town.begin("alice", "bob")
    raw, before = order(table), town.stored()
    with full(town), pytest.raises(TryLater, match="full"):
        town.deliver(raw)
    assert town.stored() == before
    assert town.post() == []
    assert town.deliver(raw).reason == "ok"


@contextmanager
def full(town: Town) -> Iterator[None]:
    """While this lasts, no page can be added to the database's file."""

    def limit(connection: sqlite3.Connection, *_: object) -> None:
        connection.execute("PRAGMA max_page_count = 1")

    town.service.database.engine.dispose()
    event.listen(town.service.database.engine, "connect", limit)
    try:
        yield
    finally:
        event.remove(town.service.database.engine, "connect", limit)
        town.service.database.engine.dispose()


def test_a_read_only_database_keeps_the_mail_at_its_source(town: Town, tmp_path: Path) -> None:
    table = town.begin("alice", "bob")
    raw = order(table)
    readonly = open_engine(f"sqlite:///file:{tmp_path / 'sigilpost.db'}?mode=ro&uri=true")
    service = Service(town.service.house, Database(readonly), town.clock)
    with pytest.raises(TryLater, match="readonly"):
        service.handle(raw, source="test")
    service.close()
    assert town.deliver(raw).reason == "ok"


def test_a_database_that_another_process_keeps_locked_is_waited_for_and_then_given_up(
    sqlite_url: str, tmp_path: Path
) -> None:
    with Town.on(sqlite_url) as town:
        raw = town.mail("zoe@else.test", "Hello")
        engine = open_engine(sqlite_url, busy_seconds=1)
        service = Service(town.service.house, Database(engine), town.clock)
        other = sqlite3.connect(tmp_path / "sigilpost.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(TryLater, match="locked"):
            service.handle(raw, source="test")
        other.execute("ROLLBACK")
        assert service.handle(raw, source="test").reason == "unregistered"
        service.close()
        other.close()


def test_a_database_that_is_gone_is_waited_for(migrated_postgresql: str) -> None:
    with (
        Town.on(migrated_postgresql.replace("test", "nowhere", 1)) as town,
        pytest.raises(TryLater),
    ):
        town.deliver(town.mail("zoe@else.test", "Hello"))


def test_a_connection_that_breaks_in_the_middle_of_a_mail_is_made_anew(
    migrated_postgresql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Town.on(migrated_postgresql) as town:
        table = town.begin("alice", "bob")
        raw, before = order(table), town.stored()
        save = Play.save

        def cut(play: Play) -> None:
            mine = play.db.exec_driver_sql("SELECT pg_backend_pid()").scalar_one()
            with town.service.database.engine.connect() as other:
                other.exec_driver_sql(f"SELECT pg_terminate_backend({mine})")
            save(play)

        with monkeypatch.context() as patch:
            patch.setattr(Play, "save", cut)
            with pytest.raises(TryLater):
                town.deliver(raw)
        assert town.stored() == before
        assert town.deliver(raw).reason == "ok"


def test_a_disk_full_of_other_files_keeps_the_mail_at_its_source(
    sqlite_url: str, tmp_path: Path
) -> None:
    """A real write error: the process may not write beyond a size of file (SIGXFSZ ignored)."""
    with Town.on(sqlite_url) as town:
        raw = town.mail("zoe@else.test", "Hello")
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))
            try:
                town.deliver(raw)
            except TryLater:
                os._exit(75)
            except BaseException:
                os._exit(1)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 75
        town.service.database.engine.dispose()
        assert town.deliver(raw).reason == "unregistered"
