"""What a player is told at a season's end of what comes next."""

from __future__ import annotations

from collections.abc import Iterator

from sigilpost_engine.core.messages import Msg, say
from sigilpost_server.leagues.running.league import Running
from sigilpost_server.leagues.running.moments import when
from sigilpost_server.leagues.season import entry, promotion
from sigilpost_server.leagues.state import Entrant, How, Status
from sigilpost_server.leagues.store import LeagueStatus
from sigilpost_server.models import GameStatus
from sigilpost_server.transaction import rows


def notices(running: Running, entrant: Entrant, zone: str) -> list[Msg]:
    """What becomes of an entrant's open games, whether it goes up or down, when entry opens."""
    return [*_games(running, entrant), *_next(running, entrant, zone)]


def _games(running: Running, entrant: Entrant) -> Iterator[Msg]:
    """Games that run on although the season is over."""
    for fixture in running.season.fixtures:
        closed = fixture.how is How.SHARED or fixture.status is Status.VOID
        if not (fixture.game and closed and entrant.number in fixture.entrants):
            continue
        game = rows.game(running.db, fixture.game, lock=False)
        if game is not None and game.status in (GameStatus.RUNNING, GameStatus.HELD):
            yield say("league.next.goes-on", game=fixture.game)


def _next(running: Running, entrant: Entrant, zone: str) -> Iterator[Msg]:
    season, rules = running.season, running.row.rules
    if running.row.status is LeagueStatus.ENDED or entry.is_last(season, rules):
        yield say("league.next.none")
        return
    again = rules.season.again and entrant.active
    if again and rules.divisions.size:
        way = promotion.moves(season, running.rules).get(entrant.number, 0)
        if way:
            name = season.divisions[entrant.division + way].name
            yield say(f"league.next.{'up' if way == promotion.UP else 'down'}", division=name)
    opens = when(zone, season.ended + rules.season.pause)
    yield say("league.next.entered" if again else "league.next.opens", opens=opens)
