"""Entry: when it is open, who may enter, teams that have to agree, and when it closes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sigilpost_engine.core.messages import say
from sigilpost_server.leagues.refused import Refused
from sigilpost_server.leagues.rules import Kind, LeagueRules
from sigilpost_server.leagues.season.beginning import begin
from sigilpost_server.leagues.season.news import News, Told
from sigilpost_server.leagues.state import Entrant, Phase, Season, Wish


def opened(rules: LeagueRules, now: int, lots: str) -> Season:
    """The first season, entry open."""
    begin = max(now, rules.season.opens)
    return Season(1, begin, begin + rules.season.entry, lots)


def reopen(season: Season, rules: LeagueRules, created: int, now: int) -> None:
    """Other rules while entry is still to open: it opens, and closes, when they say."""
    if season.phase is not Phase.ENTRY or now >= season.opened:
        return
    if season.number == 1:
        season.opened = max(created, now, rules.season.opens)
    season.closes = season.opened + rules.season.entry


def is_last(season: Season, rules: LeagueRules) -> bool:
    """Whether no season follows."""
    return bool(rules.season.seasons) and season.number >= rules.season.seasons


def following(season: Season, rules: LeagueRules) -> Season | None:
    """The season after one that has ended, entry open; None if it was the last."""
    if is_last(season, rules):
        return None
    begin = season.ended + rules.season.pause
    new = Season(season.number + 1, begin, begin + rules.season.entry, season.lots)
    if rules.season.again:
        for entrant in season.active():
            _add(new, entrant.name, entrant.players, begin)
    return new


def enter(
    season: Season, rules: LeagueRules, name: str, players: Sequence[int], now: int
) -> Entrant:
    """Take an entrant. Raises Refused."""
    _check_open(season, rules, now)
    check_team(season, rules, players)
    if _is_full(season, rules):
        raise Refused(say("league.refused.full", n=rules.season.maximum))
    entrant = _add(season, name, tuple(players), now)
    if season.phase is not Phase.ENTRY:  # a ladder's foot
        entrant.seed = len(season.entrants)
        season.divisions[0].order.append(entrant.number)
    return entrant


def _is_full(season: Season, rules: LeagueRules) -> bool:
    return bool(rules.season.maximum) and len(season.active()) >= rules.season.maximum


def _check_open(season: Season, rules: LeagueRules, now: int) -> None:
    if now < season.opened:
        raise Refused(say("league.refused.not-open"))
    late = season.phase is Phase.PLAYING and rules.format.kind is Kind.LADDER
    if season.phase is not Phase.ENTRY and not late:
        last = is_last(season, rules)
        raise Refused(say("league.refused.closed-last" if last else "league.refused.closed"))


def check_team(
    season: Season, rules: LeagueRules, players: Sequence[int], but: Entrant | None = None
) -> None:
    """Whether these can be an entrant: as many as it needs, each once, nobody in already (one
    entrant apart, whom they replace). Raises Refused."""
    if len(players) != rules.team_size:
        raise Refused(say("league.refused.team-size", n=rules.team_size))
    if len(set(players)) != len(players):
        raise Refused(say("league.refused.twice"))
    for player in players:
        if season.entrant_of(player) not in (None, but):
            raise Refused(say("league.refused.entered"))


def wish(
    season: Season, rules: LeagueRules, player: int, team: Sequence[int], name: str, now: int
) -> Entrant | None:
    """A player wants to enter with others; the team is in once all its members say the same.

    ``team`` has all members, ``name`` is what the team is to be called. Raises Refused.
    """
    members = tuple(sorted(set(team) | {player}))
    check_team(season, rules, members)
    others = [each for each in season.wishes if each.player != player]
    agreed = {each.player for each in others if each.team == members} | {player}
    if agreed < set(members):
        season.wishes = [*others, Wish(player, members)]
        return None
    entrant = enter(season, rules, name, members, now)
    season.wishes = [each for each in others if each.player not in members]
    return entrant


def forget_wish(season: Season, player: int) -> bool:
    """A player no longer wants to enter with others; False if there was no such wish."""
    before = len(season.wishes)
    season.wishes = [each for each in season.wishes if each.player != player]
    return len(season.wishes) < before


def _add(season: Season, name: str, players: tuple[int, ...], now: int) -> Entrant:
    entrant = Entrant(len(season.entrants) + 1, name, players, now)
    season.entrants.append(entrant)
    return entrant


def close_entry(
    season: Season,
    rules: LeagueRules,
    now: int,
    previous: Season | None = None,
    rating: Callable[[Entrant], float] = lambda entrant: 0.0,
) -> list[News]:
    """At the end of the entry time, or once the league is full: divide, draw, begin.

    Before that, that entry is open is told. With too few entrants it stays open for as long again.
    """
    if season.phase is not Phase.ENTRY or now < season.opened:
        return []
    if not season.announced:
        season.announced = True
        return [News(Told.OPENED)]
    if not (_is_full(season, rules) or now >= season.closes):
        return []
    if len(season.active()) < rules.minimum:
        season.closes = now + max(rules.season.entry, 1)
        return [News(Told.EXTENDED)] if season.active() else []
    return begin(season, rules, now, previous, rating)
