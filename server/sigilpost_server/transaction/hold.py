"""A game stops for the host to look at: going on would be guessing."""

from __future__ import annotations

from sigilpost_engine.core.errors import Held
from sigilpost_server.clocks import store
from sigilpost_server.mail_out import letters
from sigilpost_server.mail_out.letter import Address
from sigilpost_server.models import GameStatus
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.post import Post
from sigilpost_server.transaction.shunt import frames
from sigilpost_server.transaction.tell import Teller
from sigilpost_server.transaction.work import Outcome, Work


class Stuck(Exception):
    """A game whose open step does not run as it did: it is to be held."""

    def __init__(self, play: Play, held: Held) -> None:
        super().__init__(str(held))
        self.play = play
        self.held = held


def check(play: Play) -> None:
    """Load the match of a running game now, before anything is changed: nothing that comes later
    can be stuck. Raises Stuck."""
    if play.status == GameStatus.RUNNING:
        try:
            _ = play.match
        except Held as held:
            raise Stuck(play, held) from held


def hold(work: Work, play: Play, held: Held) -> Outcome:
    """Stop a game at this mail, which does nothing now and can be replayed later."""
    stop(play, work.post, held)
    return Outcome("diverged", game=play.row.tag, seq=play.seq, judged=False, aside=frames(held))


def stop(play: Play, post: Post, held: Held) -> None:
    """Stop a game as it was before this transaction; tell its players and the host."""
    why = f"{type(held).__name__}: {held}"
    play.hold(why)
    store.add_pause(play.db, play.row.id, store.HELD, None, post.now)
    play.save()
    teller = Teller(play, post)
    for seat in play.seats:
        teller.put(seat, letters.held(teller.envelope(seat, f"held {play.seq}"), teller.game))
    host = post.house.settings.server.host
    if host:
        envelope = post.envelope(Address(host), f"held {play.seq}", 0, tag=play.row.tag)
        letter = letters.held_for_host(envelope, teller.game, why=why)
        post.put(letter, post.house.settings.server.language)
