"""The clocks of a game within one transaction, with several seats asked at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import select

from sigilpost_server.clocks.timepiece import Timepiece
from sigilpost_server.models import timers
from sigilpost_server.transaction import rows
from tests.server.clocks.hours import DAY, HOUR, begin
from tests.server.service.town import Table, Town


@contextmanager
def piece(table: Table, now: int) -> Iterator[Timepiece]:
    """The clocks of a game, changed and written in one transaction."""
    with table.town.service.database.write() as db:
        game = rows.game(db, table.tag)
        assert game is not None
        found = Timepiece(db, game, rows.seats_of(db, game.id), now)
        yield found
        found.save()


def due(table: Table) -> int:
    with table.town.service.database.read() as db:
        found = select(timers.c.due).where(timers.c.kind == "clock")
        moment: int = db.execute(found).scalar_one()
        return moment


def three(town: Town) -> Table:
    """A game of three; whatever its rules ask, the test says who is asked."""
    return begin(town, "alice", "bob", "carol", clock="2d per move", timeout="no reminders")


def test_with_several_asked_at_once_all_their_clocks_run_and_each_stops_by_itself(
    town: Town,
) -> None:
    table, now = three(town), town.clock()
    everybody = {0: "5-aaaaaaaa", 1: "5-bbbbbbbb", 2: "5-cccccccc"}
    with piece(table, now) as clocks:
        clocks.settle(everybody)
        assert [row.number for row in clocks.running()] == [0, 1, 2]
    with piece(table, now + DAY) as clocks:
        clocks.settle({0: "5-aaaaaaaa", 2: "5-cccccccc"})
        assert [row.number for row in clocks.running()] == [0, 2]
        assert clocks.due(1) is None
        assert clocks.due(0) == clocks.due(2) == (now + 2 * DAY, now + 2 * DAY)
    assert due(table) == now + 2 * DAY


def test_who_is_late_is_named_in_the_order_in_which_time_ran_out(town: Town) -> None:
    table, now = three(town), town.clock()
    with piece(table, now) as clocks:
        clocks.settle({})
    with piece(table, now + HOUR) as clocks:
        clocks.settle({2: "5-cccccccc"})
    with piece(table, now + 2 * HOUR) as clocks:
        clocks.settle({2: "5-cccccccc", 0: "6-aaaaaaaa"})
    with piece(table, now + 3 * DAY) as clocks:
        assert [row.number for row in clocks.late()] == [2, 0]


def test_a_question_that_stays_open_goes_on_running(town: Town) -> None:
    table, now = three(town), town.clock()
    for hour in range(3):
        with piece(table, now + hour * HOUR) as clocks:
            clocks.settle({0: "5-aaaaaaaa"})
    with piece(table, now + 3 * HOUR) as clocks:
        assert clocks.due(0) == (now + 2 * DAY, now + 2 * DAY)


def test_where_nobody_is_asked_nothing_is_due(town: Town) -> None:
    table = three(town)
    with piece(table, town.clock()) as clocks:
        clocks.settle({})
        assert clocks.next_due() is None
    with table.town.service.database.read() as db:
        assert db.execute(select(timers).where(timers.c.kind == "clock")).all() == []
