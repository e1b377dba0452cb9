"""Holidays, pauses, emergencies, outages: time that counts on no clock."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import select

from sigilpost_server import host
from sigilpost_server.clocks import desk
from sigilpost_server.models import GameStatus, games, outages
from sigilpost_server.service import Service
from tests.server.clocks.hours import (
    DAY,
    HOUR,
    MINUTE,
    again,
    ask,
    at,
    begin,
    others,
    to,
    wait,
)
from tests.server.service.town import Table, Town

NOON = at("2026-11-30 12:00")


@pytest.fixture
def table(town: Town) -> Table:
    """A game of two that began at noon, in Berlin, on a Monday."""
    town.clock.seconds = NOON
    return begin(town, "alice", "bob", clock="3d per move", timeout="forfeit, no reminders")


def deadline(table: Table, name: str = "") -> int | None:
    """The deadline of whoever is asked, as a mail says that the server sends on request."""
    name = name or table.asked
    assert ask(table.town, name, "show", table.tag).reason == "ok"
    (mail,) = to(table.town.post(), name)
    found = mail.turn.extra["deadline"]
    assert found is None or isinstance(found, int)
    return found


# --- holidays -------------------------------------------------------------------------------------


def test_a_holiday_moves_the_deadline_and_the_opponents_are_told(table: Table) -> None:
    town, name = table.town, table.asked
    (other,) = others(table, name)
    assert ask(town, name, "vacation", "2026-12-02", "to", "2026-12-05").reason == "ok"
    mails = town.post()
    (mine,), (theirs,) = to(mails, name), to(mails, other)
    told = "from Wed 2 December 2026 to Sat 5 December 2026"
    assert f"F{told[1:]}" in mine.words
    assert "26 days of holiday are left in 2026" in mine.words
    assert f"{name} is on holiday {told}" in theirs.words
    assert table.tag in theirs.words
    assert deadline(table) == at("2026-12-07 12:00")


def test_a_holiday_is_in_the_player_s_own_zone_and_moves_nobody_else_s_deadline(
    table: Table,
) -> None:
    town = table.town
    before = deadline(table)
    assert ask(town, table.idle, "vacation", "2026-12-02").reason == "ok"
    town.post()
    assert deadline(table) == before


def test_one_mail_to_each_opponent_whatever_the_number_of_games(table: Table) -> None:
    town = table.town
    other = again(town, "alice", "bob", clock="3d per move")
    ask(town, "alice", "vacation", "2026-12-10")
    (mail,) = to(town.post(), "bob")
    assert table.tag in mail.text
    assert other.tag in mail.text


def test_a_deadline_under_an_hour_away_is_not_moved(table: Table) -> None:
    town, name = table.town, table.asked
    town.clock.advance(3 * DAY - HOUR + 1)
    assert ask(town, name, "vacation", "2026-12-03", "2026-12-10").reason == "ok"
    words = to(town.post(), name)[0].words
    assert f"But not for the question that is open for you in {table.tag}" in words
    assert "less than 1 hour away" in words
    assert "Its deadline: Thu 3 December 2026, 12:00 (Europe/Berlin): 59 minutes left." in words
    assert f"From your next question on your holidays count in {table.tag}, too" in words
    assert deadline(table) == NOON + 3 * DAY
    assert {mail.turn.status for mail in wait(town, HOUR)} == {"finished"}


def test_a_holiday_that_is_refused_for_a_question_says_so_each_time(table: Table) -> None:
    """A pause has moved the deadline far away; the question is still one for which none counts."""
    town, name = table.town, table.asked
    town.clock.advance(3 * DAY - HOUR // 2)
    ask(town, name, "vacation", "2026-12-03", "2026-12-10")
    desk.pause(town.service, table.tag)
    town.clock.advance(5 * DAY)
    town.post()
    ask(town, name, "vacation", "2026-12-12")
    assert "Its deadline: none now: the clocks of this game" in to(town.post(), name)[0].words
    desk.resume(town.service, table.tag)
    town.post()
    ask(town, name, "vacation", "2026-12-08", "2026-12-13")
    words = to(town.post(), name)[0].words
    assert "8 December 2026, 12:00 (Europe/Berlin): 30 minutes left" in words
    assert deadline(table) == NOON + 8 * DAY


def test_a_holiday_after_a_near_deadline_moves_nothing_and_refuses_nothing(table: Table) -> None:
    """The time that a pause adds later is time like any other: the holiday counts in it."""
    town, name = table.town, table.asked
    town.clock.advance(3 * DAY - HOUR // 2)
    ask(town, name, "vacation", "2026-12-05", "2026-12-06")
    assert "But not for" not in to(town.post(), name)[0].words
    desk.pause(town.service, table.tag)
    town.clock.advance(DAY + 12 * HOUR + HOUR // 2)
    desk.resume(town.service, table.tag)
    town.post()
    assert deadline(table) == at("2026-12-07 00:30")


def test_one_an_hour_away_is_moved(table: Table) -> None:
    town, name = table.town, table.asked
    town.clock.advance(3 * DAY - HOUR)
    ask(town, name, "vacation", "2026-12-03")
    town.post()
    assert deadline(table) == at("2026-12-04 01:00")


def test_a_near_deadline_is_kept_but_the_next_question_waits_for_the_holiday_s_end(
    table: Table,
) -> None:
    town, name = table.town, table.asked
    town.clock.advance(3 * DAY - HOUR // 2)
    ask(town, name, "vacation", "2026-12-03", "2026-12-10")
    town.post()
    for _ in range(2):
        table.play()
        table.read()
    assert table.asked == name
    assert deadline(table) == at("2026-12-14 00:00")


def test_a_holiday_that_begins_today_begins_now_and_not_this_morning(table: Table) -> None:
    town = table.town
    town.clock.advance(6 * HOUR)
    ask(town, table.asked, "vacation", "2026-11-30")
    town.post()
    assert deadline(table) == at("2026-12-03 18:00")


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (("2026-12-05", "2026-12-02"), "comes before the first"),
        (("2026-11-29",), "cannot begin before today"),
        (("2026-12-01", "2027-01-31"), "is too long"),
        (("2028-12-31", "2029-01-02"), "too far ahead"),
        (("2026-11-30", "2026-12-31"), "2026 may have 30 days of holiday; 30 of them are left"),
        (("tomorrow",), "is no date"),
        (("2026-02-30",), "is no date"),
        (("2026-12-01", "2026-12-02", "2026-12-03"), "Write the days of a holiday like"),
        (("cancel", "2026-12-01"), "no holiday that begins on"),
        (("cancel",), "Write the days of a holiday like"),
    ],
)
def test_days_that_cannot_be_a_holiday_are_refused_and_change_nothing(
    table: Table, days: tuple[str, ...], said: str
) -> None:
    town, before = table.town, deadline(table)
    assert ask(town, table.asked, "vacation", *days).reason == "not-possible"
    assert said in town.only().words
    assert deadline(table) == before


def test_each_year_has_a_budget_of_its_own_and_a_day_counts_once(table: Table) -> None:
    town, name = table.town, table.asked
    assert ask(town, name, "vacation", "2026-12-11", "2027-01-15").reason == "ok"
    assert ask(town, name, "vacation", "2026-12-03", "2026-12-11").reason == "ok"
    assert ask(town, name, "vacation", "2026-12-02").reason == "ok"
    town.post()
    assert ask(town, name, "vacation", "2026-12-01").reason == "not-possible"
    assert "2026 may have 30 days of holiday; 0 of them are left" in town.only().words


def test_a_holiday_can_be_cancelled_and_gives_its_days_back(table: Table) -> None:
    town, name = table.town, table.asked
    (other,) = others(table, name)
    ask(town, name, "vacation", "2026-12-02", "2026-12-05")
    town.post()
    assert ask(town, name, "vacation", "cancel", "2026-12-02").reason == "ok"
    mails = town.post()
    assert "30 days of holiday are left in 2026" in to(mails, name)[0].words
    assert f"{name} has cancelled the holiday" in to(mails, other)[0].words
    assert deadline(table) == NOON + 3 * DAY


def test_a_holiday_announced_twice_is_one(table: Table) -> None:
    town, name = table.town, table.asked
    ask(town, name, "vacation", "2026-12-02", "2026-12-05")
    town.post()
    for days in (("2026-12-02", "2026-12-05"), ("2026-12-03",)):
        assert ask(town, name, "vacation", *days).reason == "not-possible"
        assert "All these days are holidays of yours already" in town.only().words


def test_a_cancelled_holiday_is_cancelled_with_all_that_prolonged_it(table: Table) -> None:
    town, name = table.town, table.asked
    ask(town, name, "vacation", "2026-12-02", "2026-12-03")
    ask(town, name, "vacation", "2026-12-02", "2026-12-09")
    town.post()
    assert ask(town, name, "vacation", "cancel", "2026-12-02").reason == "ok"
    mine = to(town.post(), name)[0].words
    assert "from Wed 2 December 2026 to Wed 9 December 2026 is cancelled" in mine
    assert "30 days of holiday are left in 2026" in mine
    assert deadline(table) == NOON + 3 * DAY


def test_a_holiday_going_on_ends_where_it_is_cancelled(table: Table) -> None:
    town, name = table.town, table.asked
    ask(town, name, "vacation", "2026-12-01", "2026-12-20")
    wait(town, 2 * DAY)
    ask(town, name, "vacation", "cancel", "2026-12-01")
    assert "28 days of holiday are left in 2026" in to(town.post(), name)[0].words
    assert deadline(table) == at("2026-12-05 00:00")
    assert [mail.turn.status for mail in wait(town, at("2026-12-05 00:00") - town.clock())][:1] == [
        "finished"
    ]


def test_one_s_holidays_are_told_on_request(table: Table) -> None:
    town = table.town
    ask(town, "alice", "vacation")
    assert "You have no holiday ahead" in town.only().words
    ask(town, "alice", "vacation", "2026-12-24")
    town.post()
    ask(town, "alice", "vacation")
    assert "Holiday from Thu 24 December 2026 to Thu 24 December 2026" in town.only().words


# --- pauses ---------------------------------------------------------------------------------------


def test_a_pause_begins_when_everybody_agrees(any_town: Town) -> None:
    town = any_town
    table = begin(town, "alice", "bob", "carol", clock="3d per move", timeout="no reminders")
    begun = town.clock()
    assert ask(town, "alice", "pause", table.tag, "10").reason == "ok"
    assert {mail.to[0] for mail in town.post()} == {"a", "b", "c"}
    assert ask(town, "bob", "pause", table.tag, "7d").reason == "ok"
    town.post()
    assert deadline(table) == begun + 3 * DAY
    assert ask(town, "carol", "pause", table.tag).reason == "ok"
    mails = town.post()
    assert len(mails) == 3
    assert all("Everybody agrees: the clocks" in mail.words for mail in mails)
    assert deadline(table) == begun + 10 * DAY


def test_a_vote_given_twice_is_one_vote(table: Table) -> None:
    town = table.town
    ask(town, "alice", "pause", table.tag)
    ask(town, "alice", "pause", table.tag)
    town.post()
    assert deadline(table) == NOON + 3 * DAY


def paused(table: Table) -> None:
    for name in table.names:
        assert ask(table.town, name, "pause", table.tag, "10").reason == "ok"
    table.town.post()


def test_a_pause_ends_by_itself_and_the_question_is_mailed_once_more(table: Table) -> None:
    town = table.town
    paused(table)
    mails = wait(town, 10 * DAY)
    assert len(mails) == 2
    (mail,) = to(mails, table.asked)
    assert f"The clocks of {table.tag} run again" in mail.words
    assert mail.turn.extra["deadline"] == NOON + 13 * DAY
    assert {mail.turn.status for mail in wait(town, 3 * DAY)} == {"finished"}


def test_everybody_can_end_it_sooner(table: Table) -> None:
    town = table.town
    paused(table)
    wait(town, 2 * DAY)
    assert ask(town, "alice", "resume", table.tag).reason == "ok"
    town.post()
    assert ask(town, "bob", "resume", table.tag).reason == "ok"
    town.post()
    assert deadline(table) == NOON + 5 * DAY
    assert wait(town, 2 * DAY) == []
    assert {mail.turn.status for mail in wait(town, DAY)} == {"finished"}


def test_moves_count_in_a_pause(table: Table) -> None:
    paused(table)
    assert table.play().reason == "ok"
    table.read()
    assert table.docs[table.asked].extra["deadline"] == NOON + 13 * DAY


@pytest.mark.parametrize("days", ["0", "61", "x", "-1", "99999999999"])
def test_the_length_of_a_pause_has_limits(table: Table, days: str) -> None:
    assert ask(table.town, "alice", "pause", table.tag, days).reason == "not-possible"
    assert "A pause has from 1 to 60 days" in table.town.only().words


def test_what_is_no_pause_cannot_be_ended_and_one_is_enough(table: Table) -> None:
    town = table.town
    assert ask(town, "alice", "resume", table.tag).reason == "not-possible"
    paused(table)
    assert ask(town, "alice", "pause", table.tag).reason == "not-possible"


def test_a_game_without_clock_needs_no_pause(town: Town) -> None:
    table = town.begin("alice", "bob")
    assert ask(town, "alice", "pause", table.tag).reason == "not-possible"
    assert "no time control" in town.only().words
    assert ask(town, "alice", "emergency").reason == "not-possible"


def test_the_host_pauses_a_game_until_the_host_ends_it(table: Table) -> None:
    town = table.town
    assert desk.pause(town.service, table.tag)
    mails = town.post()
    assert len(mails) == 2
    assert all("run again when the host says so" in mail.words for mail in mails)
    assert deadline(table) is None
    assert wait(town, 300 * DAY) == []
    assert ask(town, "alice", "resume", table.tag).reason == "not-possible"
    town.post()
    assert desk.resume(town.service, table.tag)
    assert len(town.post()) == 2
    assert deadline(table) == NOON + 303 * DAY
    assert not desk.resume(town.service, table.tag)


def test_the_deadline_in_a_mail_says_that_the_clocks_stand_still(table: Table) -> None:
    town = table.town
    desk.pause(town.service, table.tag)
    town.post()
    ask(town, table.asked, "show", table.tag)
    assert "none now: the clocks of this game stand still" in town.only().words


def test_an_emergency_stops_all_games_of_a_player_once_in_half_a_year(table: Table) -> None:
    town = table.town
    other = again(town, "alice", "bob", clock="1d per move", timeout="no reminders")
    assert ask(town, "alice", "emergency").reason == "ok"
    mails = town.post()
    assert len(to(mails, "alice")) == 1
    assert {mail.turn.game for mail in to(mails, "bob")} == {table.tag, other.tag}
    assert all("alice has an emergency" in mail.words for mail in to(mails, "bob"))
    assert deadline(table) == NOON + 10 * DAY
    assert deadline(other) == NOON + 8 * DAY
    town.clock.advance(182 * DAY)
    assert ask(town, "alice", "emergency").reason == "not-possible"
    assert "next emergency pause from" in town.only().words


def test_an_emergency_passes_over_a_game_that_has_to_be_held(table: Table) -> None:
    """The one holds nothing up: the clocks of the others stop, and the player is told."""
    town = table.town
    other = again(town, "alice", "bob", clock="1d per move", timeout="no reminders")
    with town.service.database.write() as db:
        own = games.c.tag == table.tag
        good = db.execute(select(games.c.match).where(own)).scalar_one()
        bad = good.replace('"told":"', '"told":"0')
        db.execute(games.update().where(own).values(match=bad))
    assert ask(town, "alice", "emergency").reason == "ok"
    mails = town.post()
    assert f"The clocks of {other.tag} stand still" in to(mails, "alice")[-1].words
    assert deadline(other) == NOON + 8 * DAY
    with town.service.database.read() as db:
        status = select(games.c.status).where(games.c.tag == table.tag)
        assert db.execute(status).scalar_one() == GameStatus.HELD


def test_who_had_an_emergency_ends_it_alone(table: Table) -> None:
    town = table.town
    ask(town, "alice", "emergency")
    town.clock.advance(DAY)
    town.post()
    assert ask(town, "bob", "resume", table.tag).reason == "not-possible"
    assert ask(town, "alice", "resume", table.tag).reason == "ok"
    town.post()
    assert deadline(table) == NOON + 4 * DAY


def test_an_emergency_saves_no_deadline_that_has_passed(table: Table) -> None:
    """In the grace nothing can move the deadline any more."""
    town = table.town
    late = again(town, "alice", "bob", clock="1d per move, grace 2h", timeout="no reminders")
    town.clock.advance(DAY + HOUR)
    ask(town, late.asked, "emergency")
    answer = to(town.post(), late.asked)[-1].words
    assert f"Your deadline in {late.tag} had passed already: it stays" in answer
    assert answer.count("it stays") == 1
    mails = wait(town, HOUR)
    assert {mail.turn.game for mail in mails if mail.turn.status == "finished"} == {late.tag}


def test_any_other_pause_stops_the_grace(town: Town) -> None:
    """No game ends by the clock while its clocks stand still."""
    table = begin(town, "alice", "bob", clock="1d per move, grace 2h", timeout="no reminders")
    (waiting,) = others(table, table.asked)
    town.clock.advance(DAY + HOUR)
    ask(town, waiting, "emergency")
    town.post()
    wait(town, 7 * DAY + HOUR - 1)
    table.read()
    assert table.status == "running"
    assert {mail.turn.status for mail in wait(town, 1)} == {"finished"}


def test_a_pause_within_the_minimum_gap_counts(town: Town) -> None:
    """Where the bank is used up, the gap is all that a player has left."""
    terms = {"clock": "bank 1m, minimum gap 4h", "timeout": "no reminders"}
    table = begin(town, "alice", "bob", **terms)
    town.clock.advance(HOUR)
    ask(town, table.asked, "emergency")
    town.post()
    wait(town, 7 * DAY + 3 * HOUR - 1)
    table.read()
    assert table.status == "running"
    assert {mail.turn.status for mail in wait(town, 1)} == {"finished"}


def test_the_time_while_a_game_is_held_is_nobody_s(table: Table) -> None:
    town = table.town
    with town.service.database.write() as db:
        good = db.execute(select(games.c.match)).scalar_one()
        db.execute(games.update().values(match=good.replace('"told":"', '"told":"0')))
    assert table.play().reason == "diverged"
    town.post()
    assert wait(town, 30 * DAY) == []
    with town.service.database.write() as db:
        db.execute(games.update().values(match=good))
    assert host.release(town.service, table.tag)
    (mail,) = to(town.post(), table.asked)
    assert mail.turn.extra["deadline"] == NOON + 33 * DAY


# --- outages --------------------------------------------------------------------------------------


@pytest.fixture
def watched(sqlite_url: str) -> Iterator[Table]:
    """A game on a server whose outages count: after half an hour without a look."""
    with Town.on(sqlite_url) as town:
        town.clock.seconds = NOON
        yield begin(town, "alice", "bob", clock="3d per move", timeout="no reminders")


def serve(town: Town, seconds: int) -> None:
    """A server is at work for so long."""
    for _ in range(0, seconds, 20 * MINUTE):
        town.service.tick()
        town.clock.advance(20 * MINUTE)
    town.service.tick()


def test_an_outage_is_measured_and_counts_on_no_clock(watched: Table) -> None:
    town = watched.town
    serve(town, 2 * DAY)
    town.clock.advance(5 * DAY)
    town.service.tick()
    with town.service.database.read() as db:
        (row,) = db.execute(select(outages)).all()
    assert (row.begin, row.end) == (NOON + 2 * DAY, NOON + 7 * DAY)
    assert town.post() == []
    assert deadline(watched) == NOON + 8 * DAY


def test_nobody_is_late_because_of_an_outage_even_at_the_first_look(watched: Table) -> None:
    town = watched.town
    serve(town, 2 * DAY)
    town.clock.advance(5 * DAY)
    again = Service(town.service.house, town.service.database, town.clock)
    again.tick()
    assert watched.play().reason == "ok"


def test_an_outage_stops_the_grace_too(sqlite_url: str) -> None:
    with Town.on(sqlite_url) as town:
        clock = "1d per move, grace 2h"
        begin(town, "alice", "bob", clock=clock, timeout="no reminders")
        serve(town, DAY + HOUR)
        assert wait(town, 9 * HOUR) == []
        serve(town, 40 * MINUTE)
        assert town.post() == []
        serve(town, 20 * MINUTE)
        assert {mail.turn.status for mail in town.post()} == {"finished"}


def test_a_mail_that_comes_before_the_first_look_is_credited_too(sqlite_url: str) -> None:
    """A pipe delivers while no server is at work: the bank loses nothing for that time."""
    with Town.on(sqlite_url) as town:
        table = begin(town, "alice", "bob", clock="bank 9d", timeout="no reminders")
        name = table.asked
        serve(town, DAY)
        town.clock.advance(5 * DAY)
        for _ in range(2):
            assert table.play().reason == "ok"
            table.read()
        assert table.asked == name
        town.service.tick()
        found = deadline(table)
        assert found is not None
        assert found - town.clock() == 8 * DAY


def test_a_short_gap_is_no_outage(watched: Table) -> None:
    town = watched.town
    serve(town, DAY)
    town.clock.advance(30 * MINUTE)
    serve(town, DAY)
    assert deadline(watched) == NOON + 3 * DAY


def test_a_clock_that_was_years_ahead_and_is_set_right_has_done_no_harm(sqlite_url: str) -> None:
    """As on a machine that begins with a wrong time. First it looks like an outage of ten years;
    a game in which time ran meanwhile is played, and another one proposed."""
    with Town.on(sqlite_url, clocks={"outage_minutes": 5 * 24 * 60}) as town:
        table = begin(town, "alice", "bob", clock="3d per move", timeout="forfeit, reminders 90")
        other = begin(town, "carol", "dan", clock="3d per move", timeout="forfeit, reminders 90")
        invited = town.propose("alice", "bob")
        town.service.tick()
        town.post()
        right = town.clock()
        assert wait(town, 3650 * DAY) == []
        assert other.play().reason == "ok"
        other.read()
        town.clock.seconds = right + HOUR
        wait(town, 0)
        days = [[mail.subject for mail in wait(town, DAY)] for _ in range(3)]
        assert [len(day) for day in days[:2]] == [0, 0]
        assert sum("The game is over" in subject for subject in days[2]) == 2 + 2
        assert table.play().reason == other.play().reason == "not-running"
        town.post()
        gone = [mail.subject for _ in range(30) for mail in wait(town, DAY)]
        assert [invited in subject for subject in gone if "does not begin" in subject] == [True] * 2


def test_a_second_server_whose_clock_is_ahead_stops_no_clock(sqlite_url: str) -> None:
    with Town.on(sqlite_url) as town:
        table = begin(town, "alice", "bob", clock="1h per move, minimum gap 1h")
        for _ in range(12):
            town.clock.advance(5 * MINUTE)
            town.service.tick()
            town.service.tick(town.clock() + 2 * HOUR)
        with town.service.database.read() as db:
            counted = sum(row.end - row.begin for row in db.execute(select(outages)))
        assert counted <= 2 * HOUR
        town.service.tick()
        assert table.play().reason == "not-running"


def test_a_clock_that_is_set_back_an_hour_gives_an_hour_and_no_more(town: Town) -> None:
    table = begin(town, "alice", "bob", clock="bank 3d + 2h per move, cap 4d")
    town.service.tick()
    begun = town.clock()
    town.clock.advance(-HOUR)
    assert wait(town, 0) == []
    assert deadline(table) == begun + 3 * DAY + 2 * HOUR
    for _ in range(4):
        assert table.play().reason == "ok"
        table.read()
    left = [each.left for each in desk.clocks(town.service, table.tag).seats]  # type: ignore[union-attr]
    assert max(filter(None, left)) <= 3 * DAY + 6 * HOUR


def test_two_servers_note_an_outage_once(watched: Table) -> None:
    town = watched.town
    serve(town, DAY)
    town.clock.advance(2 * DAY)
    for _ in range(2):
        Service(town.service.house, town.service.database, town.clock).tick()
    with town.service.database.read() as db:
        assert len(db.execute(select(outages)).all()) == 1
