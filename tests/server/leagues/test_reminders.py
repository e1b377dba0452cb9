"""Whoever has not joined a league's game is reminded before the time to join is over: once."""

from __future__ import annotations

import pytest

from sigilpost_engine.wire import payloads
from sigilpost_server.leagues.state import How, Status
from tests.server.clocks.hours import DAY, HOUR
from tests.server.leagues.town import FILE, LeagueTown
from tests.server.service.town import Received

EIGHT = FILE.replace('join = "3d"', 'join = "8d"')


def prepared(town: LeagueTown, file: str = EIGHT) -> None:
    """A league of two whose game was proposed just now."""
    town.prepare("alice", "bob", file=file)
    for name in ("alice", "bob"):
        assert town.ask(name, "enter", "open").reason == "ok"
    town.service.tick()
    town.pass_days(2)
    assert [f.status for f in town.season().fixtures] == [Status.RUNNING]


def reminders(town: LeagueTown, name: str) -> list[Received]:
    """The reminders that somebody got."""
    return [mail for mail in town.to(name) if "You have not joined" in mail.subject]


def test_whoever_has_not_joined_is_reminded_once_when_three_quarters_are_used_up(
    any_town: LeagueTown,
) -> None:
    town = any_town
    prepared(town)
    town.join_all("bob")
    for _ in range(23):  # eight days, less eight hours: a look every eight hours
        town.pass_days(1 / 3)
    assert reminders(town, "alice") == []
    (mail,) = reminders(town, "bob")
    assert mail.subject.endswith("You have not joined: 2 days left")
    assert "whoever has not joined by then has lost it" in mail.words
    (tag,) = {tag for name, tag in town.docs}
    assert f"sigil join {tag}" in mail.text
    assert mail.turn.notice is not None
    assert mail.turn.notice["type"] == "invitation"
    assert town.send("bob", payloads.Join, game=tag).reason == "ok"


def test_nobody_is_reminded_of_a_game_that_has_begun_or_was_declined(town: LeagueTown) -> None:
    prepared(town)
    town.join_all()
    town.pass_days(7)
    assert reminders(town, "alice") == reminders(town, "bob") == []


def test_a_look_after_the_end_reminds_nobody_of_what_is_lost_already(town: LeagueTown) -> None:
    prepared(town)
    town.pass_days(9)
    assert reminders(town, "alice") == reminders(town, "bob") == []
    assert town.season(1).fixtures[0].status is Status.VOID


def test_a_server_that_was_away_reminds_once_and_gives_the_time_back(sqlite_url: str) -> None:
    """Down from before the reminder until after the end: nobody has lost by that."""
    with LeagueTown.on(sqlite_url, clocks={"outage_minutes": 3 * 24 * 60}) as town:
        assert isinstance(town, LeagueTown)
        prepared(town)
        town.pass_days(1)
        town.pass_days(10)
        assert reminders(town, "bob") == []
        for _ in range(3):
            town.pass_days(2)
        (mail,) = reminders(town, "bob")
        assert "1 day" in mail.subject
        town.join_all("bob")
        town.pass_days(2)
        town.pass_days(0.1)
        (fixture,) = town.season(1).fixtures
        assert (fixture.how, fixture.status) == (How.FORFEITED, Status.DONE)


@pytest.mark.parametrize("join", ["1h", "30d"])
def test_the_reminder_comes_in_time_however_short_or_long_it_is(
    town: LeagueTown, join: str
) -> None:
    prepared(town, FILE.replace('join = "3d"', f'join = "{join}"'))
    length = {"1h": HOUR, "30d": 30 * DAY}[join]
    town.pass_days(0.75 * length / DAY - 0.01)
    assert reminders(town, "alice") == []
    town.pass_days(0.011)
    assert len(reminders(town, "alice")) == 1
