"""A season begins: its entrants are ranked, divided and seeded, and the first rounds drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sigilpost_engine.core.messages import say
from sigilpost_server.leagues import divisions
from sigilpost_server.leagues.refused import Refused
from sigilpost_server.leagues.rules import Kind, LeagueRules
from sigilpost_server.leagues.season.drawing import draw
from sigilpost_server.leagues.season.news import News, Told
from sigilpost_server.leagues.season.promotion import tables
from sigilpost_server.leagues.state import Division, Entrant, Phase, Season


def begin(
    season: Season,
    rules: LeagueRules,
    now: int,
    previous: Season | None = None,
    rating: Callable[[Entrant], float] = lambda entrant: 0.0,
) -> list[News]:
    """Divide the entrants, draw, begin. Raises Refused if too few have entered."""
    if season.phase is not Phase.ENTRY:
        raise Refused(say("league.refused.begun"))
    if len(season.active()) < rules.minimum:
        raise Refused(say("league.refused.too-few", n=rules.minimum, there=len(season.active())))
    order = _merit(season, rules, previous, rating)
    _divide(season, rules, order)
    for seed, entrant in enumerate(order, 1):
        entrant.seed = seed
    season.phase, season.started = Phase.PLAYING, now
    for at in range(len(season.divisions)):
        draw(season, rules, at)
    return [News(Told.BEGUN)]


def _divide(season: Season, rules: LeagueRules, order: Sequence[Entrant]) -> None:
    size = rules.divisions
    cut = divisions.cut(order, size.size, size.smallest, rules.drawable)
    for at, members in enumerate(cut):
        name = size.names[at] if at < len(size.names) else str(at + 1)
        season.divisions.append(Division(name, order=[entrant.number for entrant in members]))
        for entrant in members:
            entrant.division = at


def _merit(
    season: Season,
    rules: LeagueRules,
    previous: Season | None,
    rating: Callable[[Entrant], float],
) -> list[Entrant]:
    """The entrants in the order in which they are divided and seeded."""
    by_rating = sorted(season.active(), key=lambda e: (-rating(e), e.entered, e.number))
    ladders = rules.format.kind is Kind.LADDER
    if previous is None or not previous.divisions or not (rules.divisions.size or ladders):
        return by_rating
    here = {entrant.players: entrant for entrant in season.active()}
    ranked = [[entrant.players for entrant in table] for table in tables(previous, rules)]
    known = {players for table in ranked for players in table}
    newcomers = [entrant.players for entrant in by_rating if entrant.players not in known]
    order = divisions.merit(ranked, rules.divisions.promoted, newcomers)
    return [here[players] for players in order if players in here]
