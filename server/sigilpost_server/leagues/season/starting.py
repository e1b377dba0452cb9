"""Which fixtures' games begin now, with whom, and that they did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from sigilpost_server.leagues.rules import LeagueRules
from sigilpost_server.leagues.state import Fixture, Phase, Season, Status


def startable(
    season: Season, rules: LeagueRules, running: Mapping[int, int], limit: int
) -> list[Fixture]:
    """The fixtures to start now, in order of their rounds.

    Nobody gets more than ``play.at_once`` games of this league, nor more than ``limit`` in all;
    ``running`` has each player's games in all that run or are proposed.
    """
    if season.phase is not Phase.PLAYING:
        return []
    here: Counter[int] = Counter()
    for fixture in season.fixtures:
        if fixture.status is Status.RUNNING:
            here.update(players_of(season, fixture))
    total = Counter(running)
    found = []
    waiting = [f for f in season.fixtures if f.status is Status.WAITING]
    for fixture in sorted(waiting, key=lambda f: (f.round, f.number)):
        players = players_of(season, fixture)
        if all(here[p] < rules.play.at_once and total[p] < limit for p in players):
            found.append(fixture)
            here.update(players)
            total.update(players)
    return found


def players_of(season: Season, fixture: Fixture) -> list[int]:
    """The players of a fixture in seat order; teams sit in turn."""
    teams = [season.entrant(number).players for number in fixture.entrants]
    return [player for seats in zip(*teams, strict=True) for player in seats]


def take_back(fixture: Fixture) -> None:
    """The game that was made for a fixture was called off; another one is to be made."""
    fixture.status, fixture.game, fixture.started = Status.WAITING, "", 0


def start(season: Season, number: int, game: str, now: int) -> None:
    """Note that a fixture's game was made."""
    fixture = season.fixture(number)
    if fixture.status is Status.WAITING:
        fixture.status, fixture.game, fixture.started = Status.RUNNING, game, now
