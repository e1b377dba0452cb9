"""Who goes up and who goes down when a season is over."""

from __future__ import annotations

from sigilpost_server.leagues import divisions, standings
from sigilpost_server.leagues.rules import LeagueRules
from sigilpost_server.leagues.state import Entrant, Season

UP, DOWN = -1, 1


def tables(season: Season, rules: LeagueRules) -> list[list[Entrant]]:
    """Of each division those who are still in, best first."""
    return [
        [row.entrant for row in standings.ranking(rules, season, at) if row.entrant.active]
        for at in range(len(season.divisions))
    ]


def moves(season: Season, rules: LeagueRules) -> dict[int, int]:
    """Those who change division, by number: ``UP`` or ``DOWN``. If somebody does not come back,
    others may stay up or move up instead (see ``leagues.divisions``)."""
    found: dict[int, int] = {}
    ranked = [[entrant.number for entrant in table] for table in tables(season, rules)]
    for up, _, down in divisions.moves(ranked, rules.divisions.promoted):
        found |= dict.fromkeys(up, UP) | dict.fromkeys(down, DOWN)
    return found
