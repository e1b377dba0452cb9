"""A league's steps: whatever is due by the clock or follows from what happened.

Each may be repeated: what was done before is found done.
"""

from __future__ import annotations

from collections.abc import Callable

from sigilpost_server.leagues import ratings, store
from sigilpost_server.leagues.running import invitations, mails, stopping
from sigilpost_server.leagues.running.league import Running
from sigilpost_server.leagues.season.beginning import begin
from sigilpost_server.leagues.season.entry import close_entry, following
from sigilpost_server.leagues.season.news import News
from sigilpost_server.leagues.season.rounds import advance
from sigilpost_server.leagues.state import Entrant, Phase, Season
from sigilpost_server.leagues.store import LeagueStatus


def step(running: Running) -> None:
    """Do all that is due. A paused league does nothing."""
    while running.row.status is LeagueStatus.RUNNING:
        if not (_entry(running) or _advance(running)):
            break
    if running.row.status is LeagueStatus.RUNNING:
        invitations.start_games(running)


def draw(running: Running) -> list[News]:
    """Close entry now. Raises Refused."""
    return begin(
        running.season, running.rules, running.post.now, _previous(running), _rating(running)
    )


def _entry(running: Running) -> bool:
    """See to the entry; False if there was nothing to do."""
    now, season = running.post.now, running.season
    if season.phase is not Phase.ENTRY:
        return False
    if season.announced and running.unsettled(season.closes):
        return False
    previous, rating = _previous(running), _rating(running)
    news = close_entry(running.season, running.rules, now, previous, rating)
    mails.tell(running, news)
    return bool(news)


def _advance(running: Running) -> bool:
    """See to rounds and the season's end; False if there was nothing to do."""
    now, ends = running.post.now, running.ends
    if ends is not None and running.unsettled(ends):
        now = ends - 1  # the season is not over yet
    news = advance(running.season, running.rules, now)
    mails.tell(running, news)
    if running.season.phase is Phase.ENDED:
        stopping.call_off(running)
        return _next_season(running)
    return bool(news)


def _next_season(running: Running) -> bool:
    """After the end there is a next season to enter, or the league is over: False."""
    store.save_season(running.db, running.row.id, running.season, running.rules)
    new = following(running.season, running.row.rules)
    if new is None:
        running.row.status = LeagueStatus.ENDED
        return False
    running.season, running.rules = new, running.row.rules
    running.row.season = new.number
    return True


def _previous(running: Running) -> Season | None:
    found = store.season(running.db, running.row.id, running.row.season - 1)
    return found[0] if found else None


def _rating(running: Running) -> Callable[[Entrant], float]:
    """What seeds an entrant: the careful rating of its players, summed."""
    players = [player for entrant in running.season.active() for player in entrant.players]
    known = store.ratings(running.db, running.pool, players)
    newcomer = ratings.Rating()
    return lambda e: sum(known.get(player, newcomer).careful for player in e.players)
