"""What a player is told at a season's end of what comes next."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from sigilpost_engine.core.messages import Msg, say
from sigilpost_server.leagues.running.league import Running
from sigilpost_server.leagues.running.moments import when
from sigilpost_server.leagues.season import entry, promotion
from sigilpost_server.leagues.state import Entrant, How, Status
from sigilpost_server.leagues.store import LeagueStatus
from sigilpost_server.models import GameStatus
from sigilpost_server.transaction import rows


class Outlook:
    """What the end of a season means, for one entrant after the other."""

    def __init__(self, running: Running) -> None:
        self.running, self.season = running, running.season
        self.rules = running.row.rules
        """The league's own: the next season is played by them."""

    def notices(self, entrant: Entrant, zone: str) -> list[Msg]:
        """What becomes of its open games, whether it goes up or down, when entry opens."""
        return [*self._games(entrant), *self._next(entrant, zone)]

    def _games(self, entrant: Entrant) -> Iterator[Msg]:
        """Games that run on although the season is over."""
        for fixture in self.season.fixtures:
            closed = fixture.how is How.SHARED or fixture.status is Status.VOID
            if not (fixture.game and closed and entrant.number in fixture.entrants):
                continue
            game = rows.game(self.running.db, fixture.game, lock=False)
            if game is not None and game.status in (GameStatus.RUNNING, GameStatus.HELD):
                yield say("league.next.goes-on", game=fixture.game)

    def _next(self, entrant: Entrant, zone: str) -> Iterator[Msg]:
        over = self.running.row.status is LeagueStatus.ENDED
        if over or entry.is_last(self.season, self.rules):
            yield say("league.next.none")
            return
        again = self.rules.season.again and entrant.active
        way = self._moves.get(entrant.number, 0) if again else 0
        if way:
            name = self.season.divisions[entrant.division + way].name
            yield say(f"league.next.{'up' if way == promotion.UP else 'down'}", division=name)
        opens = when(zone, self.season.ended + self.rules.season.pause)
        yield say("league.next.entered" if again else "league.next.opens", opens=opens)

    @cached_property
    def _moves(self) -> dict[int, int]:
        if not self.rules.divisions.size:
            return {}
        return promotion.moves(self.season, self.running.rules)
