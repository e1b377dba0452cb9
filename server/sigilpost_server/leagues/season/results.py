"""Results of games, and what follows from one at once: a ladder's places, a replay."""

from __future__ import annotations

from collections.abc import Sequence

from sigilpost_server.leagues.draws import ladder
from sigilpost_server.leagues.rules import Kind, LeagueRules, Teams
from sigilpost_server.leagues.state import Fixture, How, Season, Status


def finish(
    season: Season,
    rules: LeagueRules,
    number: int,
    places: Sequence[int],
    how: How,
    now: int,
    scores: Sequence[int] = (),
    absent: Sequence[int] = (),
) -> bool:
    """Enter a result; False if the fixture waits for none (it has one, or does not count)."""
    fixture = season.fixture(number)
    if not fixture.open:
        return False
    close(fixture, places, how, now, scores)
    fixture.absent = tuple(absent)
    after_game(season, rules, fixture)
    return True


def never_came(
    season: Season, rules: LeagueRules, number: int, absent: Sequence[int], now: int
) -> bool:
    """A game did not begin, as some entrants did not come: they get nothing.

    A single opponent has won; several share the points. If nobody came it does not count.
    """
    fixture = season.fixture(number)
    if not fixture.open:
        return False
    there = [entrant not in absent for entrant in fixture.entrants]
    if not any(there):
        fixture.status, fixture.ended = Status.VOID, now
        return True
    places, how = unplayed(rules, there)
    return finish(season, rules, number, places, how, now, absent=absent)


def unplayed(rules: LeagueRules, there: Sequence[bool]) -> tuple[list[int], How]:
    """The places of entrants of whom only these are ``there``, and how they came about."""
    if rules.teams is Teams.CHANGING:
        return [1] * len(there), How.SHARED
    last = sum(there) + 1
    how = How.FORFEITED if sum(there) == 1 else How.SHARED
    return [1 if here else last for here in there], how


def close(
    fixture: Fixture, places: Sequence[int], how: How, now: int, scores: Sequence[int] = ()
) -> None:
    """Give a fixture its result. Raises ValueError unless each entrant has a place."""
    if len(places) != len(fixture.entrants):
        raise ValueError(f"{len(places)} places for {len(fixture.entrants)} entrants")
    fixture.status, fixture.how, fixture.ended = Status.DONE, how, now
    fixture.places, fixture.scores = tuple(places), tuple(scores)


def after_game(season: Season, rules: LeagueRules, fixture: Fixture) -> None:
    """What a result changes at once: a ladder's places; a tied game of a knockout is replayed."""
    kind = rules.format.kind
    if kind is Kind.LADDER:
        division = season.divisions[fixture.division]
        challenger, other = fixture.entrants
        won = fixture.places[0] < fixture.places[1]
        division.order = ladder.after(division.order, challenger, other, won=won)
    elif kind is Kind.KNOCKOUT and _replayed(season, rules, fixture):
        a, b = fixture.entrants
        season.add(fixture.division, fixture.round, (b, a), fixture.line)


def _replayed(season: Season, rules: LeagueRules, fixture: Fixture) -> bool:
    """Whether a game of a knockout is to be played again: it was tied, and both are still in."""
    inside = all(season.entrant(e).active for e in fixture.entrants)
    left = len(line(season, fixture)) <= rules.format.replays
    return fixture.how is How.PLAYED and _tied(fixture) and inside and left


def _tied(fixture: Fixture) -> bool:
    return len(fixture.places) == 2 and fixture.places[0] == fixture.places[1]


def line(season: Season, fixture: Fixture) -> list[Fixture]:
    """The fixtures of a knockout's pair: the first game, then its replays."""
    return [
        f
        for f in season.of_division(fixture.division)
        if (f.round, f.line) == (fixture.round, fixture.line)
    ]
