"""Who enters a league and who leaves it."""

from __future__ import annotations

from collections.abc import Sequence

from sigilpost_engine.core.messages import say
from sigilpost_server.leagues import ratings, reliability, store
from sigilpost_server.leagues.refused import Refused
from sigilpost_server.leagues.running import stopping
from sigilpost_server.leagues.running.league import Running
from sigilpost_server.leagues.running.moments import when
from sigilpost_server.leagues.season import entry, leaving
from sigilpost_server.leagues.state import Entrant, Phase
from sigilpost_server.leagues.store import LeagueStatus
from sigilpost_server.transaction import rows


def enter(running: Running, player: int, team: Sequence[int]) -> Entrant | None:
    """A player enters, with the others of a team if there are teams. Raises Refused.

    None: the others have to say the same before the team is in.
    """
    opens = running.season.opened
    if running.post.now < opens and running.row.status is not LeagueStatus.ENDED:
        zone = running.person(player).zone
        raise Refused(say("league.refused.opens", opens=when(zone, opens)))
    members = sorted({player, *team})
    for each in members:
        _check_entry(running, each)
    name = " & ".join(running.person(each).name for each in members)
    if running.rules.team_size == 1:
        return entry.enter(running.season, running.rules, name, members, running.post.now)
    return entry.wish(running.season, running.rules, player, members, name, running.post.now)


def _check_entry(running: Running, player: int) -> None:
    needed = running.rules.entry
    if running.row.status is LeagueStatus.ENDED:
        raise Refused(say("league.refused.over"))
    if needed.rating:
        known = store.ratings(running.db, running.pool, [player]).get(player, ratings.Rating())
        if known.provisional or known.shown < needed.rating:
            raise Refused(say("league.refused.rating", needed=needed.rating))
    if needed.reliability:
        marks = store.marks(running.db, [player])[player]
        if reliability.score(marks, running.post.now) < needed.reliability:
            raise Refused(say("league.refused.reliability", needed=needed.reliability))


def withdraw(running: Running, entrant: Entrant) -> None:
    """An entrant leaves; its running games are given up for it."""
    if running.season.phase is Phase.PLAYING:
        _missed(running, entrant)
    open_games = leaving.withdraw(running.season, running.rules, entrant.number, running.post.now)
    for fixture in open_games:
        stopping.give_up(running, fixture, entrant)


def _missed(running: Running, entrant: Entrant) -> None:
    """Whoever leaves games that were still to be played, once some have begun, misses them."""
    mine = [f for f in running.season.fixtures if entrant.number in f.entrants]
    begun = [f.game for f in mine if f.game]
    game = rows.game(running.db, begun[-1], lock=False) if begun else None
    if game is not None and any(f.open for f in mine):
        what = reliability.What.MISSED
        for player in entrant.players:
            store.mark(running.db, player, what, running.post.now, game.id)
