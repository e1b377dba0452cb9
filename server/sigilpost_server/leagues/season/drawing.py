"""Fixtures are drawn: by lot, by the table or by seed, as ``leagues.draws`` works it out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import lcm

from sigilpost_server.leagues import standings
from sigilpost_server.leagues.draws import berger, knockout, swiss, tables, whist
from sigilpost_server.leagues.rules import Kind, LeagueRules, Teams
from sigilpost_server.leagues.state import How, Season, Status


def draw(season: Season, rules: LeagueRules, at: int) -> None:
    """Draw all that can be drawn when a season begins."""
    kind = rules.format.kind
    if kind is Kind.ROUND_ROBIN:
        _draw_round_robin(season, rules, at)
    elif kind is Kind.TABLES:
        _draw_tables(season, rules, at)
    elif kind is Kind.SWISS:
        n = len(season.divisions[at].order)
        season.divisions[at].rounds = min(rules.format.rounds or swiss.rounds(n), n - 1 + n % 2)
        draw_swiss(season, rules, at)
    elif kind is Kind.KNOCKOUT:
        draw_bracket(season, at, knockout.first_round(season.divisions[at].order))


def _by_lot(season: Season, at: int) -> list[int]:
    order = season.divisions[at].order
    return sorted(order, key=lambda number: standings.lot(season, season.entrant(number)))


def _draw_round_robin(season: Season, rules: LeagueRules, at: int) -> None:
    order, division = _by_lot(season, at), season.divisions[at]
    rounds = berger.rounds(len(order), double=rules.format.double)
    for number, pairs in enumerate(rounds, 1):
        for a, b in pairs:
            season.add(at, number, (order[a], order[b]))
    division.round = division.rounds = len(rounds)


def _draw_tables(season: Season, rules: LeagueRules, at: int) -> None:
    order, division = _by_lot(season, at), season.divisions[at]
    games = rules.format.games or 2 * rules.seats
    if rules.teams is Teams.CHANGING:
        drawn = whist.draw(len(order), games)
    else:
        drawn = tables.draw(len(order), rules.entrants_a_game, games)
    rounds: list[set[int]] = []
    for table in drawn:
        # The first round in which nobody of them plays yet.
        free = (number for number, busy in enumerate(rounds) if not busy & set(table))
        number = next(free, len(rounds))
        if number == len(rounds):
            rounds.append(set())
        rounds[number] |= set(table)
        season.add(at, number + 1, tuple(order[place] for place in table))
    division.round = division.rounds = len(rounds)


def draw_swiss(season: Season, rules: LeagueRules, at: int) -> None:
    """The next round, if two are still in."""
    division = season.divisions[at]
    table = standings.Table(rules, season, at)
    players = [
        _before_round(season, table, row.entrant.number) for row in _inside(season, rules, at)
    ]
    if len(players) < 2:
        division.rounds = division.round
        return
    division.round += 1
    pairs, bye = swiss.pair(players)
    for pair in pairs:
        season.add(at, division.round, pair)
    if bye is not None:
        _rest(season, at, division.round, bye)


def _inside(season: Season, rules: LeagueRules, at: int) -> list[standings.Row]:
    """The table without lots at the beginning: then seeds stand for it."""
    rows = [row for row in standings.ranking(rules, season, at) if row.entrant.active]
    if season.divisions[at].round == 0:
        rows.sort(key=lambda row: row.entrant.seed)
    return rows


def _before_round(season: Season, table: standings.Table, entrant: int) -> swiss.Player:
    mine = [f for f in season.fixtures if entrant in f.entrants and f.status is not Status.VOID]
    games = [f for f in mine if len(f.entrants) == 2]
    firsts = sum(1 if f.entrants[0] == entrant else -1 for f in games)
    met = Counter(other for f in games for other in f.entrants if other != entrant)
    unit = _unit(table)
    points = int(table.points[entrant] * unit)
    return swiss.Player(entrant, points, firsts, len(mine) - len(games), met)


def _unit(table: standings.Table) -> int:
    """What makes whole numbers of all points."""
    return lcm(*(points.denominator for points in table.points.values()))


def draw_bracket(season: Season, at: int, pairs: Sequence[knockout.Pair]) -> None:
    """The next round of a knockout: whose opponent has left has a bye."""
    division = season.divisions[at]
    division.round += 1
    for line, (a, b) in enumerate(pairs):
        inside = [e for e in (a, b) if e is not None and season.entrant(e).active]
        if len(inside) == 2:
            season.add(at, division.round, (inside[0], inside[1]), line)
        elif inside:
            _rest(season, at, division.round, inside[0], line)
        else:
            gone = tuple(e for e in (a, b) if e is not None)
            season.add(at, division.round, gone, line).status = Status.VOID


def _rest(season: Season, at: int, number: int, entrant: int, line: int = 0) -> None:
    fixture = season.add(at, number, (entrant,), line)
    fixture.status, fixture.how, fixture.places = Status.DONE, How.BYE, (1,)
