"""Several processes on one database, and crashes: nothing happens twice, nothing is lost."""

from __future__ import annotations

import threading
from collections import Counter

import pytest
from sqlalchemy import func, select

from sigilpost_server.leagues.models import league_games
from sigilpost_server.leagues.state import Status
from sigilpost_server.models import outgoing
from sigilpost_server.service import Service
from sigilpost_server.transaction.post import Post
from tests.server.leagues.town import MANY, LeagueTown
from tests.server.service.town import open_service


def fixtures_made(town: LeagueTown) -> Counter[int]:
    """How many games were made for each fixture."""
    with town.service.database.read() as db:
        rows = db.execute(select(league_games.c.fixture)).all()
    return Counter(row.fixture for row in rows)


def test_servers_beside_each_other_begin_every_game_once(
    any_town: LeagueTown,
    database_url: str,
) -> None:
    town = any_town
    town.prepare(*MANY)
    for name in MANY:
        town.ask(name, "enter", "open")
    town.read()
    town.clock.advance(2 * 86_400)
    others = [open_service(database_url, town.clock) for _ in range(3)]
    faults: list[BaseException] = []

    def tick(service: Service) -> None:
        try:
            for _ in range(3):
                service.tick()
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=tick, args=(service,)) for service in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for service in others:
        service.close()
    assert faults == []
    made = fixtures_made(town)
    running = {f.number for f in town.season().fixtures if f.status is Status.RUNNING}
    assert set(made) == running
    assert set(made.values()) == {1}
    town.read()
    begun = Counter(mail.to for mail in town.mails if "season 1 begins" in mail.subject)
    assert set(begun.values()) == {1}
    assert len(begun) == len(MANY)


class Crash(BaseException):
    """The power is gone: no code of ours can catch that."""


def test_a_crash_in_the_middle_of_a_step_leaves_all_as_it_was_and_the_step_comes_again(
    town: LeagueTown,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    town.prepare("alice", "bob", "carol")
    for name in ("alice", "bob", "carol"):
        town.ask(name, "enter", "open")
    town.read()
    before = town.season()
    town.clock.advance(2 * 86_400)

    def crash(*_: object) -> None:
        raise Crash

    with monkeypatch.context() as patch:
        patch.setattr(Post, "store", crash)
        with pytest.raises(Crash):
            town.service.tick()
    assert town.season() == before
    assert fixtures_made(town) == {}
    town.service.tick()
    assert set(fixtures_made(town).values()) == {1}
    with town.service.database.read() as db:
        count = select(func.count(), outgoing.c.message_id).group_by(outgoing.c.message_id)
        assert all(row[0] == 1 for row in db.execute(count))
