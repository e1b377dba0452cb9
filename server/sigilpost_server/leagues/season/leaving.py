"""Who leaves a season, and what becomes of their games."""

from __future__ import annotations

from sigilpost_server.leagues.rules import Kind, LeagueRules, Withdrawal
from sigilpost_server.leagues.season.results import close, unplayed
from sigilpost_server.leagues.state import Fixture, Phase, Season, Status


def withdraw(season: Season, rules: LeagueRules, number: int, now: int) -> list[Fixture]:
    """An entrant leaves. Returns the fixtures whose games still run, to be given up for it.

    Before the draw it is as if it had never entered. After it, by the rule of the file: its
    results are annulled, or stand and the rest is forfeited (see ``docs/leagues.md``).
    """
    entrant = season.entrant(number)
    if not entrant.active or season.phase is Phase.ENDED:
        return []
    entrant.left = now
    if season.phase is Phase.ENTRY:
        return []
    mine = [f for f in season.fixtures if number in f.entrants]
    running = [f for f in mine if f.status is Status.RUNNING]
    entrant.annulled = _annulled(rules, mine)
    for fixture in mine:
        if entrant.annulled:
            fixture.status = Status.VOID
        elif fixture.status is Status.WAITING:
            give_up(season, rules, fixture, now)
    division = season.divisions[entrant.division]
    if rules.format.kind is Kind.LADDER:
        division.order = [e for e in division.order if e != number]
    return running


def _annulled(rules: LeagueRules, mine: list[Fixture]) -> bool:
    """Whether results are annulled: only where all are drawn at the beginning, and of two."""
    if rules.format.kind is not Kind.ROUND_ROBIN or rules.withdrawal is Withdrawal.FORFEIT:
        return False
    played = sum(f.status is Status.DONE for f in mine)
    return rules.withdrawal is Withdrawal.ANNUL or 2 * played < len(mine)


def give_up(season: Season, rules: LeagueRules, fixture: Fixture, now: int) -> None:
    """A fixture that will not be played to its end, as somebody of it left."""
    inside = [season.entrant(e).active for e in fixture.entrants]
    if not any(inside):
        fixture.status = Status.VOID
    else:
        places, how = unplayed(rules, inside)
        close(fixture, places, how, now)
