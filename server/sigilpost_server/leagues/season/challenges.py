"""A ladder's challenges: by its players, or arranged for whoever is free."""

from __future__ import annotations

from collections import Counter

from sigilpost_engine.core.messages import say
from sigilpost_server.leagues.draws import ladder
from sigilpost_server.leagues.refused import Refused
from sigilpost_server.leagues.rules import Kind, LeagueRules
from sigilpost_server.leagues.state import Fixture, Phase, Season, Status


def challenge(season: Season, rules: LeagueRules, challenger: int, other: int, now: int) -> Fixture:
    """A ladder's challenge. Raises Refused."""
    if season.phase is not Phase.PLAYING or rules.format.kind is not Kind.LADDER:
        raise Refused(say("league.refused.no-ladder"))
    order = season.divisions[0].order
    if not ladder.may_challenge(order, challenger, other, rules.format.reach):
        raise Refused(say("league.refused.reach", n=rules.format.reach))
    free = _free(season, rules)
    if challenger not in free or other not in free:
        raise Refused(say("league.refused.busy", n=rules.play.at_once))
    if (min(challenger, other), max(challenger, other)) in _recent(season, rules, now):
        raise Refused(say("league.refused.recent"))
    return season.add(0, 1, (challenger, other))


def arrange(season: Season, rules: LeagueRules, at: int, now: int) -> None:
    """Have everybody who is free challenge somebody."""
    order, reach = season.divisions[at].order, rules.format.reach
    while pairs := ladder.challenges(
        order, _free(season, rules), _recent(season, rules, now), reach
    ):
        for pair in pairs:
            season.add(at, 1, pair)


def _free(season: Season, rules: LeagueRules) -> set[int]:
    busy: Counter[int] = Counter()
    for fixture in season.fixtures:
        if fixture.open:
            busy.update(fixture.entrants)
    return {e.number for e in season.active() if busy[e.number] < rules.play.at_once}


def _recent(season: Season, rules: LeagueRules, now: int) -> set[tuple[int, int]]:
    return {
        (min(f.entrants), max(f.entrants))
        for f in season.fixtures
        if f.open or (f.status is Status.DONE and now - f.ended < rules.format.rest)
    }
