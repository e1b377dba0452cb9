"""What a league writes: its tables as sheets, and a function for each kind of letter."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sigilpost_engine.core.messages import Msg, say
from sigilpost_engine.core.sheet import Cell, Column, Grid, Section, Sheet
from sigilpost_server.leagues import standings
from sigilpost_server.leagues.rules import LeagueRules, TieBreak
from sigilpost_server.leagues.state import Fixture, Phase, Season, Status
from sigilpost_server.leagues.store import LeagueStatus
from sigilpost_server.mail_out.letter import Command, Envelope, Letter
from sigilpost_server.mail_out.letter import Kind as LetterKind

_HIDDEN = (TieBreak.LOTS, TieBreak.SEED)


def table(rules: LeagueRules, season: Season, division: int) -> Section:
    """The standings of a division. Points come first: a narrow screen shows no more."""
    breaks = [b for b in rules.tiebreaks if b not in _HIDDEN]
    figures = [*_points(rules, "points"), "played", "won", "drawn", "lost"]
    columns = [Column(say("league.column.rank"), True), Column(say("league.column.name"))]
    columns += [Column(say(f"league.column.{name}"), True) for name in figures]
    columns += [Column(say(f"league.column.{name}"), True) for name in breaks]
    rows = [_row(rules, row) for row in standings.ranking(rules, season, division)]
    return Section(heading(season, division), (Grid(tuple(columns), tuple(rows)),))


def heading(season: Season, division: int) -> Msg:
    """What a division is called; the only one of a season: its table."""
    if len(season.divisions) == 1:
        return say("league.heading.table")
    return say("league.heading.division", name=season.divisions[division].name)


def _points(rules: LeagueRules, cell: str) -> tuple[str, ...]:
    return (cell,) if rules.by_points else ()


def _row(rules: LeagueRules, row: standings.Row) -> tuple[Cell, ...]:
    name: Cell = row.entrant.name
    if not row.entrant.active:
        name = say("league.cell.gone", name=row.entrant.name)
    figures = (row.played, row.wins, row.draws, row.losses)
    breaks = (standings.shown(value) for value in row.breaks)
    return (row.rank, name, *_points(rules, standings.shown(row.points)), *figures, *breaks)


def entrants(season: Season) -> Section:
    """Who has entered, before the draw."""
    rows = tuple((at, entrant.name) for at, entrant in enumerate(season.active(), 1))
    columns = (Column(say("league.column.rank"), True), Column(say("league.column.name")))
    return Section(say("league.heading.entrants"), (Grid(columns, rows),))


def tables(rules: LeagueRules, season: Season) -> Sheet:
    """All tables of a season; before the draw, who has entered."""
    if not season.divisions:
        return (entrants(season),)
    return tuple(table(rules, season, at) for at in range(len(season.divisions)))


def fixtures_of(rules: LeagueRules, season: Season, entrant: int) -> Section:
    """An entrant's fixtures, by round; a bye is one, too."""
    mine = [f for f in season.fixtures if entrant in f.entrants]
    rows = tuple((f.round, opponents(rules, season, f, entrant), say(state(f))) for f in mine)
    columns = (
        Column(say("league.column.round"), True),
        Column(say("league.column.with")),
        Column(say("league.column.state")),
    )
    return Section(say("league.heading.fixtures"), (Grid(columns, rows),))


def fixtures(season: Season) -> Section:
    """All fixtures of a season."""
    rows = tuple(
        (
            fixture.number,
            fixture.round,
            " - ".join(season.entrant(e).name for e in fixture.entrants),
            say(state(fixture)),
            fixture.game or "-",
            "-".join(map(str, fixture.places)) or "-",
        )
        for fixture in season.fixtures
    )
    names = ("number", "round", "name", "state", "game", "places")
    columns = tuple(Column(say(f"league.column.{n}"), n in ("number", "round")) for n in names)
    return Section(say("league.heading.all-fixtures"), (Grid(columns, rows),))


def opponents(rules: LeagueRules, season: Season, fixture: Fixture, entrant: int) -> Cell:
    """Whom an entrant meets in a fixture, in seat order, and with whom; "-" for a bye."""
    parties = standings.sides(rules, fixture)
    own = next(side for side in parties if entrant in side)
    partners = [season.entrant(e).name for e in own if e != entrant]
    others = [season.entrant(e).name for e in fixture.entrants if e not in own]
    if partners:
        return say("league.cell.partners", partners=partners, others=others)
    return ", ".join(others) or "-"


def names(rules: LeagueRules, season: Season, fixture: Fixture) -> str:
    """Who meets in a fixture: its sides, partners together."""
    parties = standings.sides(rules, fixture)
    return " - ".join(" & ".join(season.entrant(e).name for e in side) for side in parties)


def phase(status: LeagueStatus, season: Season, now: int, when: Callable[[int], Msg | str]) -> Msg:
    """Where a league stands; ``when`` shows a moment as its reader wants it."""
    number = season.number
    if status is LeagueStatus.ENDED:
        return say("league.phase.over", season=number)
    if status is LeagueStatus.PAUSED:
        return say("league.phase.paused", season=number)
    if season.phase is Phase.ENTRY and now < season.opened:
        return say("league.phase.to-open", season=number, opens=when(season.opened))
    return say(f"league.phase.{season.phase}", season=number, closes=when(season.closes))


def state(fixture: Fixture) -> str:
    """The message id of where a fixture stands."""
    if fixture.status is Status.DONE:
        assert fixture.how is not None
        return f"league.how.{fixture.how}"
    return f"league.state.{fixture.status}"


# --- letters --------------------------------------------------------------------------------------


def news(
    envelope: Envelope,
    rules: LeagueRules,
    season: Season,
    kind: str,
    sheet: Sheet,
    turn: bytes,
    *,
    may_leave: bool = False,
    notices: Sequence[Msg] = (),
    **values: object,
) -> Letter:
    """News of a league: ``league.<kind>.subject`` and ``.opening`` with these values."""
    known = {"league": rules.title, "season": season.number, **values}
    commands = [Command(f"sigil standings {rules.name}", say("league.command.standings"))]
    if may_leave:
        commands.append(Command(f"sigil withdraw {rules.name}", say("league.command.withdraw")))
    return Letter(
        LetterKind.NEWS,
        envelope,
        say(f"league.{kind}.subject", **known),
        opening=(say(f"league.{kind}.opening", **known), *notices),
        sheet=sheet,
        commands=tuple(commands),
        turn=turn,
    )


def announcement(
    envelope: Envelope, rules: LeagueRules, words: str, speaker: str, turn: bytes
) -> Letter:
    """The director's own words to everybody in a league."""
    return Letter(
        LetterKind.NEWS,
        envelope,
        say("league.announcement.subject", league=rules.title),
        opening=(say("league.announcement.opening", league=rules.title),),
        speaker=speaker,
        words=words,
        turn=turn,
    )
