"""When a game has ended: it is rated and remembered, and its league, if it has one, goes on."""

from __future__ import annotations

from sqlalchemy import Connection

from sigilpost_server.leagues import rating, store
from sigilpost_server.leagues.running import invitations, outcomes, steps
from sigilpost_server.leagues.running.league import LEAGUE, Running
from sigilpost_server.models import GameStatus
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.post import Post
from sigilpost_server.transaction.rows import ENDED

__all__ = ["TIMERS"]


def game_ended(db: Connection, post: Post, tag: str) -> None:
    """Rate a game that has ended, and enter it in its league."""
    play = Play.load(db, tag)
    if play is None or play.status not in (GameStatus.FINISHED, GameStatus.CANCELLED):
        return
    fixed = store.fixture_of(db, play.row.id)
    # First the league's lock, then those of ratings: everybody in the same order.
    running = Running.load(db, post, fixed.league) if fixed else None
    if play.status == GameStatus.FINISHED:
        rating.rate(db, play, post.now)
        rating.remember(db, play, post.now)
    if running is None or fixed is None or running.season.number != fixed.season:
        return
    if running.season.fixture(fixed.fixture).game != tag:
        return  # called off, as somebody else plays: the fixture has another game, or will
    if play.status == GameStatus.FINISHED:
        outcomes.game_over(running, fixed.fixture, rating.outcome_of(play))
    elif play.stopped:
        outcomes.abandoned(running, fixed.fixture)
    elif running.season.fixture(fixed.fixture).open:
        absent = [s.player_id for s in play.seats if not s.joined and s.player_id is not None]
        outcomes.never_came(running, fixed.fixture, absent, play.row.id)
    steps.step(running)
    running.save()


def league_due(db: Connection, post: Post, name: str) -> None:
    """A league's time has come."""
    running = Running.load(db, post, name)
    if running is not None:
        steps.step(running)
        running.save()


def declined(db: Connection, post: Post, game_id: int, player: int) -> None:
    """A player refuses the game of a league: it is theirs that is lost, whoever else waits."""
    fixed = store.fixture_of(db, game_id)
    running = Running.load(db, post, fixed.league) if fixed else None
    if running is not None and fixed is not None and running.season.number == fixed.season:
        outcomes.never_came(running, fixed.fixture, [player], game_id)
        running.save()


TIMERS = {ENDED: game_ended, LEAGUE: league_due, invitations.REMINDER: invitations.remind}
"""The kinds of timer that leagues and ratings have."""
