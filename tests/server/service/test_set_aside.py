"""One mail can harm only itself: what cannot be read is set aside, and the host can look at it."""

from __future__ import annotations

from contextlib import suppress

import pytest
from sqlalchemy import select

from sigilpost_server.errors import MailFailed
from sigilpost_server.mail_in import postmaster
from sigilpost_server.models import failures
from sigilpost_server.settings import Settings
from sigilpost_server.tools.look import printable
from tests.server.service.test_host import Run, lines, sigilpost  # noqa: F401
from tests.server.service.town import Table, Town


@pytest.fixture
def table(town: Town) -> Table:
    """A running game of three."""
    return town.begin("alice", "bob", "carol")


def stumble(patch: pytest.MonkeyPatch, word: bytes) -> None:
    """Make the parser stumble over mails that hold this word, as over some bytes it once did."""
    from sigilpost_server.mail_in import door

    parse = door.parse

    def poisoned(raw: bytes, budget: door.Budget, depth: int = 0) -> door.Part:
        if word in raw.partition(b"\r\n\r\n")[2]:
            raise IndexError(word.decode())
        return parse(raw, budget, depth)

    patch.setattr(door, "parse", poisoned)


def test_hazard_12_a_mail_that_cannot_be_read_is_set_aside_and_the_next_is_handled(
    table: Table,
    monkeypatch: pytest.MonkeyPatch,
    sigilpost: Run,  # noqa: F811
) -> None:
    raw = table.town.mail(table.asked, f"poison\n{table.line()}")
    with monkeypatch.context() as patch:
        stumble(patch, b"poison")
        verdict = table.town.deliver(raw)
        assert verdict.reason == "unparsable-mail"
        table.town.post()
        assert table.play().reason == "ok"
    _, out, _ = sigilpost("mail", "list", "--json")
    [line] = lines(out)
    assert (line["digest"], line["why"]) == (verdict.digest, "unparsable-mail")
    _, out, err = sigilpost("mail", "show", verdict.digest)
    assert "poison" in out
    assert "unparsable-mail" in err
    status, out, _ = sigilpost("mail", "replay", verdict.digest)
    assert status == 0
    assert "no-block" in out
    assert sigilpost("mail", "list")[1] == ""


def test_a_dry_run_tells_what_would_come_of_it_and_changes_nothing(
    table: Table,
    monkeypatch: pytest.MonkeyPatch,
    sigilpost: Run,  # noqa: F811
) -> None:
    raw = table.town.mail(table.asked, table.order(table.asked, table.line()))
    with monkeypatch.context() as patch:
        stumble(patch, b"SIGIL ORDERS")
        digest = table.town.deliver(raw).digest
    table.town.post()
    before, log = table.town.stored(), len(table.town.log())
    for _ in range(2):
        status, out, _ = sigilpost("mail", "replay", "--dry-run", digest[:12])
        assert status == 0
        assert out.startswith("accepted  ok")
        assert f"a mail would go to {table.town.people[table.asked].address}" in out
    assert table.town.stored() == before
    assert len(table.town.log()) == log
    assert table.town.post() == []
    assert digest[:12] in sigilpost("mail", "list")[1]
    assert sigilpost("mail", "replay", digest)[1].startswith("accepted")
    assert table.town.stored() != before


@pytest.mark.parametrize("options", [[], ["--dry-run"]])
def test_a_mail_that_fails_again_stays_and_nothing_of_it_is_said(
    table: Table,
    monkeypatch: pytest.MonkeyPatch,
    sigilpost: Run,  # noqa: F811
    options: list[str],
) -> None:
    """An error's text may name a card, and the host may be a player."""
    raw = table.town.mail(table.asked, table.order(table.asked, table.line()))

    def fail(*_: object) -> None:
        raise LookupError("ASHW 4 in the hand of bob")

    with monkeypatch.context() as patch:
        patch.setattr("sigilpost_server.transaction.play.Play.submit", fail)
        for _ in range(3):
            with suppress(MailFailed):
                digest = table.town.deliver(raw).digest
        before = table.town.stored()
        status, out, err = sigilpost("mail", "replay", *options, digest)
        assert (status, out) == (1, "")
        assert "fails and stays set aside" in err
        assert "ASHW" not in err
    [line] = lines(sigilpost("mail", "list", "--json")[1])
    assert (line["why"], line["failures"]) == ("LookupError", 3 if options else 4)
    assert table.town.stored() == before
    assert table.town.post() == []
    assert sigilpost("mail", "replay", digest)[1].startswith("accepted")


def test_an_unreadable_mail_is_set_aside_though_its_sender_has_had_all_answers(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    town.register("alice")
    stumble(monkeypatch, b"poison")
    for number in range(20):
        verdict = town.deliver(town.mail("alice", f"poison {number}"))
    assert verdict.reason == "loop-budget"
    with town.service.database.read() as db:
        assert len(db.execute(select(failures.c.digest)).all()) == 20


def test_only_the_newest_unreadable_mails_are_kept(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Town.on(sqlite_url, limits={"set_aside": 3}) as town:
        stumble(monkeypatch, b"poison")
        for number in range(6):
            town.clock.advance(1)
            town.deliver(town.mail("zoe@else.test", f"poison {number}"))
        town.service.tick()
        with town.service.database.read() as db:
            kept = db.execute(select(failures.c.raw).order_by(failures.c.last)).scalars().all()
    assert [raw[-8:] for raw in kept] == [f"poison {n}".encode() for n in (3, 4, 5)]


def test_only_the_newest_of_the_postmaster_s_mails_are_kept_and_push_no_other_out(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everybody can write to the postmaster; nobody may fill the disk by it."""
    with Town.on(sqlite_url, limits={"set_aside": 3}) as town:
        with monkeypatch.context() as patch:
            stumble(patch, b"poison")
            town.deliver(town.mail("zoe@else.test", "poison"))
        for number in range(6):
            town.clock.advance(1)
            mail = town.mail("zoe@else.test", f"spam {number}")
            town.deliver(b"Return-Path: <zoe@else.test>\r\n" + postmaster.DELIVERED + mail)
        town.service.tick()
        with town.service.database.read() as db:
            kept = db.execute(select(failures.c.raw).order_by(failures.c.last)).scalars().all()
    assert [raw[-6:] for raw in kept] == [b"poison", *(f"spam {n}".encode() for n in (3, 4, 5))]


def test_a_dry_run_of_a_mail_that_is_not_there(sigilpost: Run) -> None:  # noqa: F811
    assert sigilpost("mail", "replay", "--dry-run", "abcd")[0] == 1


@pytest.mark.parametrize("digits", ["abcd", "", "xyz", "\x1b[2J"])
@pytest.mark.parametrize("command", ["show", "replay", "discard"])
def test_a_mail_that_is_not_there_is_said_so(
    sigilpost: Run,  # noqa: F811
    command: str,
    digits: str,
) -> None:
    status, out, err = sigilpost("mail", command, digits)
    assert (status, out) == (1, "")
    assert "fit 0 mails" in err


def test_a_mail_is_shown_byte_for_byte_but_never_commands_the_terminal(
    town: Town,
    monkeypatch: pytest.MonkeyPatch,
    sigilpost: Run,  # noqa: F811
) -> None:
    hostile = "poison \x1b]0;owned\x07\x1b[2J \u202egpj.exe caf\u00e9\ta\n"
    raw = town.mail("zoe@else.test", hostile)
    with monkeypatch.context() as patch:
        stumble(patch, b"poison")
        digest = town.deliver(raw).digest
    assert sigilpost("mail", "show", digest)[1].encode() == raw
    assert lines(sigilpost("mail", "list", "--json")[1])[0]["size"] == len(raw)
    shown = printable(raw).split("\n")
    assert (
        shown[-2] == "poison \ufffd]0;owned\ufffd\ufffd[2J \ufffdgpj.exe caf\u00e9".ljust(40) + "a"
    )
    assert all(line.isprintable() for line in shown)


def test_a_hundred_are_kept_unless_the_host_says_otherwise() -> None:
    assert Settings().limits.set_aside == 100
