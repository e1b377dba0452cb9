"""Deadlines in mails, and reminders: each exactly once, whatever happens to the server."""

from __future__ import annotations

import threading

import pytest

from sigilpost_server.service import Service
from sigilpost_server.transaction.post import Post
from tests.server.clocks.hours import BERLIN, DAY, HOUR, ask, at, begin, hourly, others, to, wait
from tests.server.service.town import Town


def test_the_deadline_stands_in_the_mail_in_the_player_s_zone_and_as_time_left(town: Town) -> None:
    town.clock.seconds = at("2026-11-30 12:00")
    table = begin(town, "alice", "bob", clock="3d per move")
    mail = to(table.mails, table.asked)[-1]
    assert "Deadline Thu 3 December 2026, 12:00 (Europe/Berlin): 3 days left" in mail.words
    assert mail.turn.extra["deadline"] == at("2026-12-03 12:00")


def test_who_is_not_asked_has_no_deadline(town: Town) -> None:
    table = begin(town, "alice", "bob", clock="3d per move")
    mail = to(table.mails, table.idle)[-1]
    assert "Deadline" not in mail.text
    assert "deadline" not in mail.turn.extra


def test_a_game_without_clock_has_no_deadlines(town: Town) -> None:
    table = town.begin("alice", "bob")
    assert not any("Deadline" in mail.text for mail in table.mails)
    assert wait(town, 400 * DAY) == []


def test_the_terms_stand_in_the_invitation(town: Town) -> None:
    table = begin(town, "alice", "bob", clock="2d per move, weekends off", timeout="bot greedy")
    words = table.mails[0].words
    assert "clock 2d per move, weekends off" in words
    assert "timeout bot greedy" in words


def test_each_move_starts_the_clock_of_who_is_asked_next(town: Town) -> None:
    table = begin(town, "alice", "bob", clock="3d per move")
    first = table.asked
    town.clock.advance(DAY)
    table.play()
    table.read()
    assert table.asked != first
    assert table.docs[table.asked].extra["deadline"] == town.clock() + 3 * DAY
    assert "deadline" not in table.docs[first].extra


def test_reminders_at_50_75_and_90_percent_and_the_last_says_what_will_happen(
    any_town: Town,
) -> None:
    table = begin(any_town, "alice", "bob", clock="100h per move")
    late = table.asked
    mails = hourly(any_town, 95)
    assert [hour for hour, _ in mails] == [50, 75, 90]
    assert {mail.to for _, mail in mails} == {f"{late}@player.test"}
    words = [mail.words for _, mail in mails]
    assert "1 day 1 hour left" in words[1]
    told = ["the game is over, and you have lost it" in each for each in words]
    assert told == [False, False, True]
    assert all(mail.turn.prompt == table.docs[late].prompt for _, mail in mails)


def test_who_has_answered_is_not_reminded(town: Town) -> None:
    table = begin(town, "alice", "bob", clock="100h per move")
    hourly(town, 60)
    table.play()
    other = table.asked
    table.read()
    reminded = [mail.to for _, mail in hourly(town, 95)]
    assert reminded == [f"{others(table, other)[0]}@player.test"] * 3


def test_the_percentages_of_a_game_s_own(town: Town) -> None:
    begin(town, "alice", "bob", clock="100h per move", timeout="forfeit, reminders 20 80")
    assert [hour for hour, _ in hourly(town, 95)] == [20, 80]


def test_a_new_server_on_the_same_database_sends_no_reminder_again(town: Town) -> None:
    begin(town, "alice", "bob", clock="100h per move")
    assert len(wait(town, 51 * HOUR)) == 1
    again = Service(town.service.house, town.service.database, town.clock)
    again.tick()
    town.service = again
    assert town.post() == []
    assert len(wait(town, 25 * HOUR)) == 1


def test_a_crash_before_the_commit_doubles_no_reminder_and_loses_none(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    class PowerCut(BaseException):
        """Nothing of the program outlives it; a fault of ours would be put off."""

    begin(town, "alice", "bob", clock="100h per move")
    town.clock.advance(51 * HOUR)

    def crash(post: Post, db: object) -> None:
        raise PowerCut

    with monkeypatch.context() as patched:
        patched.setattr(Post, "store", crash)
        with pytest.raises(PowerCut):
            town.service.tick()
    assert town.post() == []
    town.service.tick()
    town.service.tick()
    assert len(town.post()) == 1


def test_servers_that_look_at_the_same_time_send_one_reminder(any_town: Town) -> None:
    town = any_town
    begin(town, "alice", "bob", clock="100h per move")
    town.clock.advance(51 * HOUR)
    services = [Service(town.service.house, town.service.database, town.clock) for _ in range(4)]
    faults: list[BaseException] = []

    def look(service: Service) -> None:
        try:
            service.tick()
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=look, args=[service]) for service in services]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert len(town.post()) == 1


def test_a_reminder_that_a_mail_came_before_is_not_forgotten(town: Town) -> None:
    """The other player writes between the moment of the reminder and the next look."""
    table = begin(town, "alice", "bob", clock="100h per move")
    idle = table.idle
    town.clock.advance(51 * HOUR)
    town.deliver(town.mail(idle, table.order(idle, "hide nothing")))
    town.post()
    assert [mail.to for mail in wait(town, 0)] == [f"{table.asked}@player.test"]


def test_nothing_runs_at_night_where_there_are_hours(town: Town) -> None:
    town.clock.seconds = at("2026-11-30 21:00", BERLIN)
    table = begin(town, "alice", "bob", clock="2h per move, hours 08-22")
    assert table.docs[table.asked].extra["deadline"] == at("2026-12-01 09:00", BERLIN)


def test_a_substitute_is_reminded_of_the_question_that_was_taken_over(town: Town) -> None:
    table = begin(town, "alice", "bob", clock="100h per move", timeout="substitute")
    town.register("carol")
    ask(town, "carol", "substitute", "on")
    hourly(town, 100)
    ask(town, "carol", "substitute", "take", table.tag)
    town.post()
    mails = hourly(town, 95)
    assert [(hour, mail.to) for hour, mail in mails] == [
        (hour, "carol@player.test") for hour in (50, 75, 90)
    ]
