"""The host goes back to an older copy of the database: what was played since is played anew."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from sigilpost_server.clocks import desk
from tests.server.clocks.hours import DAY, begin
from tests.server.service.town import Received, Town


def copy(source: str, target: str) -> None:
    """A copy of a database, as ``.backup`` makes it."""
    one, other = sqlite3.connect(source), sqlite3.connect(target)
    one.backup(other)
    one.close()
    other.close()


def ids(mails: list[Received]) -> set[str]:
    return {str(mail.mail["Message-ID"]) for mail in mails}


def test_after_it_mails_about_another_move_are_other_mails_and_nobody_is_late(
    sqlite_url: str, tmp_path: Path
) -> None:
    """A mailbox that drops a second mail of one Message-ID would keep the new question from its
    player. And the time since the copy was made is an outage."""
    path, kept = sqlite_url.removeprefix("sqlite:///"), str(tmp_path / "copy.db")
    with Town.on(sqlite_url) as town:
        table = begin(town, "alice", "bob", clock="3d per move")
        town.service.tick()
        copy(path, kept)
        name = table.asked
        doc, hand = table.docs[name], table.hand
        assert table.play(f"hide {hand[0]}").reason == "ok"
        lost = table.read()
        stale = table.order(table.asked, table.line())
        who = table.asked
        town.clock.advance(7 * DAY)
        copy(kept, path)
        town.service.tick()
        assert town.deliver(town.mail(who, stale)).reason == "stale"
        town._read = 0
        town.post()
        table.docs[name] = doc
        order = table.order(name, f"hide {hand[1]}")
        assert town.deliver(town.mail(name, order)).reason == "ok"
        new = town.post()
        assert len(new) == len(lost) == 2
        assert not ids(new) & ids(lost)
        found = desk.clocks(town.service, table.tag)
        assert found is not None
        assert [s.deadline for s in found.seats if s.deadline] == [town.clock() + 3 * DAY]
