"""Leagues for tests: files, entrants, and games that end by a stream of chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from sigilpost_engine.core.rng import Rng
from sigilpost_server.leagues.file import parse
from sigilpost_server.leagues.rules import LeagueRules
from sigilpost_server.leagues.season import beginning, entry, results, rounds, starting
from sigilpost_server.leagues.state import Fixture, How, Phase, Season, Status

DAY = 86_400
NOW = 1_700_000_000


def rules(
    text: str = "", *, kind: str = "round-robin", seats: int = 2, game: str = "weaver"
) -> LeagueRules:
    """The rules of a file with these beginnings; ``text`` adds keys of [format] and tables."""
    head = f'name = "open"\ntitle = "The Open"\ngame = "{game}"\nseats = {seats}\n'
    return parse(f'{head}[format]\nkind = "{kind}"\n{text}')


def entered(league: LeagueRules, n: int, now: int = NOW) -> Season:
    """A season with ``n`` entrants; players are numbered from 1, teams after one another."""
    season = entry.opened(league, now, "lots")
    size = league.team_size
    for at in range(n):
        players = range(at * size + 1, at * size + size + 1)
        entry.enter(season, league, f"E{at + 1}", list(players), now + at)
    return season


def begun(league: LeagueRules, n: int, now: int = NOW) -> Season:
    """A season of ``n`` entrants, drawn."""
    season = entered(league, n, now)
    beginning.begin(season, league, now)
    return season


Result = Callable[[Fixture], tuple[int, ...]]


def by_chance(rng: Rng) -> Result:
    """Places by chance; one game of eight ends level."""

    def places(fixture: Fixture) -> tuple[int, ...]:
        n = len(fixture.entrants)
        if rng.below(8) == 0:
            return (1,) * n
        order = list(range(1, n + 1))
        rng.shuffle(order)
        return tuple(order)

    return places


def play_on(
    season: Season, league: LeagueRules, places: Result, now: int, *, limit: int = 100
) -> bool:
    """Start all that may start, end every running game; False if there was nothing to do."""
    rounds.advance(season, league, now)
    started = starting.startable(season, league, running(season), limit)
    for fixture in started:
        starting.start(season, fixture.number, f"game-{fixture.number}", now)
    moved = bool(started)
    for fixture in [f for f in season.fixtures if f.status is Status.RUNNING]:
        results.finish(season, league, fixture.number, places(fixture), How.PLAYED, now)
        moved = True
    return moved


def running(season: Season) -> Counter[int]:
    """How many games each player has running."""
    count: Counter[int] = Counter()
    for fixture in season.fixtures:
        if fixture.status is Status.RUNNING:
            count.update(starting.players_of(season, fixture))
    return count


def play_out(season: Season, league: LeagueRules, places: Result, now: int = NOW) -> int:
    """Play a season to its end; return the moment of it."""
    for _ in range(2_000):
        if season.phase is Phase.ENDED:
            return now
        now += DAY
        play_on(season, league, places, now)
        rounds.advance(season, league, now)
    raise AssertionError("the season does not end")
