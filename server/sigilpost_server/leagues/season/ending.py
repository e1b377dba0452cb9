"""What becomes of games that have not ended when a season is: by its length, or by the director."""

from __future__ import annotations

from sigilpost_server.leagues import standings
from sigilpost_server.leagues.rules import Kind, LeagueRules
from sigilpost_server.leagues.season.news import News, Told
from sigilpost_server.leagues.season.results import close
from sigilpost_server.leagues.state import How, Phase, Season, Status


def adjudicate(season: Season, rules: LeagueRules, at: int, now: int) -> None:
    """The season's time is out: what has not ended is shared; on a ladder it does not count."""
    for fixture in season.of_division(at):
        if fixture.open and rules.format.kind is Kind.LADDER:
            fixture.status = Status.VOID
        elif fixture.open:
            close(fixture, [1] * len(fixture.entrants), How.SHARED, now)


def end(season: Season, rules: LeagueRules, now: int) -> list[News]:
    """The director ends the season now: what has not ended is shared. In a season that has not
    begun there is nothing to share."""
    if season.phase is Phase.ENTRY:
        season.phase, season.ended = Phase.ENDED, now
        return [News(Told.ENDED)]
    for at, division in enumerate(season.divisions):
        adjudicate(season, rules, at, now)
        division.over = True
        if rules.format.kind is Kind.KNOCKOUT and division.winner is None:
            rows = standings.ranking(rules, season, at)
            division.winner = rows[0].entrant.number
    if season.phase is Phase.PLAYING:
        season.phase, season.ended = Phase.ENDED, now
        return [News(Told.ENDED)]
    return []
