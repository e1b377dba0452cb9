"""What the pages say, as plain data: leagues, seasons, cross-tables, fixtures, ratings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.core.sheet import Section
from sigilpost_server.clock import moment
from sigilpost_server.leagues import letters, standings
from sigilpost_server.leagues.ratings import Rating
from sigilpost_server.leagues.rules import Kind, LeagueRules
from sigilpost_server.leagues.site import curves
from sigilpost_server.leagues.site.curves import Curve, Point
from sigilpost_server.leagues.state import Fixture, How, Phase, Season, Status
from sigilpost_server.leagues.store import LeagueStatus

AHEAD, LEVEL, BEHIND = "1", "½", "0"
"""What a cross-table's cell says of each meeting: before, level with or behind the other."""


class CrossRow(NamedTuple):
    """A row of a cross-table: a rank, a name, and a cell for each rank (None: oneself)."""

    rank: int
    name: str
    cells: tuple[str | None, ...]
    points: str
    """"" where points rank nobody."""


class FixtureRow(NamedTuple):
    """A fixture: who meets, where it stands, its points, and the page of its finished game."""

    number: int
    round: int
    names: str
    state: Msg
    points: str
    game: str
    page: str


class DivisionPage(NamedTuple):
    """A division: its table, its cross-table, its fixtures."""

    heading: Msg
    table: Section
    cross: tuple[CrossRow, ...]
    fixtures: tuple[FixtureRow, ...]


class SeasonPage(NamedTuple):
    """A season of a league. ``entrants`` stands for the divisions before the draw."""

    league: str
    title: str
    game: Msg
    number: int
    state: Msg
    enter: bool
    """Whether anybody can enter now."""
    facts: tuple[tuple[Msg, str], ...]
    divisions: tuple[DivisionPage, ...]
    entrants: tuple[str, ...]
    curves: tuple[CurvePage, ...]
    others: tuple[int, ...]


class FigureRow(NamedTuple):
    """A rating after so many games; ``day`` is "" for the beginning."""

    games: int
    day: str
    rating: int
    margin: int


class CurvePage(NamedTuple):
    """A player's rating in a pool."""

    name: str
    rating: Rating
    curve: Curve
    points: tuple[FigureRow, ...]


class PoolPage(NamedTuple):
    """The ratings of a pool, best first, provisional players last."""

    pool: str
    curves: tuple[CurvePage, ...]


def date(seconds: int) -> str:
    """A day as the pages write it."""
    return f"{moment(seconds):%Y-%m-%d}"


def minute(seconds: int) -> str:
    """A moment as the pages write it."""
    return f"{moment(seconds):%Y-%m-%d %H:%M} UTC"


def season_page(
    rules: LeagueRules,
    season: Season,
    pages: Mapping[str, str],
    rated: Sequence[CurvePage],
    others: Sequence[int],
    *,
    status: LeagueStatus,
    now: int,
) -> SeasonPage:
    """A season. ``pages`` has the page of each finished game by its tag; ``status`` is where the
    league stands, if the season is its last so far."""
    early = season.phase is Phase.ENTRY
    late = rules.format.kind is Kind.LADDER and season.phase is Phase.PLAYING
    return SeasonPage(
        rules.name,
        rules.title,
        say(f"{rules.game}.title"),
        season.number,
        letters.phase(status, season, now, minute),
        status is not LeagueStatus.ENDED and now >= season.opened and (early or late),
        tuple(_facts(rules, season)),
        tuple(_division(rules, season, at, pages) for at in range(len(season.divisions))),
        tuple(entrant.name for entrant in season.active()) if not season.divisions else (),
        tuple(rated),
        tuple(others),
    )


def _facts(rules: LeagueRules, season: Season) -> list[tuple[Msg, str]]:
    facts = [(say("league.fact.format"), rules.format.kind.value)]
    if rules.play.time:
        facts.append((say("league.fact.time"), rules.play.time))
    if season.started:
        facts.append((say("league.fact.began"), date(season.started)))
    if season.ended:
        facts.append((say("league.fact.ended"), date(season.ended)))
    return facts


def _division(
    rules: LeagueRules, season: Season, at: int, pages: Mapping[str, str]
) -> DivisionPage:
    rows = standings.ranking(rules, season, at)
    met = _meetings(rules, season, at)
    order = [row.entrant.number for row in rows]
    cross = tuple(
        CrossRow(
            row.rank,
            row.entrant.name,
            tuple(
                None if other == row.entrant.number else " ".join(met[row.entrant.number, other])
                for other in order
            ),
            standings.shown(row.points) if rules.by_points else "",
        )
        for row in rows
    )
    fixtures = tuple(_fixture(rules, season, f, pages) for f in season.of_division(at))
    heading = letters.heading(season, at)
    return DivisionPage(heading, letters.table(rules, season, at), cross, fixtures)


def _meetings(
    rules: LeagueRules, season: Season, at: int
) -> defaultdict[tuple[int, int], list[str]]:
    """How each entrant came off in every meeting with every other."""
    met: defaultdict[tuple[int, int], list[str]] = defaultdict(list)
    for fixture in season.of_division(at):
        if fixture.status is not Status.DONE or fixture.how is How.BYE:
            continue
        place = dict(zip(fixture.entrants, fixture.places, strict=True))
        parties = standings.sides(rules, fixture)
        for side in parties:
            for other in (e for party in parties if party != side for e in party):
                for mine in side:
                    met[mine, other].append(_mark(place[mine], place[other]))
    return met


def _mark(mine: int, other: int) -> str:
    return AHEAD if mine < other else LEVEL if mine == other else BEHIND


def _fixture(
    rules: LeagueRules, season: Season, fixture: Fixture, pages: Mapping[str, str]
) -> FixtureRow:
    points = _result(rules, fixture)
    over = fixture.game in pages
    return FixtureRow(
        fixture.number,
        fixture.round,
        letters.names(rules, season, fixture),
        say(letters.state(fixture)),
        points,
        fixture.game if over else "",
        pages.get(fixture.game, ""),
    )


def _result(rules: LeagueRules, fixture: Fixture) -> str:
    """The points of a fixture's sides; where points rank nobody, how they came off."""
    got = standings.points_of(rules, fixture)
    if not got or (fixture.how is How.BYE and not rules.by_points):
        return ""
    parties = standings.sides(rules, fixture)
    if rules.by_points:
        return "-".join(standings.shown(got[side[0]]) for side in parties)
    first, second = fixture.places
    return f"{_mark(first, second)}-{_mark(second, first)}"


def rating_pages(
    history: Mapping[int, list[Point]], known: Mapping[int, Rating], names: Mapping[int, str]
) -> tuple[CurvePage, ...]:
    """The curves of some players of a pool, best first, those who are provisional last."""
    players = [player for player in history if player in names and player in known]
    if not players:
        return ()
    to = curves.scale(history[player] for player in players)
    order = sorted(players, key=lambda p: (known[p].provisional, -known[p].mean, names[p]))
    return tuple(
        CurvePage(
            names[player],
            known[player],
            (drawn := curves.curve(history[player], to)),
            tuple(_figures(dot) for dot in drawn.dots),
        )
        for player in order
    )


def _figures(dot: curves.Dot) -> FigureRow:
    day = date(dot.point.moment) if dot.games else ""
    return FigureRow(dot.games, day, dot.point.rating, dot.point.margin)
