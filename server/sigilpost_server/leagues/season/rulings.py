"""What only the director does: results, points, substitutes."""

from __future__ import annotations

from collections.abc import Sequence

from sigilpost_engine.core.messages import say
from sigilpost_server.leagues import standings
from sigilpost_server.leagues.refused import Refused
from sigilpost_server.leagues.rules import Kind, LeagueRules
from sigilpost_server.leagues.season.entry import check_team
from sigilpost_server.leagues.season.results import after_game, close, line
from sigilpost_server.leagues.state import Adjustment, Fixture, How, Phase, Season


def award(
    season: Season, rules: LeagueRules, number: int, places: Sequence[int], now: int, why: str
) -> Fixture:
    """The director's result, also in place of another. Returns the fixture; a game of it that is
    open has to be stopped. Raises Refused."""
    fixture = season.fixture(number)
    if len(places) != len(fixture.entrants) or min(places) != 1:
        raise Refused(say("league.refused.places", n=len(fixture.entrants)))
    if season.phase is not Phase.PLAYING:
        raise Refused(say("league.refused.not-playing"))
    _check_award(season, rules, fixture, places)
    was_open = fixture.open
    close(fixture, places, How.AWARDED, now)
    fixture.note = why
    if was_open:
        after_game(season, rules, fixture)
    return fixture


def _check_award(
    season: Season, rules: LeagueRules, fixture: Fixture, places: Sequence[int]
) -> None:
    """Refuse a result that could not count, or that others have already been built on."""
    place = dict(zip(fixture.entrants, places, strict=True))
    if any(len({place[e] for e in side}) > 1 for side in standings.sides(rules, fixture)):
        raise Refused(say("league.refused.partners"))
    for number in fixture.entrants:
        if season.entrant(number).annulled:
            raise Refused(say("league.refused.annulled", name=season.entrant(number).name))
    division = season.divisions[fixture.division]
    if rules.format.kind is Kind.LADDER and not fixture.open:
        raise Refused(say("league.refused.moved"))
    if rules.format.kind is Kind.KNOCKOUT:
        if fixture.round < division.round:
            raise Refused(say("league.refused.drawn"))
        last = line(season, fixture)[-1]
        if last is not fixture:
            raise Refused(say("league.refused.replayed", n=last.number))


def adjust(season: Season, rules: LeagueRules, number: int, points: int, why: str) -> None:
    """The director gives or takes points. Raises Refused where points rank nobody."""
    if not rules.by_points:
        raise Refused(say("league.refused.no-points", format=rules.format.kind))
    season.entrant(number)
    season.adjustments.append(Adjustment(number, points, why))


def substitute(
    season: Season, number: int, name: str, players: Sequence[int], rules: LeagueRules
) -> None:
    """Others take an entrant's place: its results and the games that have not begun.

    Games that run stay with those who began them. Raises Refused.
    """
    entrant = season.entrant(number)
    if season.phase is not Phase.PLAYING:
        raise Refused(say("league.refused.not-playing"))
    check_team(season, rules, players, entrant)
    if not entrant.active:
        raise Refused(say("league.refused.gone", name=entrant.name))
    entrant.name, entrant.players = name, tuple(players)
