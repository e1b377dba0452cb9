"""A game that can be claimed and that all have left is closed some day: told before, and after."""

from __future__ import annotations

import pytest
from sqlalchemy import select, text

from sigilpost_server import db as databases
from sigilpost_server.clocks import desk, terms
from sigilpost_server.leagues import store
from sigilpost_server.leagues.state import Status
from sigilpost_server.models import games, timers
from tests.server.clocks.hours import DAY, HOUR, STEADY, ask, begin, others, to, wait
from tests.server.clocks.test_proofs import proved
from tests.server.leagues.town import FILE, LeagueTown
from tests.server.service.town import Received, Table, Town

LIMIT = terms.ABANDONED
NOTICE = terms.NOTICE


def left(town: Town, *more: str, clock: str = "2d per move") -> tuple[Table, str, str]:
    """A game of two in which somebody's time is out: the table, who is late, who could claim."""
    timeout = ", ".join(("claim", "no reminders", *more))
    table = begin(town, "alice", "bob", clock=clock, timeout=timeout)
    table.play()
    table.read()
    table.play()
    table.read()
    late = table.asked
    mails = wait(town, 2 * DAY)
    (other,) = others(table, late)
    assert "is closed as abandoned" in to(mails, other)[0].words
    assert "is closed as abandoned" in to(mails, late)[0].words
    return table, late, other


def closed(mails: list[Received]) -> list[Received]:
    return [mail for mail in mails if "closed as abandoned" in mail.subject]


def status(table: Table) -> str:
    with table.town.service.database.read() as db:
        return str(db.execute(select(games.c.status).where(games.c.tag == table.tag)).scalar_one())


def test_everybody_is_told_two_weeks_before_and_when_it_is_closed(any_town: Town) -> None:
    table, late, other = left(any_town)
    assert wait(any_town, LIMIT - NOTICE - 1) == []
    mails = wait(any_town, 1)
    assert len(mails) == 2
    assert f"sigil claim {table.tag}" in to(mails, other)[0].text
    assert f"sigil claim {table.tag}" not in to(mails, late)[0].text
    for name in (late, other):
        assert (
            "it is closed as abandoned: nobody wins it, and it is not rated"
            in to(mails, name)[0].words
        )
    assert wait(any_town, NOTICE - 1) == []
    mails = wait(any_town, 1)
    assert sorted(mail.to for mail in closed(mails)) == ["alice@player.test", "bob@player.test"]
    for mail in closed(mails):
        assert "nobody has won it, and it is not rated" in mail.words
        assert mail.turn.status == "cancelled"
        assert mail.turn.prompt is None
    mails += wait(any_town, 30 * DAY)
    assert sum(mail.subject.endswith("The transcript") for mail in mails) == 2
    report = proved(table)
    assert report.result == {"stopped": "abandoned", "winners": []}
    assert "audit.note.stopped.abandoned" in [note.message.id for note in report.notes]
    assert table.play().reason == "not-running"
    with any_town.service.database.read() as db:
        assert store.results(db) == []


@pytest.mark.parametrize("passed", [LIMIT - NOTICE - 1, LIMIT - 1])
def test_an_answer_before_that_counts_and_all_begins_anew(town: Town, passed: int) -> None:
    table, *_ = left(town)
    wait(town, passed)
    assert table.play().reason == "ok"
    table.read()
    wait(town, 2 * DAY)  # now the other's time is out
    assert wait(town, LIMIT - NOTICE - 1) == []
    assert len(wait(town, 1)) == 2
    assert status(table) == "running"


@pytest.mark.parametrize("passed", [LIMIT - NOTICE - 1, LIMIT - 1])
def test_a_claim_before_that_wins(town: Town, passed: int) -> None:
    table, late, other = left(town)
    wait(town, passed)
    assert ask(town, other, "claim", table.tag).reason == "ok"
    town.post()
    assert closed(wait(town, LIMIT)) == []
    assert proved(table).result == {"forfeited": late, "winners": [other]}


def test_the_game_may_agree_on_another_length(town: Town) -> None:
    table, _, other = left(town, "abandoned 10d")
    (mail,) = to(wait(town, 5 * DAY), other)
    assert "is closed as abandoned" in mail.words
    wait(town, 5 * DAY - 1)
    assert status(table) == "running"
    wait(town, 1)
    assert status(table) == "cancelled"


def test_the_notice_is_out_for_its_full_time_however_late_the_server_looks(town: Town) -> None:
    """No outage is noted, and yet nobody was told: it is told first."""
    table, _, other = left(town)
    (mail,) = to(wait(town, 3 * LIMIT), other)
    assert closed([mail]) == []
    assert status(table) == "running"
    assert wait(town, NOTICE - 1) == []
    assert len(closed(wait(town, 1))) == 2


def test_pauses_and_outages_do_not_count(sqlite_url: str) -> None:
    with Town.on(sqlite_url, clocks={"outage_minutes": 5 * 24 * 60}) as town:
        table, _, _other = left(town, "abandoned 8d")
        assert desk.pause(town.service, table.tag)
        for _ in range(10):
            wait(town, 4 * DAY)
        assert desk.resume(town.service, table.tag)
        wait(town, DAY)
        assert wait(town, 365 * DAY) == []  # the server was away
        assert wait(town, 3 * DAY - 1) == []
        assert len(wait(town, 1)) == 2
        wait(town, DAY)
        assert wait(town, 365 * DAY) == []
        assert wait(town, 3 * DAY - 1) == []
        assert len(closed(wait(town, 1))) == 2


def test_a_killed_server_tells_once_and_closes_once(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, *_ = left(town, "abandoned 10d")
    for words in ("is closed as abandoned", "was closed"):
        town.clock.advance(5 * DAY)
        with monkeypatch.context() as patch:
            patch.setattr("sigilpost_server.transaction.post.Post.store", _killed)
            with pytest.raises(KeyboardInterrupt):
                town.service.tick()
        assert town.post() == [], words
        town.service.tick()
        assert len([m for m in town.post() if "transcript" not in m.subject]) == 2
    assert status(table) == "cancelled"


def _killed(*_: object) -> None:
    raise KeyboardInterrupt


def test_in_a_league_it_does_not_count_and_the_league_goes_on(sqlite_url: str) -> None:
    with LeagueTown.on(sqlite_url, clocks=STEADY) as town:
        assert isinstance(town, LeagueTown)
        play = '[play]\ntime = "2d per move"\ntimeout = "claim, abandoned 10d"'
        town.prepare("alice", "bob", file=FILE.replace("[play]", play))
        for name in ("alice", "bob"):
            town.ask(name, "enter", "open")
        town.pass_days(2)
        town.join_all()
        for _ in range(13):
            town.pass_days(1)
        town.pass_days(0.1)
        (fixture,) = town.season(1).fixtures
        assert (fixture.status, fixture.places) == (Status.VOID, ())
        assert town.season().number == 2


def test_games_from_before_there_was_an_end_have_one_after_the_migration(town: Town) -> None:
    """Nothing was due for them: the clock's timer was gone."""
    table, *_ = left(town)
    url = str(town.service.database.engine.url)
    with town.service.database.write() as db:
        db.execute(timers.delete().where(timers.c.kind == "clock"))
        db.execute(text("UPDATE alembic_version SET version_num = '0005'"))
    databases.migrate(url)
    assert len(wait(town, LIMIT)) == 2
    assert len(closed(wait(town, NOTICE + HOUR))) == 2
    assert status(table) == "cancelled"
