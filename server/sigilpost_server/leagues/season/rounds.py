"""Rounds end, the next ones are drawn, and after the last the season is over."""

from __future__ import annotations

from sigilpost_server.leagues.draws import knockout
from sigilpost_server.leagues.rules import Kind, LeagueRules
from sigilpost_server.leagues.season.challenges import arrange
from sigilpost_server.leagues.season.drawing import draw_bracket, draw_swiss
from sigilpost_server.leagues.season.ending import adjudicate
from sigilpost_server.leagues.season.news import News, Told
from sigilpost_server.leagues.state import Fixture, Phase, Season, Status


def advance(season: Season, rules: LeagueRules, now: int) -> list[News]:
    """Everything that follows from what has happened: rounds end, are drawn, the season ends."""
    news: list[News] = []
    if season.phase is not Phase.PLAYING:
        return news
    late = bool(rules.season.length) and now >= season.started + rules.season.length
    for at, division in enumerate(season.divisions):
        while not division.over:
            if late:
                adjudicate(season, rules, at, now)
            told = _step(season, rules, at, now, late)
            if not told:
                break
            news += told
    if all(division.over for division in season.divisions):
        season.phase, season.ended = Phase.ENDED, now
        news.append(News(Told.ENDED))
    return news


def _step(season: Season, rules: LeagueRules, at: int, now: int, late: bool) -> list[News]:
    """One step of a division; no news: it waits for games."""
    division = season.divisions[at]
    if rules.format.kind is Kind.LADDER:
        return _step_ladder(season, rules, at, now, late)
    ended = _last_round_over(season, at)
    if ended > division.ended:
        division.ended += 1
        news = [News(Told.ROUND_ENDED, at, division.ended)]
        if division.ended < division.round:
            return news
        return news + _after_round(season, rules, at)
    if division.round == 0 or (division.rounds and division.ended >= division.rounds):
        division.over = True
    return []


def _last_round_over(season: Season, at: int) -> int:
    waiting = [f.round for f in season.of_division(at) if f.open]
    return min(waiting) - 1 if waiting else season.divisions[at].round


def _after_round(season: Season, rules: LeagueRules, at: int) -> list[News]:
    """The last round drawn so far is over: draw another one, or it was the last of all."""
    division = season.divisions[at]
    kind, drawn = rules.format.kind, division.round
    if kind is Kind.SWISS and division.round < division.rounds:
        draw_swiss(season, rules, at)
    elif kind is Kind.KNOCKOUT:
        through = _through(season, at)
        if len(through) > 1:
            draw_bracket(season, at, knockout.next_round(through))
        else:
            division.winner = through[0]
    if division.round > drawn:
        return [News(Told.ROUND_DRAWN, at, division.round)]
    division.over = True
    return []


def _through(season: Season, at: int) -> list[int | None]:
    """Who came through the last round of a knockout, line after line."""
    division = season.divisions[at]
    last = [f for f in season.of_division(at) if f.round == division.round]
    lines: dict[int, Fixture] = {f.line: f for f in last}  # the last game of each line
    return [_winner(season, lines[line]) for line in sorted(lines)]


def _winner(season: Season, fixture: Fixture) -> int | None:
    if fixture.status is not Status.DONE:
        return None
    seeded = sorted(
        zip(fixture.places, fixture.entrants, strict=True),
        key=lambda pair: (pair[0], season.entrant(pair[1]).seed),
    )
    return seeded[0][1]


def _step_ladder(season: Season, rules: LeagueRules, at: int, now: int, late: bool) -> list[News]:
    division = season.divisions[at]
    division.round = 1
    if late:
        division.over = True
    elif rules.format.challenges == "automatic":
        arrange(season, rules, at, now)
    return []
