"""``league``: the director's desk; each act is noted with who and why."""

from __future__ import annotations

import getpass
import json as jsons
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from sigilpost_server.tools import opened
from sigilpost_server.tools.terminal import Json
from sigilpost_server.words import render, text

if TYPE_CHECKING:
    from sigilpost_server.leagues.changes import Change
    from sigilpost_server.leagues.director import Director
    from sigilpost_server.leagues.file import BadLeague
    from sigilpost_server.leagues.rules import LeagueRules
    from sigilpost_server.leagues.running.league import Running
    from sigilpost_server.leagues.state import Fixture, Season

C = TypeVar("C", bound=Callable[..., Any])

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None)


def _argument(metavar: str, word: str) -> Any:
    return typer.Argument(metavar=metavar, help=text(f"league.help.{word}"))


League = Annotated[str, _argument("LEAGUE", "league")]
Entrant = Annotated[str, _argument("ENTRANT", "entrant")]
By = Annotated[str, typer.Option("--by", metavar="NAME", help=text("league.help.by"))]
Why = Annotated[str, typer.Option("--why", metavar="TEXT", help=text("league.help.why"))]
Because = Annotated[
    str, typer.Option("--why", metavar="TEXT", help=text("league.help.why"), prompt=True)
]


@contextmanager
def _director(by: str, why: str) -> Iterator[Director]:
    """Somebody to act; what cannot be done is said, and ends the command with 1."""
    from sigilpost_server.leagues.director import Director
    from sigilpost_server.leagues.file import BadLeague
    from sigilpost_server.leagues.refused import Refused

    try:
        with opened.service() as service:
            yield Director(service, by or getpass.getuser(), why)
    except Refused as refused:
        typer.echo(render(refused.message), err=True)
        raise typer.Exit(1) from refused
    except BadLeague as bad:
        for line in problems(bad):
            typer.echo(line, err=True)
        raise typer.Exit(1) from bad


def problems(bad: BadLeague) -> list[str]:
    """A line for each thing that is wrong in a file: file, line, key, reason, remedy."""
    found = []
    for problem in bad.problems:
        kind = ".no-line" if not problem.line else "" if problem.key else ".no-key"
        if not problem.line and not problem.key:
            kind = ".file"
        values = {
            "file": bad.file,
            "line": problem.line,
            "key": problem.key,
            "why": render(problem.why).rstrip("."),
            "remedy": render(problem.remedy),
        }
        found.append(text(f"league.problem{kind}", **values))
    return found


def _described(name: str) -> Callable[[C], C]:
    command: Callable[[C], C] = app.command(name, help=text(f"league.help.{name}"))
    return command


@_described("create")
def create(
    file: Annotated[Path, _argument("FILE.toml", "file")], by: By = "", why: Why = ""
) -> None:
    """Make a league, or change one that is there."""
    with _director(by, why) as director:
        changes = director.create(file)
        if changes is None:
            typer.echo(text("league.done.created", file=str(file)))
        else:
            _tell_changes(changes)


def _tell_changes(changes: Sequence[Change]) -> None:
    from sigilpost_server.leagues.changes import shown

    if not changes:
        typer.echo(text("league.done.no-change"))
    for change in changes:
        old, new = (shown(change.key, value) for value in (change.old, change.new))
        values = {"key": change.key, "old": old, "new": new}
        typer.echo(text(f"league.done.change-{change.when}", **values))


@_described("show")
def show(league: League, json: Json = False) -> None:
    """The tables, the fixtures, and what was done."""
    from sigilpost_server.leagues.director import looking

    with _director("", "") as director, looking(director.service, league) as running:
        if json:
            typer.echo(jsons.dumps(as_json(running), ensure_ascii=False))
        else:
            _print(running)


def as_json(running: Running) -> dict[str, Any]:
    """All of a league that is public."""
    season, rules = running.season, running.rules
    names = {entrant.number: entrant.name for entrant in season.entrants}
    return {
        "league": running.row.name,
        "title": rules.title,
        "status": running.row.status,
        "season": season.number,
        "phase": season.phase,
        "closes": season.closes,
        "divisions": [_division(rules, season, at) for at in range(len(season.divisions))],
        "fixtures": [_fixture(fixture, names) for fixture in season.fixtures],
        "entrants": [entrant.name for entrant in season.active()],
    }


def _division(rules: LeagueRules, season: Season, at: int) -> dict[str, Any]:
    from sigilpost_server.leagues import standings

    division = season.divisions[at]
    table = [
        {
            "rank": row.rank,
            "name": row.entrant.name,
            "points": standings.shown(row.points),
            "played": row.played,
            "active": row.entrant.active,
        }
        for row in standings.ranking(rules, season, at)
    ]
    return {"name": division.name, "round": division.round, "table": table}


def _fixture(fixture: Fixture, names: Mapping[int, str]) -> dict[str, Any]:
    return {
        "number": fixture.number,
        "division": fixture.division,
        "round": fixture.round,
        "players": [names[number] for number in fixture.entrants],
        "status": fixture.status,
        "how": fixture.how,
        "game": fixture.game,
        "places": list(fixture.places),
    }


def _print(running: Running) -> None:
    from sigilpost_engine.texts.layout import sheet as lay_out
    from sigilpost_server.leagues import letters
    from sigilpost_server.words import texts

    season, rules = running.season, running.rules
    typer.echo(f"{rules.title} ({running.row.name})")
    now = running.post.now
    typer.echo(render(letters.phase(running.row.status, season, now, _minute)))
    sheet = [*letters.tables(rules, season)]
    if season.fixtures:
        sheet.append(letters.fixtures(season))
    typer.echo(lay_out(tuple(sheet), texts()))


def _minute(seconds: int) -> str:
    from sigilpost_server.clock import moment

    return f"{moment(seconds):%Y-%m-%d %H:%M} UTC"


@_described("list")
def list_(json: Json = False) -> None:
    """All leagues."""
    from sigilpost_server.leagues import letters, store

    with opened.service() as service, service.database.read() as db:
        for row in store.every(db):
            values = {"league": row.name, "title": row.rules.title, "status": row.status}
            if json:
                typer.echo(jsons.dumps(values | {"season": row.season}, ensure_ascii=False))
                continue
            kept = store.season(db, row.id, row.season)
            assert kept is not None
            phase = letters.phase(row.status, kept[0], service.clock(), _minute)
            typer.echo(f"{row.name:24}  {row.rules.title}. {render(phase)}")


@_described("log")
def log(league: League, json: Json = False) -> None:
    """What was done to a league, by whom and why."""
    from sigilpost_server.clock import moment
    from sigilpost_server.leagues import store
    from sigilpost_server.leagues.director import looking

    with _director("", "") as director, looking(director.service, league) as running:
        for act in store.audited(running.db, running.row.id):
            if json:
                typer.echo(jsons.dumps(act._asdict(), ensure_ascii=False))
            else:
                when = f"{moment(act.moment):%Y-%m-%d %H:%M:%SZ}"
                typer.echo("  ".join((when, act.who, act.act, act.detail or "-", act.why or "-")))


@_described("start")
def start(league: League, by: By = "", why: Why = "") -> None:
    """Let a paused league go on, or open an entry before its time."""
    with _director(by, why) as director:
        director.start(league)
    _done("started", league)


@_described("pause")
def pause(league: League, why: Because, by: By = "") -> None:
    """Begin no games for now."""
    with _director(by, why) as director:
        director.pause(league)
    _done("paused", league)


@_described("pair")
def pair(league: League, by: By = "", why: Why = "") -> None:
    """Close entry and draw now."""
    with _director(by, why) as director:
        director.pair(league)
    _done("paired", league)


@_described("adjust")
def adjust(
    league: League,
    why: Because,
    entrant: Annotated[str, _argument("[ENTRANT]", "entrant")] = "",
    points: Annotated[int, typer.Option("--points", help=text("league.help.points"))] = 0,
    fixture: Annotated[int, typer.Option("--fixture", help=text("league.help.fixture"))] = 0,
    places: Annotated[str, typer.Option("--places", help=text("league.help.places"))] = "",
    by: By = "",
) -> None:
    """Give or take points, or give a fixture another result."""
    if bool(fixture) == bool(points) or bool(points) != bool(entrant):
        raise typer.BadParameter(text("league.help.adjust-what"))
    with _director(by, why) as director:
        if fixture:
            director.award(league, fixture, _places(places))
        else:
            director.adjust(league, entrant, points)
    _done("adjusted", league)


def _places(line: str) -> list[int]:
    try:
        return [int(place) for place in line.split(",")]
    except ValueError:
        raise typer.BadParameter(text("league.help.places"), param_hint="--places") from None


@_described("withdraw")
def withdraw(league: League, entrant: Entrant, why: Because, by: By = "") -> None:
    """Take an entrant out."""
    with _director(by, why) as director:
        director.withdraw(league, entrant)
    _done("withdrawn", league)


@_described("substitute")
def substitute(
    league: League,
    entrant: Entrant,
    players: Annotated[list[str], _argument("PLAYER...", "players")],
    why: Because,
    by: By = "",
) -> None:
    """Have others take an entrant's place."""
    with _director(by, why) as director:
        director.substitute(league, entrant, players)
    _done("substituted", league)


@_described("announce")
def announce(
    league: League, words: Annotated[str, _argument("TEXT", "words")], by: By = ""
) -> None:
    """Write to everybody in a league."""
    with _director(by, "") as director:
        number = director.announce(league, words)
    typer.echo(text("league.done.announced", n=number))


@_described("end")
def end(
    league: League,
    why: Because,
    season: Annotated[bool, typer.Option("--season", help=text("league.help.season"))] = False,
    by: By = "",
) -> None:
    """End the season and the league now."""
    with _director(by, why) as director:
        director.end(league, season_only=season)
    _done("ended", league)


@_described("recompute")
def recompute(
    repair: Annotated[bool, typer.Option("--repair", help=text("league.help.repair"))] = False,
) -> None:
    """Compute all ratings anew from the results, and compare."""
    from sigilpost_server.leagues.director import recompute as compute

    with opened.service() as service:
        wrong = compute(service, repair=repair)
    typer.echo(text("league.done.recomputed", n=wrong))
    if wrong and not repair:
        raise typer.Exit(1)


def _done(what: str, league: str) -> None:
    typer.echo(text(f"league.done.{what}", league=league))
