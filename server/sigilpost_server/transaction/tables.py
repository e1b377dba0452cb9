"""All tables of a player, mailed once more: to a new machine, or to a new key that opens mail."""

from __future__ import annotations

from sqlalchemy import Connection

from sigilpost_engine.core.errors import Held
from sigilpost_server.models import GameStatus
from sigilpost_server.transaction import rows
from sigilpost_server.transaction.play import Play
from sigilpost_server.transaction.post import Post
from sigilpost_server.transaction.tell import Teller

SHOWN = (GameStatus.PROPOSED, GameStatus.RUNNING)


def mail_again(db: Connection, post: Post, player: rows.Player, event: str) -> None:
    """Mail where each game stands, and each invitation; ``event`` is another one each time."""
    for game in rows.games_of(db, player.id, SHOWN):
        play = Play.load(db, game.tag)
        seat = play.seat_of(player.id) if play else None
        if play is not None and seat is not None:
            _mail(play, seat, post, event)


def _mail(play: Play, seat: rows.Seat, post: Post, event: str) -> None:
    teller = Teller(play, post)
    envelope = teller.envelope(seat, event)
    if play.status == GameStatus.PROPOSED:
        host = next(each for each in play.seats if each.player_id == play.row.creator_id)
        teller.put(seat, teller.invitation(seat, envelope, host.shown))
        return
    try:
        since = rows.last_entry_of(play.db, play.row.id, seat.number)
        letter = teller.now(seat, envelope, since)
    except Held:
        return  # whoever writes next finds out
    play.save_marks()
    teller.put(seat, letter)
