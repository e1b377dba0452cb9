"""A server that was away closes no entry and ends no season before it has read its mail."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sigilpost_server.leagues.state import How, Phase, Status
from tests.server.clocks.hours import DAY, HOUR
from tests.server.leagues.town import FILE, LeagueTown

MINUTE = 60


@pytest.fixture
def town(sqlite_url: str) -> Iterator[LeagueTown]:
    """A town in which a day without the server is an outage."""
    with LeagueTown.on(sqlite_url, clocks={"outage_minutes": 23 * 60}) as town:
        assert isinstance(town, LeagueTown)
        yield town


def test_who_entered_by_a_mail_that_came_in_time_is_in(town: LeagueTown) -> None:
    town.prepare("alice", "bob", "carol")
    for name in ("alice", "bob"):
        town.ask(name, "enter", "open")
    town.service.tick()
    town.pass_days(7)
    assert town.season().phase is Phase.ENTRY
    town.clock.advance(10 * MINUTE)
    assert town.ask("carol", "enter", "open").reason == "ok"
    town.service.tick()
    assert town.season().phase is Phase.ENTRY
    town.clock.advance(HOUR)
    town.service.tick()
    assert town.season().phase is Phase.PLAYING
    assert len(town.season().entrants) == 3


def be_away_at_the_end(town: LeagueTown) -> None:
    """A season of two days, whose one game has begun; the server is away when it should end."""
    town.prepare("alice", "bob", file=FILE.replace("[season]", '[season]\nlength = "2d"'))
    for name in ("alice", "bob"):
        town.ask(name, "enter", "open")
    for _ in range(5):
        town.pass_days(0.5)
    town.join_all()
    town.pass_days(7)


def test_a_season_that_should_have_ended_waits_for_the_moves_that_came_in_time(
    town: LeagueTown,
) -> None:
    be_away_at_the_end(town)
    (fixture,) = town.season(1).fixtures
    assert fixture.status is Status.RUNNING
    town.play_all()
    town.pass_days(10 * MINUTE / DAY)
    (fixture,) = town.season(1).fixtures
    assert fixture.how is How.PLAYED


def test_one_whose_games_are_not_played_then_either_ends(town: LeagueTown) -> None:
    be_away_at_the_end(town)
    assert town.season().number == 1
    town.clock.advance(HOUR)
    town.service.tick()
    assert town.season(1).fixtures[0].how is How.SHARED


def test_an_entry_that_should_have_opened_and_closed_meanwhile_is_open_for_an_hour_at_least(
    town: LeagueTown,
) -> None:
    town.prepare("alice", "bob", file=FILE.replace("[season]", "[season]\nopens = 2023-11-18"))
    town.service.tick()
    town.pass_days(14)
    assert town.season().announced
    for name in ("alice", "bob"):
        assert town.ask(name, "enter", "open").reason == "ok"
    town.clock.advance(HOUR)
    town.service.tick()
    assert town.season().phase is Phase.PLAYING
