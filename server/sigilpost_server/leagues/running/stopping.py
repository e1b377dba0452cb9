"""Games of fixtures are stopped: given up for who left, or called off before they began."""

from __future__ import annotations

from sigilpost_engine.core.errors import Held
from sigilpost_engine.core.messages import Msg, say
from sigilpost_server.leagues.running import mails, outcomes
from sigilpost_server.leagues.running.league import Running
from sigilpost_server.leagues.season import leaving, starting
from sigilpost_server.leagues.state import Entrant, Fixture, How, Status
from sigilpost_server.models import GOING, GameStatus
from sigilpost_server.transaction import rows, substitutes
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.post import Post
from sigilpost_server.transaction.tell import Teller

HOST = "host"
"""Who acts in a seat that was given up, as a game's chain notes it."""


def give_up(running: Running, fixture: Fixture, entrant: Entrant) -> None:
    """End a fixture's game for an entrant who has left."""
    play = Play.load(running.db, fixture.game)
    if play is None:
        return
    seat = next((s for s in play.seats if s.player_id in entrant.players), None)
    if seat is None:
        return
    if play.status == GameStatus.PROPOSED:
        outcomes.never_came(running, fixture.number, entrant.players, play.row.id)
        _cancel(play, running.post, say("league.left.why", player=entrant.name))
    elif play.status == GameStatus.HELD or not _forfeited(running, play, seat):
        _forfeit_unread(running, fixture, entrant)


def _forfeited(running: Running, play: Play, seat: rows.Seat) -> bool:
    """End a running game for a seat; False if it cannot be read."""
    if play.status == GameStatus.RUNNING:
        try:
            play.forfeit([seat.number], HOST, running.post.now)
        except Held:
            return False
        play.save()
        _tell_given_up(running, play, seat.shown)
    return True


def _forfeit_unread(running: Running, fixture: Fixture, entrant: Entrant) -> None:
    """A game that is held, or would be, has no end of its own: the fixture alone is forfeited."""
    if fixture.open:
        leaving.give_up(running.season, running.rules, fixture, running.post.now)
    play = halt(running, fixture, "left")
    if play is not None:
        mails.write_table(running, play, "lost", player=entrant.name, game=play.row.tag)


def _tell_given_up(running: Running, play: Play, player: str) -> None:
    teller = Teller(play, running.post)
    for seat in play.seats:
        envelope = teller.envelope(seat, "resigned")
        teller.put(seat, teller.resigned(seat, envelope, player))
    play.save_marks()


def take_back(running: Running, number: int) -> None:
    """Call off an entrant's games that have not begun, to be made anew for who plays now."""
    for fixture in running.season.fixtures:
        theirs = number in fixture.entrants and fixture.status is Status.RUNNING
        if theirs and stop(running, fixture, say("league.substituted.why")):
            starting.take_back(fixture)


def call_off(running: Running) -> None:
    """The season is over: games that have not begun will not be played."""
    for fixture in running.season.fixtures:
        if fixture.how is How.SHARED or fixture.status is Status.VOID:
            stop(running, fixture, say("league.season-over.why"))


def stop(running: Running, fixture: Fixture, why: Msg) -> bool:
    """Call a fixture's game off if it has not begun; False if it has, or if there is none."""
    play = Play.load(running.db, fixture.game) if fixture.game else None
    if play is None or play.status != GameStatus.PROPOSED:
        return False
    rows.clear_timer(running.db, rows.INVITATION, fixture.game)
    _cancel(play, running.post, why)
    return True


def halt(running: Running, fixture: Fixture, why: str) -> Play | None:
    """End a fixture's game, begun or not, without a result of its own, as the fixture got one
    elsewhere (``why``, one of STOPPED): it is not rated. None if no game is open. Nobody is told,
    but each gets the transcript of a game that had begun."""
    play = Play.load(running.db, fixture.game) if fixture.game else None
    if play is None or play.status not in GOING:
        return None
    rows.clear_timer(running.db, rows.INVITATION, fixture.game)
    for offer in substitutes.open_offers(running.db, play.row.id):
        substitutes.close(running.db, offer, substitutes.WITHDRAWN)
    play.clocks(running.post.now)  # they stop with the game
    if play.row.match is None:
        play.cancel(running.post.now)
    else:
        play.stop(why, running.post.now)
    play.save()
    play.save_marks()
    return play


def _cancel(play: Play, post: Post, why: Msg) -> None:
    from sigilpost_server.commands.decline import cancel  # the commands ask leagues themselves

    cancel(play, post, why)
